import { assert, describe, it } from "@effect/vitest"
import type { Tool, ToolFailure } from "@haft/core"
import { History, Message, Model, type Runner, ScriptedModel } from "@haft/runner"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Ref, Stream } from "effect"
import * as Running from "./support/running.ts"

const { call, say } = ScriptedModel

/** Runs until `when` happens, then interrupts and waits for the end. */
const interruptedAt = Effect.fnUntraced(function* (when: Effect.Effect<void>, request: Partial<Runner.Request> = {}) {
  const fiber = yield* Effect.forkChild(Running.events({ prompt: "Hello", ...request }))
  yield* when
  yield* Fiber.interrupt(fiber)
  const exit = yield* Fiber.await(fiber)
  assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
  return yield* Running.history
})

const tags = (messages: ReadonlyArray<Message.Message>) => messages.map(({ _tag }) => _tag)

/** A tool that says when it has begun and then hangs. */
const hanging = (annotations?: Tool.Annotations) =>
  Effect.map(Deferred.make<void>(), (begun) => ({
    begun: Deferred.await(begun),
    tool: Running.tool(
      (): Effect.Effect<string, ToolFailure.ToolFailure> =>
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
      annotations
    )
  }))

describe("an interrupted run", () => {
  it.effect("while the model has said nothing leaves the question, and goes on from there", () =>
    Effect.gen(function* () {
      const asked = yield* Ref.make(0)
      const begun = yield* Deferred.make<void>()
      const stream = Stream.unwrap(
        Effect.flatMap(
          Ref.updateAndGet(asked, (count) => count + 1),
          (count) =>
            count === 1
              ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
              : Effect.succeed(
                  Stream.fromIterable([...say("Now"), Model.Part.Finish({ stop: "ended", usage: Message.noUsage })])
                )
        )
      )
      const layer = Running.layer([stream])
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(tags(yield* interruptedAt(Deferred.await(begun))), ["User"])
        assert.strictEqual((yield* Running.conclusion()).text, "Now")
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("in the middle of an answer keeps what was said, and neither thoughts nor calls", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const parts = [
        Model.Part.Reasoning({ text: "hm" }),
        ...say("I will"),
        call("echo", {}, "one"),
        Model.Part.TextDelta({ text: " now" })
      ]
      const stream = Stream.concat(
        Stream.fromIterable(parts),
        Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      yield* Effect.gen(function* () {
        const messages = yield* interruptedAt(Deferred.await(begun))
        assert.deepStrictEqual(tags(messages), ["User", "Assistant"])
        const answer = messages[1]
        assert(answer?._tag === "Assistant")
        assert.strictEqual(answer.stop, "interrupted")
        assert.deepStrictEqual(answer.parts, [
          { _tag: "Text", text: "I will" },
          { _tag: "Text", text: " now" }
        ])
        assert.strictEqual((yield* Running.conclusion()).reason, "idle")
        assert.strictEqual((yield* Running.conclusion({ prompt: "Go on" })).text, "Gone on")
      }).pipe(Effect.provide(Running.layer([stream, say("Gone on")])))
    })
  )

  it.effect("while calls run closes the turn: each has one end, and what may have happened is said", () =>
    Effect.gen(function* () {
      const effectful = yield* hanging()
      const pure = yield* hanging({ determinism: "pure" })
      yield* Running.register({ effectful: effectful.tool, pure: pure.tool, echo: Running.echo })
      const messages = yield* interruptedAt(Effect.andThen(effectful.begun, pure.begun), { limits: { executing: 2 } })
      assert.deepStrictEqual(tags(messages), ["User", "Assistant", "Closing"])
      assert.deepStrictEqual(Running.reasonsIn(messages), ["Settled", "Interrupted", "Interrupted", "NotRun"])
      yield* Running.conclusion()
      const results = Running.resultsIn(yield* Running.lastAsked)
      assert.strictEqual(results[0], "1")
      assert.match(results[1] ?? "", /interrupted\. It may or may not have taken effect/)
      assert.match(results[2] ?? "", /interrupted\. It has changed nothing/)
      assert.match(results[3] ?? "", /did not run/)
      assert.strictEqual((yield* Running.history).length, 4)
    }).pipe(
      Effect.provide(
        Running.layer([
          [call("echo", { value: 1 }), call("effectful", {}), call("pure", {}), call("effectful", { value: 2 })],
          say("Done")
        ])
      )
    )
  )
})

describe("an interrupted run that waits", () => {
  it.effect("to ask again, or for what it may offer, ends at once and leaves the question", () =>
    Effect.gen(function* () {
      const waiting = yield* Deferred.make<void>()
      const overloaded = new Model.ModelError({ provider: "test", reason: "Overloaded", message: "Overloaded" })
      const tools = Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never)
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(tags(yield* interruptedAt(Deferred.await(waiting), { tools })), ["User"])
        const fiber = yield* Running.run().pipe(
          Stream.takeUntil(({ _tag }) => _tag === "Retrying"),
          Stream.runDrain,
          Effect.forkChild
        )
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(tags(yield* Running.history), ["User"])
      }).pipe(Effect.provide(Running.layer([Stream.fail(overloaded)])))
    })
  )
})

