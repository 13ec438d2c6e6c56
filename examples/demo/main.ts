/** What a typed tool is, and the ways in which a call of it can end. */
import * as Testing from "@haft/core/testing"
import { NodeRuntime } from "@haft/node"
import { Cause, Console, Deferred, Effect, Exit, Fiber } from "effect"
import { daysBetween, watch } from "./tools.ts"

const program = Effect.gen(function* () {
  yield* title("A tool is made from two codecs and an executor. This is what a model is told about it:")
  const { definition } = yield* Testing.call(
    daysBetween,
    { from: "2026-01-01", to: "2026-01-01" },
    { name: "days_between" }
  )
  yield* show(definition)

  yield* title("A good call. The dates were decoded, the result was encoded and projected:")
  yield* call({ from: "2026-01-01", to: "2026-12-31" })

  yield* title("A bad call. Everything wrong with it is said at once, and the executor did not run:")
  yield* call({ from: "soon", until: "2026-12-31" })

  yield* title("A call that fails in a way the tool expected. The model reads what happened and what to do:")
  yield* call({ from: "2026-12-31", to: "2026-01-01" })

  yield* title("A call that is interrupted. There is no result, and what the tool held was released:")
  yield* interrupted
})

/** Prints how a call ended, whichever way that was. */
const call = (input: unknown) =>
  Testing.call(daysBetween, input).pipe(
    Effect.map(({ output }) => ({ succeeded: output })),
    Effect.catchTags({
      InvalidInput: ({ message, violations }) => Effect.succeed({ rejected: { violations, message } }),
      ToolFailure: ({ field, hint, message, reason }) => Effect.succeed({ failed: { reason, message, hint, field } })
    }),
    Effect.flatMap((ended) => Effect.andThen(Console.log(`arguments: ${JSON.stringify(input)}`), show(ended)))
  )

const interrupted = Effect.gen(function* () {
  const released = yield* Deferred.make<void>()
  const tool = watch(Effect.asVoid(Deferred.succeed(released, undefined)))
  const fiber = yield* Effect.forkChild(Testing.call(tool, {}), { startImmediately: true })
  yield* Fiber.interrupt(fiber)
  const exit = yield* Fiber.await(fiber)
  yield* show({
    interrupted: Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause),
    released: yield* Deferred.isDone(released)
  })
})

const title = (text: string) => Console.log(`\n# ${text}`)

const show = (value: object) => Console.log(JSON.stringify(value, undefined, 2))

NodeRuntime.runMain(program)
