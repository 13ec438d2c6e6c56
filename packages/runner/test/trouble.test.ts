import { assert, describe, it } from "@effect/vitest"
import { Permission, SettlementStore, Tool, ToolFailure } from "@haft/core"
import * as Testing from "@haft/registry/testing"
import { History, ScriptedModel } from "@haft/runner"
import { Cause, Deferred, Effect, Exit, Layer, Ref, Schema } from "effect"
import * as Running from "./support/running.ts"

const { call, say } = ScriptedModel

const bug = new Error("a bug with a secret in it")

const tools = {
  echo: Running.echo,
  dies: Running.tool(() => Effect.die(bug)),
  broken: Tool.make({
    description: "Returns what its codec cannot encode",
    input: Schema.Struct({}),
    output: Schema.String.check(Schema.isMaxLength(1)),
    execute: () => Effect.succeed("too long")
  }),
  leaves: Running.tool(() => Effect.interrupt)
}

const script = (name: string): ScriptedModel.Script => [[call(name, {}), call("echo", { value: 1 })], say("Done")]

/** What the model would read of the first call, after a run that may have ended there. */
const readAfterwards = Effect.gen(function* () {
  yield* Running.conclusion({ prompt: "And now?", onTrouble: "surface" })
  return Running.resultsIn(yield* Running.lastAsked)
})

describe("an operational error", () => {
  it.effect("stops the run after its siblings have ended, and the history has one end for each", () =>
    Effect.gen(function* () {
      yield* Running.register(tools)
      const error = yield* Effect.flip(Running.conclusion({ prompt: "Hello" }))
      assert(error._tag === "Runner.CallFailed")
      assert.deepStrictEqual([error.name, error.code], ["broken", "InvalidOutput"])
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["Operational", "Settled"])
      const [first, second] = yield* readAfterwards
      assert.match(first ?? "", /^\[This is not a result of the tool\.\] The call could not be completed/)
      assert.strictEqual(second, "1")
    }).pipe(Effect.provide(Running.layer(script("broken"))))
  )

  it.effect("is a generic text and a warning where the policy is to surface it", () =>
    Effect.gen(function* () {
      yield* Running.register(tools)
      const events = yield* Running.events({ prompt: "Hello", onTrouble: "surface" })
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "Warning" && event.code === "CallTrouble" ? [event.message] : [])),
        ["A call ended without a result (InvalidOutput)."]
      )
      const [text] = Running.resultsIn(yield* Running.lastAsked)
      assert.notInclude(text ?? "", "too long")
      assert.match(text ?? "", /no fault of the call/)
    }).pipe(Effect.provide(Running.layer(script("broken"))))
  )

  it.effect("of an executor that interrupts itself is one too, and interrupts nothing else", () =>
    Effect.gen(function* () {
      yield* Running.register(tools)
      yield* Running.conclusion({ prompt: "Hello", onTrouble: "surface" })
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["Operational", "Settled"])
    }).pipe(Effect.provide(Running.layer(script("leaves"))))
  )

  it.effect("of a store that lets nothing begin says that nothing has happened", () =>
    Effect.gen(function* () {
      yield* Running.register(tools)
      const probe = yield* Testing.Probe
      yield* Ref.set(probe.before, Testing.failing("begin"))
      const error = yield* Effect.flip(Running.conclusion({ prompt: "Hello" }))
      assert(error._tag === "Runner.CallFailed")
      assert.strictEqual(error.code, "SettlementStore.StorageError")
      yield* Ref.set(probe.before, Testing.healthy)
      const [first] = yield* readAfterwards
      assert.match(first ?? "", /could not be completed.*It has changed nothing/)
    }).pipe(Effect.provide(Running.layer(script("echo"))))
  )

  it.effect("of a store that does not answer at all says that nobody knows", () =>
    Effect.gen(function* () {
      yield* Running.register(tools)
      const probe = yield* Testing.Probe
      yield* Ref.set(probe.before, (operation) =>
        operation === "find" || operation === "complete"
          ? Effect.fail(new SettlementStore.StorageError({ operation }))
          : Effect.void
      )
      yield* Effect.flip(Running.conclusion({ prompt: "Hello" }))
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["Operational", "Operational"])
      yield* Ref.set(probe.before, Testing.healthy)
      const [first] = yield* readAfterwards
      assert.match(first ?? "", /may or may not have taken effect/)
    }).pipe(Effect.provide(Running.layer(script("echo"))))
  )
})

