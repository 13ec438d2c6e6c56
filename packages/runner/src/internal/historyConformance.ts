/** What every layer of the history must do, as data: each case dies with the reason when the history is wrong. */
import * as Session from "@haft/core/Session"
import * as SideEffect from "@haft/core/SideEffect"
import * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as History from "../History.ts"
import * as Message from "../Message.ts"

/** One property of a history, in a sentence. */
export interface Case {
  readonly name: string
  readonly effect: Effect.Effect<void, unknown, History.Service>
}

const property = (name: string, check: (history: History.Interface) => Effect.Effect<unknown, unknown>): Case => ({
  name,
  effect: Effect.flatMap(History.Service, (history) => Effect.asVoid(check(history)))
})

const here = Session.ID.make("here")
const elsewhere = Session.ID.make("elsewhere")
const callID = ToolCall.ID.make("call")

/** With everything in it that an encoding could lose. */
const awkward = "Zürich 東京 🛠 \u0000 ' \" \\ \n \u202e \ud800"

const specimens: ReadonlyArray<Message.Message> = [
  Message.user([
    { _tag: "Text", text: awkward },
    { _tag: "Media", mimeType: "image/png", data: Uint8Array.of(0, 127, 128, 255), name: "a.png" }
  ]),
  Message.assistant({
    id: Session.MessageID.make("message"),
    parts: [
      { _tag: "Reasoning", text: "", provider: "p", replay: { constructor: null, nested: [1.5, { "a.b": awkward }] } },
      { _tag: "Reasoning", text: awkward, provider: "p" },
      { _tag: "Text", text: "" },
      { _tag: "Call", id: callID, name: awkward, input: '{"a":' }
    ],
    stop: "calls",
    usage: { input: 1, output: 2, cached: 0.5 }
  }),
  Message.closing([
    Message.settled(callID),
    Message.synthetic({ callID, reason: "Unfinished", effect: SideEffect.unknown }),
    Message.synthetic({ callID, reason: "Rejected", effect: SideEffect.notStarted, message: awkward })
  ])
]

/** Enough at once for a history that looks first and writes later to be caught. */
const crowd = Array.from({ length: 50 }, (_, index) => Message.user(`${index}`))

const expect = (what: string, found: unknown, expected: unknown): Effect.Effect<void> =>
  Equal.equals(found, expected)
    ? Effect.void
    : Effect.die(new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`))

const hello = Message.user("hello")

/** What became of an attempt to add. */
const added = (history: History.Interface, position: number, message: Message.Message = hello) =>
  Effect.map(Effect.result(history.append(here, position, message)), (result) =>
    Result.isSuccess(result) ? "added" : result.failure._tag
  )

export const cases: ReadonlyArray<Case> = [
  property("a session that nobody knows is empty", (history) =>
    Effect.flatMap(history.read(here), (messages) => expect("read", messages, []))
  ),
  property("messages come back as they were, in their order, and only in their session", (history) =>
    Effect.gen(function* () {
      for (const [position, message] of specimens.entries()) yield* history.append(here, position, message)
      yield* history.append(elsewhere, 0, hello)
      yield* expect("here", yield* history.read(here), specimens)
      yield* expect("elsewhere", yield* history.read(elsewhere), [hello])
    })
  ),
  property("a position that is taken is refused, and nothing changes", (history) =>
    Effect.gen(function* () {
      yield* history.append(here, 0, hello)
      yield* expect("again", yield* added(history, 0, Message.user("other")), "History.ConflictError")
      yield* expect("read", yield* history.read(here), [hello])
    })
  ),
  property("a position that would leave a gap is refused", (history) =>
    Effect.gen(function* () {
      yield* expect("first", yield* added(history, 1), "History.ConflictError")
      yield* history.append(here, 0, hello)
      yield* expect("later", yield* added(history, 2), "History.ConflictError")
      yield* expect("read", yield* history.read(here), [hello])
    })
  ),
  property("of many that add at one position exactly one succeeds", (history) =>
    Effect.gen(function* () {
      const outcomes = yield* Effect.forEach(crowd, (message) => added(history, 0, message), {
        concurrency: "unbounded"
      })
      yield* expect("added", outcomes.filter((outcome) => outcome === "added").length, 1)
      yield* expect("kept", (yield* history.read(here)).length, 1)
    })
  )
]
