import { assert, describe, it } from "@effect/vitest"
import { type Event, Message, Model, ScriptedModel } from "@haft/runner"
import { Effect, Fiber, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Running from "./support/running.ts"

const { call, say } = ScriptedModel

const trouble = (reason: Model.Reason, retryAfterMs?: number) =>
  new Model.ModelError({
    provider: "test",
    reason,
    message: reason,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs })
  })

/** Fails with each error in turn after it has said something, then answers. */
const failing = (errors: ReadonlyArray<Model.ModelError>) =>
  Effect.map(Ref.make(errors), (left) =>
    Stream.unwrap(
      Effect.map(
        Ref.getAndUpdate(left, (errors) => errors.slice(1)),
        ([error]) =>
          error === undefined
            ? Stream.fromIterable([
                ...say("At last"),
                call("echo", {}),
                Model.Part.Finish({ stop: "calls", usage: Message.noUsage })
              ])
            : Stream.concat(Stream.fromIterable([...say("Half"), call("echo", {})]), Stream.fail(error))
      )
    )
  )

/** The events of a run whose first answer comes after these errors, with all the time in the world. */
const after = (errors: ReadonlyArray<Model.ModelError>) =>
  Effect.gen(function* () {
    const stream = yield* failing(errors)
    return yield* Effect.gen(function* () {
      yield* Running.register({ echo: Running.echo })
      const seen = yield* Ref.make<ReadonlyArray<Event.Event>>([])
      const fiber = yield* Running.run({ prompt: "Hello" }).pipe(
        Stream.runForEach((event) => Ref.update(seen, (events) => [...events, event])),
        Effect.result,
        Effect.forkChild
      )
      yield* TestClock.adjust("10 minutes")
      const result = yield* Fiber.join(fiber)
      return { result, events: yield* Ref.get(seen), messages: yield* Running.history }
    }).pipe(Effect.provide(Running.layer([stream, say("Done")])))
  })

const delaysIn = (events: ReadonlyArray<Event.Event>) =>
  events.flatMap((event) => (event._tag === "Retrying" ? [event.delayMs] : []))

describe("a model that fails", () => {
  it.effect("for a moment is asked again, and nothing of its half answers is kept or run", () =>
    Effect.gen(function* () {
      const { events, messages, result } = yield* after([
        trouble("Overloaded"),
        trouble("CutOff"),
        trouble("ServerError")
      ])
      assert.strictEqual(result._tag, "Success")
      const delays = delaysIn(events)
      assert.strictEqual(delays.length, 3)
      for (const [index, delayMs] of delays.entries()) {
        assert.isTrue(Math.abs(delayMs / (2_000 * 2 ** index) - 1) <= 0.25, `${delayMs}`)
      }
      assert.strictEqual(events.filter(({ _tag }) => _tag === "CallStarted").length, 1)
      const [, answer] = messages
      assert.isTrue(answer?._tag === "Assistant" && Message.textOf(answer) === "At last")
    })
  )

  it.effect("and says when to come back is asked then", () =>
    Effect.gen(function* () {
      const { events } = yield* after([trouble("RateLimited", 1_234)])
      assert.deepStrictEqual(delaysIn(events), [1_234])
    })
  )

  it.effect("and wants to be left alone for long is not waited for", () =>
    Effect.gen(function* () {
      const { events, result } = yield* after([trouble("RateLimited", 3_600_000)])
      assert.deepStrictEqual(delaysIn(events), [])
      assert(result._tag === "Failure" && result.failure._tag === "ModelError")
      assert.strictEqual(result.failure.retryAfterMs, 3_600_000)
    })
  )

  it.effect("again and again fails the run after four attempts, with the question on record", () =>
    Effect.gen(function* () {
      const { events, messages, result } = yield* after(Array.from({ length: 9 }, () => trouble("Unreachable")))
      assert(result._tag === "Failure" && result.failure._tag === "ModelError")
      assert.strictEqual(delaysIn(events).length, 3)
      assert.deepStrictEqual(
        messages.map(({ _tag }) => _tag),
        ["User"]
      )
    })
  )

  it.effect("for good is not asked again", () =>
    Effect.gen(function* () {
      for (const reason of ["Unauthorized", "OutOfQuota", "TooLong", "InvalidRequest"] as const) {
        const { events, result } = yield* after([trouble(reason)])
        assert.deepStrictEqual(delaysIn(events), [])
        assert.isTrue(result._tag === "Failure" && result.failure._tag === "ModelError")
      }
    })
  )

  it.effect("to say that it has finished was cut off, whoever implements it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Running.conclusion({ prompt: "Hello", limits: { attempts: 1 } }))
      assert(error._tag === "ModelError")
      assert.strictEqual(error.reason, "CutOff")
    }).pipe(Effect.provide(Running.layer([Stream.fromIterable(say("Half"))])))
  )

  it.effect("to hurry is waited for, word by word", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Running.conclusion({ prompt: "Hello" }))
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).text, "One two three")
    }).pipe(Effect.provide(Running.layer([say("One two three")], { delay: "1 second" })))
  )

  it.effect("because its script is too short says so", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Running.conclusion({ prompt: "Hello" }))
      assert.match(error.message, /^The script has 0 answers/)
    }).pipe(Effect.provide(Running.layer([])))
  )
})
