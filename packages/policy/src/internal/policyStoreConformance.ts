/** What every layer of the policy store must do, as data: each case dies with the reason when the store is wrong. */
import * as Agent from "@haft/core/Agent"
import * as Location from "@haft/core/Location"
import * as Session from "@haft/core/Session"
import * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Approval from "../Approval.ts"
import * as PolicyStore from "../PolicyStore.ts"

/** One property of a store, in a sentence. */
export interface Case {
  readonly name: string
  readonly effect: Effect.Effect<void, unknown, PolicyStore.Service>
}

const property = (name: string, check: (store: PolicyStore.Interface) => Effect.Effect<unknown, unknown>): Case => ({
  name,
  effect: Effect.flatMap(PolicyStore.Service, (store) => Effect.asVoid(check(store)))
})

const here = Location.Ref.make("/here")
const elsewhere = Location.Ref.make("/elsewhere")

/** With everything in it that an encoding could lose. */
const approval = (number: number, location = here): Approval.Approval => ({
  id: Approval.ID.make(`apr_00000000-0000-4000-8000-${String(number).padStart(12, "0")}`),
  location,
  binding: "binding",
  context: {
    sessionID: Session.ID.make("session"),
    agent: Agent.ID.make("agent"),
    assistantMessageID: Session.MessageID.make("message"),
    toolCallID: ToolCall.ID.make("call")
  },
  tool: "edit",
  input: { path: "東京", edits: [{ old: "\n", new: null }] },
  request: {
    action: "edit",
    resources: ["Zürich 東京 🛠 \u0000 ' \" \\ \n \u202e", ""],
    save: ["*"],
    metadata: { constructor: null, nested: [1.5, { "a.b": "\ud800" }] },
    target: "absent"
  },
  protectedPaths: [".npmrc"],
  askedAt: 1_700_000_000_000 + number,
  expiresAt: 1_700_000_600_000 + number
})

const granted: Approval.Decision = { _tag: "Granted" }
const rejected: Approval.Decision = { _tag: "Rejected", feedback: "use b", stops: true }
const rule = { action: "edit", resource: "src/*" }
const other = { action: "read", resource: "東京 \u0000 ' \\* \n \ud800" }

/** Enough at once for a store that looks first and writes later to be caught. */
const crowd = Array.from({ length: 50 }, (_, index) => index)

const expect = (what: string, found: unknown, expected: unknown): Effect.Effect<void> =>
  Equal.equals(found, expected)
    ? Effect.void
    : Effect.die(new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`))

const keeping = [
  property("an empty store has no rules and no approvals", (store) =>
    Effect.flatMap(store.read(here), (kept) => expect("read", kept, { saved: [], approvals: [] }))
  ),
  property("approvals come back as they were, oldest first, and only for their own Location", (store) =>
    Effect.gen(function* () {
      for (const one of [approval(2), approval(1), approval(3, elsewhere)]) yield* store.add(one)
      const { approvals } = yield* store.read(here)
      yield* expect("read", approvals, [approval(1), approval(2)])
    })
  ),
  property("an approval is taken once, and only from its own Location", (store) =>
    Effect.gen(function* () {
      yield* store.add(approval(1))
      yield* expect("foreign", yield* store.take(approval(1, elsewhere)), Option.none())
      yield* expect("first", yield* store.take(approval(1)), Option.some(approval(1)))
      yield* expect("second", yield* store.take(approval(1)), Option.none())
      yield* expect("read", (yield* store.read(here)).approvals, [])
    })
  ),
  property("of many that take one approval at once exactly one gets it", (store) =>
    Effect.gen(function* () {
      yield* store.add(approval(1))
      const taken = yield* Effect.forEach(crowd, () => store.take(approval(1)), { concurrency: "unbounded" })
      yield* expect("taken", taken.filter(Option.isSome).length, 1)
    })
  )
]

const deciding = [
  property("the first decision stands, and the second learns of it", (store) =>
    Effect.gen(function* () {
      yield* store.add(approval(1))
      const decided = { ...approval(1), decision: rejected }
      yield* expect(
        "first",
        yield* store.decide(approval(1), rejected, []),
        Option.some({ approval: decided, isFirst: true })
      )
      const late = yield* store.decide(approval(1), granted, [rule])
      yield* expect("second", late, Option.some({ approval: decided, isFirst: false }))
      yield* expect("read", yield* store.read(here), { saved: [], approvals: [decided] })
      yield* expect("taken", yield* store.take(approval(1)), Option.some(decided))
    })
  ),
  property("nothing is decided about an approval that is gone or belongs to another Location", (store) =>
    Effect.gen(function* () {
      yield* store.add(approval(1))
      yield* expect("foreign", yield* store.decide(approval(1, elsewhere), granted, [rule]), Option.none())
      yield* expect("unknown", yield* store.decide(approval(2), granted, [rule]), Option.none())
      yield* expect("read", yield* store.read(here), { saved: [], approvals: [approval(1)] })
      yield* expect("elsewhere", yield* store.read(elsewhere), { saved: [], approvals: [] })
    })
  ),
  property("of many decisions at once exactly one is first", (store) =>
    Effect.gen(function* () {
      yield* store.add(approval(1))
      const all = yield* Effect.forEach(
        crowd,
        (index) =>
          store.decide(approval(1), index % 2 === 0 ? granted : rejected, [{ action: "edit", resource: `${index}` }]),
        { concurrency: "unbounded" }
      )
      yield* expect("first", all.filter((one) => Option.isSome(one) && one.value.isFirst).length, 1)
      yield* expect("saved", (yield* store.read(here)).saved.length, 1)
    })
  )
]

const saving = [
  property("rules are saved with a decision, each once, and only for its Location", (store) =>
    Effect.gen(function* () {
      yield* store.add(approval(1))
      yield* store.add(approval(2))
      yield* store.decide(approval(1), granted, [rule, rule])
      yield* store.decide(approval(2), granted, [rule, other])
      yield* expect("saved", (yield* store.read(here)).saved, [rule, other])
      yield* expect("elsewhere", (yield* store.read(elsewhere)).saved, [])
    })
  ),
  property("a rule is forgotten at its Location alone, and no other with it", (store) =>
    Effect.gen(function* () {
      for (const one of [approval(1), approval(2, elsewhere)]) {
        yield* store.add(one)
        yield* store.decide(one, granted, [rule, other])
      }
      yield* store.forget(here, { resource: rule.resource, action: rule.action })
      yield* expect("here", (yield* store.read(here)).saved, [other])
      yield* expect("elsewhere", (yield* store.read(elsewhere)).saved, [rule, other])
    })
  )
]

/** For every store. */
export const cases: ReadonlyArray<Case> = [...keeping, ...deciding, ...saving]
