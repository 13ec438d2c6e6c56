import { assert, describe } from "@effect/vitest"
import { type Materialization, SettlementStore } from "@haft/core"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Cause, Effect, Exit, Fiber, Logger, Option, Scope } from "effect"
import * as Fc from "fast-check"
import { chosenSeed } from "./support/random.ts"
import { scenario, temporary } from "./support/scenario.ts"
import {
  type Entered,
  type Host,
  makeHosts,
  makeVersions,
  type Place,
  register,
  schedules,
  Timetable
} from "./support/schedule.ts"

/** A caller of one of two calls, with one of the hosts. Some lose their patience. */
const Caller = Fc.record({ call: Fc.nat({ max: 1 }), host: Fc.nat({ max: 1 }), isImpatient: Fc.boolean() })
type Caller = typeof Caller extends Fc.Arbitrary<infer A> ? A : never

const mostReplacements = 2

/** Who does something at the same time. */
const Plan = Fc.record({
  callers: Fc.array(Caller, { minLength: 2, maxLength: 5 }),
  replacements: Fc.nat({ max: mostReplacements })
})
type Plan = typeof Plan extends Fc.Arbitrary<infer A> ? A : never

interface World {
  readonly hosts: ReadonlyArray<Host>
  readonly timetable: Timetable
  readonly versions: ReturnType<typeof makeVersions>
  readonly entered: Array<Entered>
}

/** What a caller saw. Moments are counted, so that it can be told what was before what. */
interface Called {
  readonly id: string
  readonly offered: string | undefined
  readonly began: number
  readonly isImpatient: boolean
  readonly exit: Exit.Exit<Settled, Materialization.SettleError>
}
type Settled = Effect.Success<ReturnType<Materialization.Materialization["settle"]>>

/** Everything at once, in whatever order the steps come. */
const tried = Effect.fnUntraced(function* (world: World, plan: Plan, run: number) {
  const { hosts, timetable, versions } = world
  const { step } = timetable
  let moment = 0
  const closedAt = new Map<string, number>()
  let scope = yield* Scope.make()
  const offer = (version: number) => Effect.orDie(register(hosts, versions[version] ?? Object(undefined), scope))
  yield* offer(0)
  const replace = Effect.fnUntraced(function* (version: number) {
    yield* step("replacing")
    const before = scope
    scope = yield* Scope.make()
    yield* offer(version)
    yield* step("closing")
    closedAt.set(`${version - 1}`, moment++)
    yield* Scope.close(before, Exit.void)
  })
  const call = Effect.fnUntraced(function* ({ call, host, isImpatient }: Caller) {
    const { services } = hosts[host % hosts.length] ?? Object(undefined)
    const id = `${run}-${call}`
    yield* step("taking a turn")
    const registry: ToolRegistry.Interface = yield* Effect.provideContext(ToolRegistry.Service, services)
    const { definitions, settle } = yield* registry.materialize()
    yield* step("calling")
    const began = moment++
    const settling = yield* Effect.forkDetach(settle(Testing.request("tool", {}, { id })), { startImmediately: true })
    if (isImpatient) {
      yield* step("losing patience")
      settling.interruptUnsafe()
    }
    const called: Called = {
      id,
      offered: definitions[0]?.description,
      began,
      isImpatient,
      exit: yield* Fiber.await(settling)
    }
    return called
  })
  const replacing = Effect.forEach(
    Array.from({ length: plan.replacements }, (_, index) => index + 1),
    replace
  )
  const [called] = yield* Effect.all([Effect.forEach(plan.callers, call, { concurrency: "unbounded" }), replacing], {
    concurrency: "unbounded"
  })
  yield* Scope.close(scope, Exit.void)
  return { called, closedAt }
})

const outcomeOf = ({ exit }: Called): string => {
  if (Exit.isSuccess(exit)) {
    const { value } = exit
    return value._tag === "Rejected" ? value.rejection._tag : value._tag
  }
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return failure.error._tag
  return Cause.hasInterruptsOnly(exit.cause) ? "Interrupted" : "Died"
}

