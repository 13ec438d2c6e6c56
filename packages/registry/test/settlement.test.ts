import { assert, describe, it } from "@effect/vitest"
import {
  EffectSignal,
  Invocation,
  type Materialization,
  Progress,
  SettlementStore,
  SideEffect,
  Tool,
  ToolContent,
  ToolFailure
} from "@haft/core"
import * as Testing from "@haft/registry/testing"
import { Cause, Deferred, Effect, Exit, Fiber, Option, Ref, Result, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { readOf } from "./support/read.ts"
import { endOf, executing, offering, recordOf } from "./support/tools.ts"

const soon = { startImmediately: true } as const

const bug = new Error("bug")

const none = SideEffect.none

/** Notes in the journal of the store when it runs. */
const noting = Effect.gen(function* () {
  const { journal } = yield* Testing.Probe
  const note = Effect.as(
    Ref.update(journal, (noted) => [...noted, "execute"]),
    "done"
  )
  return { note, noted: Ref.get(journal) }
})

const starting = Effect.flatMap(EffectSignal.Service, (signal) => signal.starting)
const asking = Effect.flatMap(EffectSignal.Service, (signal) => signal.asking)
const granted = (approvalID?: string) =>
  Effect.orDie(Effect.flatMap(EffectSignal.Service, (signal) => signal.granted(approvalID)))

const committed = (target: string) =>
  Effect.flatMap(EffectSignal.Service, (signal) => signal.committed([{ kind: "write", target }]))

describe("a call that leads to no execution", () => {
  it.effect("is recorded in one step, and the executor does not run", () =>
    Effect.gen(function* () {
      const { note, noted } = yield* noting
      const scope = yield* Scope.make()
      const turn = yield* Scope.provide(offering({ gone: executing(note) }), scope)
      yield* Scope.close(scope, Exit.void)
      const { settle } = yield* offering({ kept: executing(note) })
      const rejections = [
        yield* settle(Testing.request("missing", {}, { id: "1" })),
        yield* turn.settle(Testing.request("gone", {}, { id: "2" })),
        yield* settle(Testing.request("kept", { extra: 1 }, { id: "3" })),
        yield* settle(Testing.request("kept", "text", { id: "4" }))
      ]
      assert.deepStrictEqual(
        rejections.map((settlement) => settlement._tag === "Rejected" && settlement.rejection._tag),
        ["UnknownTool", "StaleCall", "InvalidInput", "InvalidInput"]
      )
      assert.isTrue(rejections.every(({ effect }) => effect._tag === "NotStarted"))
      assert.deepStrictEqual(yield* noted, Array.from({ length: 4 }, () => ["find", "begin"]).flat())
      yield* settle(Testing.request("kept", {}, { id: "5" }))
      assert.deepStrictEqual((yield* noted).slice(8), ["find", "begin", "execute", "complete"])
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("tells the model what to do, with every violation", () =>
    Effect.gen(function* () {
      const tool = Tool.make({
        description: "",
        input: Schema.Struct({ a: Schema.Int, b: Schema.String }),
        output: Schema.String,
        execute: () => Effect.succeed("")
      })
      const turn = yield* offering({ tool })
      const invalid = yield* turn.settle(Testing.request("tool", { a: "one" }, { id: "1" }))
      assert(invalid._tag === "Rejected" && invalid.rejection._tag === "InvalidInput")
      assert.deepStrictEqual(
        invalid.rejection.violations.map(({ code, path }) => [path, code]),
        [
          ["b", "missing"],
          ["a", "type:integer"]
        ]
      )
      assert.deepInclude(yield* turn.settle(Testing.request("tol", {}, { id: "2" })), {
        message: 'There is no tool called "tol". Did you mean tool? Use one of the tools that were offered.'
      })
      assert.deepInclude(yield* turn.settle(Testing.request("search", {}, { id: "3" })), {
        message: 'There is no tool called "search". Use one of the tools that were offered.'
      })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a tool's failure", () => {
  it.effect("reaches the model as the tool made it", () =>
    Effect.gen(function* () {
      const failure = ToolFailure.notFound({ message: "No such file", hint: "List first", candidates: ["a.ts"] })
      const turn = yield* offering({ tool: executing(Effect.fail(failure)) })
      const settlement = yield* turn.settle(Testing.request("tool", {}))
      assert.deepInclude(settlement, { _tag: "Failed", failure, effect: SideEffect.none, warnings: [], managed: [] })
      assert.deepStrictEqual(yield* endOf("call"), { _tag: "Settled", settlement })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("beside a defect is no result", () =>
    Effect.gen(function* () {
      const cause = Cause.combine(Cause.fail(ToolFailure.unavailable({ message: "" })), Cause.die(bug))
      const turn = yield* offering({ tool: executing(Effect.failCause(cause)) })
      assert.deepStrictEqual(yield* Effect.exit(turn.settle(Testing.request("tool", {}))), Exit.die(bug))
      assert.deepNestedInclude(yield* endOf("call"), { _tag: "Died", "effect._tag": "Unknown" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("beside an interruption of its own parts is a result", () =>
    Effect.gen(function* () {
      const failure = ToolFailure.unavailable({ message: "" })
      const cause = Cause.combine(Cause.fail(failure), Cause.interrupt())
      const turn = yield* offering({ tool: executing(Effect.failCause(cause)) })
      assert.deepInclude(yield* turn.settle(Testing.request("tool", {})), { _tag: "Failed", failure })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("while it is interrupted is no result", () =>
    Effect.gen(function* () {
      const cleanup = () => Effect.fail(ToolFailure.unavailable({ message: "never said" }))
      const turn = yield* offering({ tool: executing(Effect.onInterrupt(Effect.never, cleanup)) })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepNestedInclude(yield* endOf("call"), { _tag: "Interrupted", "effect._tag": "Unknown" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("the siblings of a call", () => {
  it.effect("settle whatever happens to it", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const turn = yield* offering({
        dies: executing(Effect.die(bug)),
        throws: executing(
          Effect.sync(() => {
            throw bug
          })
        ),
        interrupts: executing(Effect.interrupt),
        fails: executing(Effect.fail(ToolFailure.unavailable({ message: "" }))),
        waits: executing(Deferred.await(gate))
      })
      const settle = (name: string) => Effect.exit(turn.settle(Testing.request(name, {}, { id: name })))
      const sibling = yield* Effect.forkChild(settle("waits"), soon)
      const exits = yield* Effect.forEach(["dies", "throws", "interrupts", "fails", "missing"], settle, {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(exits.slice(0, 2), [Exit.die(bug), Exit.die(bug)])
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, false, false, true, true])
      yield* Deferred.succeed(gate, "done")
      assert.deepNestedInclude(yield* Effect.flatten(Fiber.join(sibling)), { "output.structured": "done" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("the effect of a call", () => {
  const failure = Effect.fail(ToolFailure.unavailable({ message: "" }))
  const once = SideEffect.committed([{ kind: "write", target: "a" }])
  const ends: ReadonlyArray<{
    readonly title: string
    readonly annotations: Tool.Annotations
    readonly body: Effect.Effect<unknown, ToolFailure.ToolFailure>
    readonly effect: SideEffect.SideEffect
  }> = [
    { title: "a pure tool that succeeds", annotations: { determinism: "pure" }, body: Effect.void, effect: none },
    { title: "a pure tool that fails", annotations: { determinism: "pure" }, body: failure, effect: none },
    { title: "a tool that declares nothing and succeeds", annotations: {}, body: Effect.void, effect: none },
    { title: "a tool that only reads", annotations: { operations: ["read"] }, body: Effect.void, effect: none },
    { title: "an idempotent tool", annotations: { determinism: "idempotent" }, body: Effect.void, effect: none },
    {
      title: "a side-effectful tool that itemises nothing",
      annotations: { determinism: "side_effectful" },
      body: Effect.void,
      effect: SideEffect.committed([])
    },
    {
      title: "a tool that deletes and itemises nothing",
      annotations: { operations: ["read", "delete"] },
      body: Effect.void,
      effect: SideEffect.committed([])
    },
    {
      title: "a side-effectful tool that fails without a signal",
      annotations: { determinism: "side_effectful" },
      body: failure,
      effect: none
    },
    { title: "success after starting", annotations: {}, body: starting, effect: SideEffect.committed([]) },
    {
      title: "success of a pure tool after starting",
      annotations: { determinism: "pure" },
      body: starting,
      effect: SideEffect.committed([])
    },
    {
      title: "failure after starting",
      annotations: {},
      body: Effect.andThen(starting, failure),
      effect: SideEffect.unknown
    },
    {
      title: "failure of a pure tool after starting",
      annotations: { determinism: "pure" },
      body: Effect.andThen(starting, failure),
      effect: SideEffect.unknown
    },
    { title: "success after committing", annotations: {}, body: committed("a"), effect: once },
    {
      title: "failure after committing",
      annotations: {},
      body: Effect.andThen(committed("a"), failure),
      effect: once
    },
    {
      title: "two commits",
      annotations: { determinism: "side_effectful" },
      body: Effect.andThen(starting, Effect.andThen(committed("a"), committed("b"))),
      effect: SideEffect.committed([
        { kind: "write", target: "a" },
        { kind: "write", target: "b" }
      ])
    }
  ]

  it.effect.each(ends)("$title", ({ annotations, body, effect }) =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.as(body, "done"), annotations) })
      const settlement = yield* turn.settle(Testing.request("tool", {}))
      assert.deepStrictEqual(settlement.effect, effect)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  const stops: ReadonlyArray<{
    readonly title: string
    readonly annotations: Tool.Annotations
    readonly body: Effect.Effect<unknown>
    readonly effect: SideEffect.SideEffect
  }> = [
    { title: "a pure tool", annotations: { determinism: "pure" }, body: Effect.void, effect: none },
    {
      title: "a pure tool after starting",
      annotations: { determinism: "pure" },
      body: starting,
      effect: SideEffect.unknown
    },
    { title: "a tool that is not pure", annotations: {}, body: Effect.void, effect: SideEffect.unknown },
    { title: "a tool after starting", annotations: {}, body: starting, effect: SideEffect.unknown },
    { title: "a tool after committing", annotations: {}, body: committed("a"), effect: once },
    { title: "a tool that waits for a permission", annotations: {}, body: asking, effect: none },
    { title: "a tool after a permission", annotations: {}, body: granted(), effect: SideEffect.unknown },
    {
      title: "a tool that asks again",
      annotations: {},
      body: Effect.andThen(granted(), asking),
      effect: SideEffect.unknown
    },
    { title: "a tool that asks first and has not", annotations: { asksFirst: true }, body: Effect.void, effect: none },
    {
      title: "a tool that asks first, after a permission",
      annotations: { asksFirst: true },
      body: granted(),
      effect: SideEffect.unknown
    },
    { title: "a pure tool after a permission", annotations: { determinism: "pure" }, body: granted(), effect: none }
  ]

  it.effect.each(stops)("is the same for whatever stops it: $title", ({ annotations, body, effect }) =>
    Effect.gen(function* () {
      const turn = yield* offering({
        waits: executing(Effect.andThen(body, Effect.never), annotations),
        dies: executing(Effect.andThen(body, Effect.die(bug)), annotations)
      })
      const settle = (name: string, id: string, timeoutMs?: number) =>
        Effect.forkChild(
          turn.settle(Testing.request(name, {}, { id, ...(timeoutMs === undefined ? {} : { timeoutMs }) })),
          soon
        )
      const [late, interrupted] = [yield* settle("waits", "1", 10), yield* settle("waits", "2")]
      yield* Fiber.await(yield* settle("dies", "3"))
      yield* TestClock.adjust(10)
      yield* Fiber.interrupt(interrupted)
      assert.deepStrictEqual((yield* Fiber.join(late)).effect, effect)
      assert.deepStrictEqual(yield* endOf("2"), { _tag: "Interrupted", effect })
      assert.deepStrictEqual(yield* endOf("3"), { _tag: "Died", effect })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of a pure tool that starts one is possible in the record before the tool goes on", () =>
    Effect.gen(function* () {
      const { note, noted } = yield* noting
      const twice = Effect.andThen(starting, starting)
      const turn = yield* offering({ tool: executing(Effect.andThen(twice, note), { determinism: "pure" }) })
      const settlement = yield* turn.settle(Testing.request("tool", {}))
      assert.deepStrictEqual(yield* noted, ["find", "begin", "advance", "execute", "complete"])
      assert.strictEqual(yield* turn.settle(Testing.request("tool", {})), settlement)
      assert.deepNestedInclude(Option.getOrThrow(yield* recordOf("call")), {
        "begun.determinism": "pure",
        "begun.effectPossible": true
      })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of a tool that asks first is possible in the record once the permission is granted", () =>
    Effect.gen(function* () {
      const { note, noted } = yield* noting
      const asks = Effect.andThen(Effect.andThen(asking, granted()), note)
      const turn = yield* offering({ tool: executing(asks, { asksFirst: true }) })
      yield* turn.settle(Testing.request("tool", {}))
      assert.deepStrictEqual(yield* noted, ["find", "begin", "advance", "execute", "complete"])
      assert.deepNestedInclude(Option.getOrThrow(yield* recordOf("call")), { "begun.effectPossible": true })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is begun with one approval by one call only", () =>
    Effect.gen(function* () {
      const acts = Effect.gen(function* () {
        const { granted } = yield* EffectSignal.Service
        const spent = yield* Effect.result(granted("approval"))
        return Result.isSuccess(spent) ? "acted" : spent.failure.approvalID
      })
      const turn = yield* offering({ tool: executing(acts) })
      const settle = (id: string) => turn.settle(Testing.request("tool", {}, { id }))
      assert.deepNestedInclude(yield* settle("1"), { "output.structured": "acted" })
      assert.deepNestedInclude(yield* settle("2"), { "output.structured": "approval" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is not begun by an executor whose call ended while that was being recorded", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const gate = yield* Deferred.make<void>()
      const acted = yield* Ref.make(false)
      yield* Ref.set(probe.after, (operation) => (operation === "advance" ? Deferred.await(gate) : Effect.void))
      const acts = Effect.andThen(starting, Ref.set(acted, true))
      const done = yield* Deferred.make<void>()
      const stubborn = Effect.uninterruptible(Effect.ensuring(Effect.as(acts, ""), Deferred.succeed(done, undefined)))
      const turn = yield* offering({ tool: executing(stubborn, { determinism: "pure" }) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(10)
      assert.deepStrictEqual((yield* Fiber.join(fiber)).effect, none)
      yield* Deferred.succeed(gate, undefined)
      yield* Deferred.await(done)
      assert.isFalse(yield* Ref.get(acted))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("that has started stays started when a permission is granted after it", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const [slow, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Ref.set(probe.after, (operation) =>
        operation === "advance" ? Effect.andThen(Deferred.succeed(slow, undefined), Deferred.await(gate)) : Effect.void
      )
      const acts = Effect.gen(function* () {
        const granting = yield* Effect.forkChild(granted("approval"), soon)
        yield* Deferred.await(slow)
        yield* Ref.set(probe.after, Testing.healthy)
        yield* starting
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(granting)
        return "done"
      })
      const turn = yield* offering({ tool: executing(acts, { asksFirst: true }) })
      assert.deepStrictEqual((yield* turn.settle(Testing.request("tool", {}))).effect, SideEffect.committed([]))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("that has started spends an approval all the same", () =>
    Effect.gen(function* () {
      const acts = Effect.gen(function* () {
        const signal = yield* EffectSignal.Service
        yield* signal.starting
        return Result.isSuccess(yield* Effect.result(signal.granted("approval"))) ? "acted" : "refused"
      })
      const turn = yield* offering({ tool: executing(acts) })
      const settle = (id: string) => turn.settle(Testing.request("tool", {}, { id }))
      assert.deepNestedInclude(yield* settle("1"), { "output.structured": "acted" })
      assert.deepNestedInclude(yield* settle("2"), { "output.structured": "refused" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of a tool that is not pure is possible in the record from the beginning", () =>
    Effect.gen(function* () {
      const { note, noted } = yield* noting
      const turn = yield* offering({ tool: executing(Effect.andThen(starting, note)) })
      yield* turn.settle(Testing.request("tool", {}))
      assert.deepStrictEqual(yield* noted, ["find", "begin", "execute", "complete"])
      assert.deepNestedInclude(Option.getOrThrow(yield* recordOf("call")), { "begun.effectPossible": true })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("cannot be begun any more by an executor whose call has ended", () =>
    Effect.gen(function* () {
      const [gate, left] = [yield* Deferred.make<void>(), yield* Deferred.make<Exit.Exit<string>>()]
      const stubborn = Effect.uninterruptible(Deferred.await(gate)).pipe(
        Effect.andThen(starting),
        Effect.as("started"),
        Effect.onExit((exit) => Deferred.succeed(left, exit))
      )
      const turn = yield* offering({ tool: executing(Effect.uninterruptible(stubborn)) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(10)
      yield* Fiber.join(fiber)
      yield* Deferred.succeed(gate, undefined)
      assert.isTrue(Exit.isFailure(yield* Deferred.await(left)))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of a call that was interrupted before its executor was entered is that nothing started", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const { note, noted } = yield* noting
      const [reached, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const held = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
      yield* Ref.set(probe.before, (operation) => (operation === "begin" ? held : Effect.void))
      const turn = yield* offering({ tool: executing(note, { determinism: "side_effectful" }) })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* Deferred.await(reached)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), soon)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interrupting)
      assert.notInclude(yield* noted, "execute")
      assert.deepStrictEqual(yield* endOf("call"), { _tag: "Interrupted", effect: SideEffect.notStarted })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a store that fails", () => {
  const settledWith = Effect.fnUntraced(function* (broken: Testing.Operation, annotations: Tool.Annotations = {}) {
    const probe = yield* Testing.Probe
    const { note, noted } = yield* noting
    const turn = yield* offering({ tool: executing(Effect.andThen(starting, note), annotations) })
    yield* Ref.set(probe.before, Testing.failing(broken))
    const error = yield* Effect.flip(turn.settle(Testing.request("tool", {})))
    yield* Ref.set(probe.before, Testing.healthy)
    return { error, noted: yield* noted, turn }
  })
  const errorOf = (operation: Testing.Operation): Materialization.SettleError =>
    new SettlementStore.StorageError({ operation })

  it.effect("to find the call runs nothing and is an operational error", () =>
    Effect.gen(function* () {
      const { error, noted } = yield* settledWith("find")
      assert.deepStrictEqual(error, errorOf("find"))
      assert.deepStrictEqual(noted, [])
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("to begin the call runs nothing, and the call can be settled when the store is back", () =>
    Effect.gen(function* () {
      const { error, noted, turn } = yield* settledWith("begin")
      assert.deepStrictEqual(error, errorOf("begin"))
      assert.deepStrictEqual(noted, ["find"])
      assert.deepNestedInclude(yield* turn.settle(Testing.request("tool", {})), { _tag: "Succeeded" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("to record a rejection is an operational error", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const turn = yield* offering({})
      yield* Ref.set(probe.before, Testing.failing("begin"))
      assert.deepStrictEqual(yield* Effect.flip(turn.settle(Testing.request("missing", {}))), errorOf("begin"))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("to advance a pure tool's call stops its executor and is an operational error", () =>
    Effect.gen(function* () {
      const { error, noted } = yield* settledWith("advance", { determinism: "pure" })
      assert.deepStrictEqual(error, errorOf("advance"))
      assert.deepStrictEqual(noted, ["find", "begin", "complete"])
      assert.deepStrictEqual(yield* endOf("call"), {
        _tag: "Operational",
        effect: none,
        code: "SettlementStore.StorageError"
      })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("to complete the call shows no result, and the call does not run again", () =>
    Effect.gen(function* () {
      const { error, noted, turn } = yield* settledWith("complete")
      assert.deepStrictEqual(error, errorOf("complete"))
      assert.deepStrictEqual(noted, ["find", "begin", "execute"])
      assert.deepNestedInclude(yield* Effect.flip(turn.settle(Testing.request("tool", {}))), {
        _tag: "Materialization.CallInProgress"
      })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("to record a defect leaves the defect as it is", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const turn = yield* offering({ tool: executing(Effect.die(bug)) })
      yield* Ref.set(probe.before, Testing.failing("complete"))
      assert.deepStrictEqual(yield* Effect.exit(turn.settle(Testing.request("tool", {}))), Exit.die(bug))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a store that is slow", () => {
  it.effect("to tell that a call is running gives its settlement, if it has ended meanwhile", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const [go, read, gate] = [
        yield* Deferred.make<string>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const turn = yield* offering({ tool: executing(Deferred.await(go)) })
      const first = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      const held = Effect.andThen(Deferred.succeed(read, undefined), Deferred.await(gate))
      yield* Ref.set(probe.after, (operation) => (operation === "find" ? held : Effect.void))
      const second = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* Deferred.await(read)
      yield* Deferred.succeed(go, "done")
      const settlement = yield* Fiber.join(first)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(second), settlement)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("what an executor is given", () => {
  it.effect("is the caller's listener for progress, each caller's its own", () =>
    Effect.gen(function* () {
      const tool = Effect.gen(function* () {
        const progress = yield* Progress.Service
        yield* progress.report({ message: "half", completed: 1, total: 2 })
        return "done"
      })
      const turn = yield* offering({ tool: executing(tool) }, { timeoutMs: 10 })
      const heardBy = Effect.fnUntraced(function* (id: string) {
        const heard = yield* Ref.make<ReadonlyArray<Progress.Update>>([])
        const report = (update: Progress.Update) => Ref.update(heard, (updates) => [...updates, update])
        const settling = turn.settle(Testing.request("tool", {}, { id }))
        yield* Effect.provideService(settling, Progress.Service, { report })
        return yield* Ref.get(heard)
      })
      const update = { message: "half", completed: 1, total: 2 }
      assert.deepStrictEqual(yield* Effect.forEach(["1", "2"], heardBy), [[update], [update]])
      assert.deepInclude(yield* turn.settle(Testing.request("tool", {}, { id: "3" })), { _tag: "Succeeded" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is what exactly is executing, as the record has it", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<Option.Option<Invocation.Interface>>(Option.none())
      const look = Effect.flatMap(Invocation.Service, (invocation) => Ref.set(seen, invocation))
      const turn = yield* offering({ tool: executing(Effect.as(look, ""), { determinism: "idempotent" }) })
      yield* turn.settle(Testing.request("tool", {}))
      const { determinism, input, inputFingerprint, name, registrationDigest } = Option.getOrThrow(yield* Ref.get(seen))
      assert.deepEqual(input, {})
      const { begun } = Option.getOrThrow(yield* recordOf("call"))
      assert.deepInclude(begun, { determinism, inputFingerprint, name, registrationDigest })
      assert.strictEqual(determinism, "idempotent")
      assert.match(registrationDigest, /^sha256:[0-9a-f]{64}$/)
      assert.match(inputFingerprint, /^sha256:[0-9a-f]{64}$/)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is the context with exactly the ids of the request", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<Tool.Context>>([])
      const tool = Tool.make({
        description: "",
        input: Schema.Struct({}),
        output: Schema.Null,
        execute: (_, context) => Effect.as(Ref.set(seen, [context]), null)
      })
      const turn = yield* offering({ tool })
      const { context } = yield* turn.settle(Testing.request("tool", {}, { id: "mine" }))
      assert.deepStrictEqual(yield* Ref.get(seen), [context])
      assert.deepStrictEqual<unknown>(context, {
        sessionID: "session",
        agent: "agent",
        assistantMessageID: "message",
        toolCallID: "mine"
      })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("what a model reads", () => {
  const limit = 600
  const long = "x".repeat(10 * limit)
  const names = Array.from({ length: 10 * limit }, (_, index) => `name-${index}`)

  it.effect("of a short output is all of it", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.succeed("x".repeat(limit))) }, { output: { bytes: limit } })
      const settlement = yield* turn.settle(Testing.request("tool", {}))
      assert.deepNestedInclude(settlement, { "output.structured": "x".repeat(limit), managed: [] })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  const structured = Tool.make({
    description: "",
    input: Schema.Struct({}),
    output: Schema.Array(Schema.String),
    execute: () => Effect.succeed(names)
  })
  const projected = Tool.make({
    description: "",
    input: Schema.Struct({}),
    output: Schema.Null,
    execute: () => Effect.succeed(null),
    toModelOutput: () => names.map(ToolContent.text)
  })
  const longs: ReadonlyArray<readonly [string, Tool.Any]> = [
    ["a text", executing(Effect.succeed(long))],
    ["structured output", structured],
    ["many parts", projected],
    ["a failure", executing(Effect.fail(ToolFailure.unavailable({ message: long, hint: long, details: { names } })))]
  ]

  it.effect.each(longs)("of %s is bounded, and what is recorded is what was shown", ([, tool]) =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool }, { output: { bytes: limit } })
      const settlement = yield* turn.settle(Testing.request("tool", {}))
      assert.isAtMost(readOf(settlement).bytes, limit)
      assert.strictEqual(settlement.managed.length, 1)
      assert.deepStrictEqual(yield* endOf("call"), { _tag: "Settled", settlement })
      assert.strictEqual(yield* turn.settle(Testing.request("tool", {})), settlement)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of a name that no tool has is bounded, in the message and in the record", () =>
    Effect.gen(function* () {
      const turn = yield* offering({})
      const settlement = yield* turn.settle(Testing.request(long, {}))
      assert(settlement._tag === "Rejected")
      assert.strictEqual(settlement.name, `${"x".repeat(100)}…`)
      assert.isAtMost(settlement.message.length, 200)
      assert.deepNestedInclude(Option.getOrThrow(yield* recordOf("call")), { "begun.name": settlement.name })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of many violations is bounded, and says how many there were", () =>
    Effect.gen(function* () {
      const tool = Tool.make({
        description: "",
        input: Schema.Struct({ list: Schema.Array(Schema.Int) }),
        output: Schema.Null,
        execute: () => Effect.succeed(null)
      })
      const turn = yield* offering({ tool })
      const settlement = yield* turn.settle(Testing.request("tool", { list: names }))
      assert(settlement._tag === "Rejected" && settlement.rejection._tag === "InvalidInput")
      const { violations, violationsOmitted } = settlement.rejection
      assert.strictEqual(violations.length + violationsOmitted, names.length)
      assert.isAtMost(JSON.stringify(settlement).length, 12 * 1024)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})