describe("a defect", () => {
  it.effect("of a tool passes through the run unchanged, after its siblings have ended", () =>
    Effect.gen(function* () {
      yield* Running.register(tools)
      const exit = yield* Effect.exit(Running.conclusion({ prompt: "Hello" }))
      assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === bug)
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["Died", "Settled"])
    }).pipe(Effect.provide(Running.layer(script("dies"))))
  )

  it.effect("is a generic text where the policy is to surface it, without a word of what it was", () =>
    Effect.gen(function* () {
      yield* Running.register(tools)
      const events = yield* Running.events({ prompt: "Hello", onTrouble: "surface" })
      const [text] = Running.resultsIn(yield* Running.lastAsked)
      assert.match(text ?? "", /^\[This is not a result of the tool\.\] The tool broke/)
      assert.notInclude(text ?? "", "secret")
      assert.strictEqual(events.at(-1)?._tag, "Ended")
    }).pipe(Effect.provide(Running.layer(script("dies"))))
  )
})

/** A person who refuses the first thing that is asked, and wants the turn to end there. */
const Refusing = Layer.effect(
  Permission.Service,
  Effect.map(Ref.make(false), (isRefused) => ({
    assert: () =>
      Effect.andThen(Ref.set(isRefused, true), Effect.fail(new Permission.DeniedError({ message: "No.", by: "user" }))),
    stops: () => Ref.get(isRefused)
  }))
)

describe("a person who ends the turn", () => {
  it.effect("ends the run: what runs goes on to its end, and what waits does not begin", () =>
    Effect.gen(function* () {
      const refused = yield* Deferred.make<void>()
      const permission = yield* Permission.Service
      yield* Running.register({
        asks: Running.tool((_, context) =>
          permission.assert({ action: "edit", resources: ["a"], save: [], metadata: {} }, context).pipe(
            Effect.as("granted"),
            Effect.catchTag("Permission.DeniedError", (error) => Effect.fail(ToolFailure.denied(error))),
            Effect.ensuring(Deferred.succeed(refused, undefined))
          )
        ),
        runs: Running.tool(() => Effect.as(Deferred.await(refused), "ran to its end"))
      })
      const conclusion = yield* Running.conclusion({ prompt: "Hello", limits: { executing: 2 } })
      assert.strictEqual(conclusion.reason, "stopped")
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["Settled", "Settled", "Stopped"])
    }).pipe(
      Effect.provide(
        Layer.provideMerge(Running.layer([[call("runs", {}), call("asks", {}), call("runs", {})]]), Refusing)
      )
    )
  )
})

describe("a history that cannot be written", () => {
  /** Fails from the given write on. */
  const failingFrom = (first: number) =>
    Layer.effect(
      History.Service,
      Effect.gen(function* () {
        const history = yield* History.Service
        const writes = yield* Ref.make(0)
        return {
          read: history.read,
          append: (...args: Parameters<History.Interface["append"]>) =>
            Effect.flatMap(
              Ref.updateAndGet(writes, (count) => count + 1),
              (count) =>
                count >= first
                  ? Effect.fail(new History.StorageError({ operation: "append" }))
                  : history.append(...args)
            )
        }
      })
    ).pipe(Layer.provide(History.layerMemory))

  const layer = (first: number) => Running.layerOn(script("echo"), failingFrom(first))

  for (const [write, runs] of [
    [1, 0],
    [2, 0],
    [3, 2]
  ] as const) {
    it.effect(`at write ${write} fails the run, and ${runs} calls have run`, () =>
      Effect.gen(function* () {
        const { runs: ran, tool } = yield* Effect.map(Ref.make(0), (count) => ({
          runs: count,
          tool: Running.tool(() =>
            Effect.as(
              Ref.update(count, (before) => before + 1),
              "ran"
            )
          )
        }))
        yield* Running.register({ echo: tool })
        const error = yield* Effect.flip(Running.conclusion({ prompt: "Hello" }))
        assert.strictEqual(error._tag, "History.StorageError")
        assert.strictEqual(yield* Ref.get(ran), runs)
      }).pipe(Effect.provide(layer(write)))
    )
  }
})