/** What one call came to, for all who asked for it. */
const check = Effect.fnUntraced(function* (
  { entered, hosts }: World,
  called: ReadonlyArray<Called>,
  closedAt: ReadonlyMap<string, number>
) {
  const [first] = called
  const [host] = hosts
  assert(first !== undefined && host !== undefined)
  const { id } = first
  const outcomes = called.map(outcomeOf)
  const told = `${id}: ${outcomes.join(", ")}`
  const own = entered.filter((execution) => execution.id === id)
  assert.isAtMost(own.length, 1, `one execution of ${told}`)
  const store = yield* Effect.provideContext(SettlementStore.Service, host.services)
  const { assistantMessageID, sessionID, call } = Testing.request("tool", {}, { id })
  const record = yield* store.find({ sessionID, assistantMessageID, toolCallID: call.id })
  const end = Option.filter(record, ({ _tag }) => _tag === "Ended")
  if (own.length > 0) assert.isTrue(Option.isSome(end), `an end of ${told}`)
  for (const one of called) {
    const outcome = outcomeOf(one)
    assert.notStrictEqual(outcome, "Died", told)
    if (outcome === "Interrupted") assert.isTrue(one.isImpatient, `nobody interrupted a caller of ${told}`)
    if (outcome !== "Succeeded" || Exit.isFailure(one.exit)) continue
    assert.deepNestedInclude(Option.getOrThrow(end), { "ended._tag": "Settled", "ended.settlement": one.exit.value })
    assert.include(
      called.map(({ offered }) => offered),
      `${own[0]?.version}`,
      `offered to a caller of ${told}`
    )
  }
  if (called.length > 1) return outcomes
  const closed = closedAt.get(first.offered ?? "")
  const isStale = outcomes[0] === "StaleCall"
  if (closed !== undefined && closed < first.began) assert.notStrictEqual(outcomes[0], "Succeeded", `closed: ${told}`)
  if (closed === undefined) assert.isFalse(isStale, `not closed: ${told}`)
  if (!first.isImpatient) assert.include(["Succeeded", "StaleCall"], outcomes[0], told)
  return outcomes
})

/** Tries as many schedules. Gives in how many of them calls succeeded, and did not. */
const tryAll = Effect.fnUntraced(function* (place: Place, schedulesTried: number) {
  const timetable = new Timetable()
  const entered: Array<Entered> = []
  const versions = makeVersions(mostReplacements + 1, timetable, entered)
  const hosts = yield* makeHosts(place, yield* temporary, timetable)
  const world: World = { hosts, timetable, versions, entered }
  const seen = { succeeded: 0, contested: 0 }
  let run = 0
  const property = Fc.asyncProperty(schedules(), Plan, async (scheduler, plan) => {
    const number = run++
    const { called, closedAt } = await timetable.follow(scheduler, () =>
      Effect.runPromise(Effect.provide(tried(world, plan, number), Logger.layer([])))
    )
    const byCall = Map.groupBy(called, ({ id }) => id)
    const checks = Effect.forEach(byCall.values(), (own) => check(world, own, closedAt))
    const outcomes = (await Effect.runPromise(checks)).flat()
    if (outcomes.includes("Succeeded")) seen.succeeded++
    if (outcomes.some((outcome) => outcome !== "Succeeded")) seen.contested++
    entered.length = 0
  })
  yield* Effect.promise(() => Fc.assert(property, { seed: chosenSeed(), numRuns: schedulesTried }))
  return seen
})

const tries: Readonly<Record<Place, number>> = {
  "in memory": 5_000,
  "in SQLite": 1_500,
  "in one SQLite of two hosts": 1_000
}

describe("calls, interruptions and registrations whose steps come in any order", () => {
  for (const place of Object.keys(tries) as ReadonlyArray<Place>) {
    scenario(
      `run once, end once, and never under a registration that is closed: ${place}`,
      {
        fault: `fast-check's scheduler: ${tries[place]} orders of the steps of up to five callers and two replacements`,
        keeps: ["V1", "V5", "V10", "V13"],
        window: "a caller whose call was interrupted, stale or another's",
        atLeast: { tries: tries[place], hits: tries[place] / 4 }
      },
      Effect.gen(function* () {
        const { contested, succeeded } = yield* tryAll(place, tries[place])
        assert.isAtLeast(succeeded, tries[place] / 4)
        return { tries: tries[place], hits: contested }
      })
    )
  }
})