/** Counts the messages of a history, and lets a test hold one of its writes. */
const gated = (write: number) =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const layer = Layer.effect(
      History.Service,
      Effect.map(History.Service, (history) => ({
        read: history.read,
        append: (...args: Parameters<History.Interface["append"]>) =>
          args[1] === write
            ? Deferred.succeed(reached, undefined).pipe(
                Effect.andThen(Deferred.await(gate)),
                Effect.andThen(history.append(...args))
              )
            : history.append(...args)
      }))
    ).pipe(Layer.provide(History.layerMemory))
    return { layer, reached: Deferred.await(reached), open: Deferred.succeed(gate, undefined) }
  })

describe("an interruption aimed at a write", () => {
  const script: ScriptedModel.Script = [[...say("I act"), call("act", {}, "one")], say("Done")]
  const expected: ReadonlyArray<readonly [string, number, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    ["the prompt", 0, ["User"], []],
    ["the answer", 1, ["User", "Assistant", "Closing"], ["NotRun"]],
    ["the ends of calls", 2, ["User", "Assistant", "Closing"], ["Settled"]],
    ["the last answer", 3, ["User", "Assistant", "Closing", "Assistant"], ["Settled"]]
  ]

  for (const [what, write, messages, ends] of expected) {
    it.effect(`of ${what} waits for it, and leaves no call without an end`, () =>
      Effect.gen(function* () {
        const { layer, open, reached } = yield* gated(write)
        const runs = yield* Ref.make(0)
        const base = Running.layerOn(script, layer)
        yield* Effect.gen(function* () {
          yield* Running.register({
            act: Running.tool(() =>
              Effect.as(
                Ref.update(runs, (count) => count + 1),
                "acted"
              )
            )
          })
          const fiber = yield* Effect.forkChild(Running.events({ prompt: "Hello" }))
          yield* reached
          const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
          // From the reader to the run it goes through a few fibers, each of which needs its turn.
          yield* Effect.repeat(Effect.yieldNow, { times: 50 })
          yield* open
          yield* Fiber.join(interrupting)
          const left = yield* Running.history
          assert.deepStrictEqual(tags(left), messages)
          assert.deepStrictEqual(Running.reasonsIn(left), ends)
          const ran = yield* Ref.get(runs)
          yield* Running.conclusion()
          assert.isAtMost(yield* Ref.get(runs), Math.max(ran, 1), "nothing runs twice")
          assert.deepStrictEqual(tags(yield* Running.history).at(-1), "Assistant")
        }).pipe(Effect.provide(base))
      })
    )
  }
})

describe("whoever stops reading", () => {
  const script: ScriptedModel.Script = [
    [...say("I act"), call("act", { value: 1 }), call("act", { value: 2 })],
    say("Done")
  ]

  /** Every event of a whole run is one at which somebody may leave. */
  it.effect("at any event finds the session in order, and can go on", () =>
    Effect.gen(function* () {
      const whole = yield* Effect.gen(function* () {
        yield* Running.register({ act: Running.echo })
        return yield* Running.events({ prompt: "Hello" })
      }).pipe(Effect.provide(Running.layer(script)))
      assert.isAbove(whole.length, 10)
      for (const count of whole.keys()) {
        yield* Effect.gen(function* () {
          yield* Running.register({ act: Running.echo })
          yield* Stream.runDrain(Stream.take(Running.run({ prompt: "Hello" }), count + 1))
          const left = yield* Running.history
          assert.notStrictEqual(hasOpenTurn(left), true, whole[count]?._tag)
          assert.include(["answered", "idle"], (yield* Running.conclusion()).reason)
        }).pipe(Effect.provide(Running.layer(script)))
      }
    })
  )

  const hasOpenTurn = (messages: ReadonlyArray<Message.Message>): boolean =>
    messages.some(
      (message, index) =>
        message._tag === "Assistant" && Message.callsOf(message).length > 0 && messages[index + 1]?._tag !== "Closing"
    )

  it.effect("leaves the session free for the next run", () =>
    Effect.gen(function* () {
      const { begun, tool } = yield* hanging()
      yield* Running.register({ act: tool })
      const fiber = yield* Effect.forkChild(Running.events({ prompt: "Hello" }))
      yield* begun
      const busy = yield* Effect.flip(Running.conclusion({ prompt: "Me too" }))
      assert.strictEqual(busy._tag, "Runner.SessionBusy")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* Running.conclusion()).reason, "answered")
    }).pipe(Effect.provide(Running.layer([[call("act", {})], say("Done")])))
  )
})
