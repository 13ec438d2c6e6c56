/**
 * The process's standard input, shared by everything in this package that reads it. One reader at a time takes one
 * chunk at a time and gives back what it did not use, so nothing is lost or read twice between two readers.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as Semaphore from "effect/Semaphore"
import { Socket } from "node:net"
import { fromErrno } from "./platformError.ts"

// Module state, like `process.stdin` itself: two layers of one process still share one input.
const turn = Semaphore.makeUnsafe(1)
const returned: Array<Uint8Array> = []

/** Waits for the other readers; `nextChunk` belongs inside. */
export const inTurn: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = turn.withPermits(1)

/** The next reader gets these bytes before anything else. */
export const giveBack = (bytes: Uint8Array): void => {
  if (bytes.length > 0) returned.unshift(bytes)
}

/** The next bytes, or `Done` at the end of input. Between calls the input is paused and does not keep the process alive. */
export const nextChunk: Effect.Effect<Uint8Array, PlatformError.PlatformError | Cause.Done> = Effect.suspend(() => {
  const chunk = returned.shift()
  return chunk === undefined ? fromStream : Effect.succeed(chunk)
})

const fromStream = Effect.callback<Uint8Array, PlatformError.PlatformError | Cause.Done>((resume) => {
  const { stdin } = process
  const settle = (result: Effect.Effect<Uint8Array, PlatformError.PlatformError | Cause.Done>) => {
    stop()
    resume(result)
  }
  const onData = (chunk: Uint8Array) => settle(Effect.succeed(chunk))
  const onEnd = () => settle(Cause.done())
  const onError = (cause: unknown) => settle(Effect.fail(fromErrno("Stdio", "stdin")(cause)))
  const stop = () => {
    stdin.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onError).pause()
    keepAlive(false)
  }
  if (stdin.readableEnded || stdin.destroyed) return onEnd()
  keepAlive(true)
  stdin.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onError).resume()
  return Effect.sync(stop)
})

// A paused pipe still reads ahead into Node's buffer, which would hold the process. A file has no such handle.
const keepAlive = (alive: boolean): void => {
  if (!(process.stdin instanceof Socket)) return
  if (alive) process.stdin.ref()
  else process.stdin.unref()
}
