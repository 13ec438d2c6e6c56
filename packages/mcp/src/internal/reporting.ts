/** Reports of a running call as progress notifications, for a client that asked for them. */
import * as Progress from "@haft/core/Progress"
import type * as McpServer from "effect/ai/McpServer"
import * as McpSchema from "effect/ai/McpSchema"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"

/** A client that is slower than its tool misses the reports in between. */
const maxWaiting = 64

/** A result is not held back for longer than this by a client that does not take its reports. */
const lastWords = "1 second"

/** Runs a call, and sends its reports while it runs. The last of them arrive before its result. */
export const reporting = <A, E, R>(
  server: McpServer.McpServer["Service"],
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | McpSchema.McpRequestContext> =>
  Effect.flatMap(McpSchema.McpRequestContext, ({ requestMetadata }) => {
    const token = requestMetadata?.["progressToken"]
    return typeof token === "string" || typeof token === "number" ? withReports(server, token, call) : call
  })

const withReports = Effect.fnUntraced(function* <A, E, R>(
  server: McpServer.McpServer["Service"],
  progressToken: string | number,
  call: Effect.Effect<A, E, R>
) {
  const queue = yield* Queue.sliding<Progress.Update, Cause.Done>(maxWaiting)
  const counter = new Counter()
  const send = Effect.flatMap(Queue.take(queue), (update) =>
    server.notifications["notifications/progress"]({ progressToken, ...counter.next(update) })
  )
  const sender = yield* Effect.forkScoped(Effect.ignore(Effect.forever(send)), { startImmediately: true })
  const reporter: Progress.Interface = { report: (update) => Effect.asVoid(Queue.offer(queue, update)) }
  const result = yield* Effect.provideService(call, Progress.Service, reporter)
  yield* Queue.end(queue)
  yield* Effect.timeoutOption(Fiber.await(sender), lastWords)
  return result
}, Effect.scoped)

/** The protocol wants every report to be further than the one before. */
class Counter {
  #last = -1

  next({ completed, message, total }: Progress.Update) {
    const isFurther = completed !== undefined && completed > this.#last
    this.#last = isFurther ? completed : this.#last + 1
    return {
      progress: this.#last,
      ...(isFurther && total !== undefined ? { total } : {}),
      ...(message === undefined ? {} : { message })
    }
  }
}