/** Calls that all have the same approval, each with one of the hosts. Some lose their patience. */
const Redeemers = Fc.array(Caller, { minLength: 2, maxLength: 4 })

const begunOf = (id: string): SettlementStore.Begun => {
  const { agent, assistantMessageID, call, sessionID } = Testing.request("tool", {}, { id })
  return {
    context: { sessionID, agent, assistantMessageID, toolCallID: call.id },
    name: "tool",
    registrationDigest: "digest",
    inputFingerprint: "fingerprint",
    determinism: "side_effectful",
    effectPossible: false,
    begunAt: 0
  }
}

/** Whether each of them may act: it has redeemed the approval, was told that it is spent, or did not wait for the answer. */
const redeemed = Effect.fnUntraced(function* (
  hosts: ReadonlyArray<Host>,
  { step }: Timetable,
  redeemers: ReadonlyArray<Caller>,
  run: number
) {
  const redeem = Effect.fnUntraced(function* ({ host, isImpatient }: Caller, index: number) {
    const { services } = hosts[host % hosts.length] ?? Object(undefined)
    const store: SettlementStore.Interface = yield* Effect.provideContext(SettlementStore.Service, services)
    const begun = begunOf(`approved-${run}-${index}`)
    yield* store.begin(begun)
    const redeeming = yield* Effect.forkDetach(store.advance(begun.context, { approvalID: `apr_${run}` }), {
      startImmediately: true
    })
    if (isImpatient) {
      yield* step("losing patience")
      redeeming.interruptUnsafe()
    }
    const exit = yield* Fiber.await(redeeming)
    yield* store.complete(begun.context, { _tag: "Interrupted", effect: { _tag: "None" } })
    if (Exit.isSuccess(exit)) return "redeemed"
    const failure = exit.cause.reasons.find(Cause.isFailReason)
    return failure === undefined ? "interrupted" : failure.error._tag
  })
  return yield* Effect.forEach(redeemers, redeem, { concurrency: "unbounded" })
})

const redeemAll = Effect.fnUntraced(function* (place: Place, schedulesTried: number) {
  const timetable = new Timetable()
  const hosts = yield* makeHosts(place, yield* temporary, timetable)
  let [run, refused] = [0, 0]
  const property = Fc.asyncProperty(schedules(), Redeemers, async (scheduler, redeemers) => {
    const number = run++
    const ends = await timetable.follow(scheduler, () =>
      Effect.runPromise(redeemed(hosts, timetable, redeemers, number))
    )
    const count = (end: string) => ends.filter((one) => one === end).length
    assert.isAtMost(count("redeemed"), 1, ends.join())
    if (count("interrupted") === 0) assert.strictEqual(count("redeemed"), 1, ends.join())
    const spent = count("SettlementStore.ApprovalSpentError")
    assert.strictEqual(count("redeemed") + spent + count("interrupted"), ends.length, ends.join())
    if (spent > 0) refused++
  })
  yield* Effect.promise(() => Fc.assert(property, { seed: chosenSeed(), numRuns: schedulesTried }))
  return refused
})

describe("calls that redeem one approval in steps of any order", () => {
  for (const place of Object.keys(tries) as ReadonlyArray<Place>) {
    const number = tries[place] / 5
    scenario(
      `are let act once: ${place}`,
      {
        fault: `fast-check's scheduler: ${number} orders of the steps of up to four calls with one approval`,
        keeps: ["V5", "V10", "V13"],
        window: "a call that is told that another has redeemed its approval",
        atLeast: { tries: number, hits: number / 4 }
      },
      Effect.gen(function* () {
        return { tries: number, hits: yield* redeemAll(place, number) }
      })
    )
  }
})
