/** The parent's ends of the pipes to a child, as Effect streams and sinks. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import type * as Pull from "effect/Pull"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { Readable, Writable } from "node:stream"
import { fromErrno } from "./platformError.ts"

export type Bytes = Stream.Stream<Uint8Array, PlatformError.PlatformError>
export type Input = Sink.Sink<void, Uint8Array, never, PlatformError.PlatformError>

type Next = Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, PlatformError.PlatformError>

/**
 * Must be called in the tick of the spawn. When the child exits, Node resumes its pipes and so throws away what nobody
 * has read, except where somebody listens for `readable`. That listener stays: removing one while a resume is pending
 * makes the pipe flow. Node itself reads no further than one buffer ahead.
 */
export const readFrom = (readable: Readable, name: string): Bytes => {
  const waiting = new Set<() => void>()
  const wake = () => waiting.forEach((check) => check())
  for (const event of ["readable", "end", "error", "close"]) readable.on(event, wake)
  return Stream.fromPull(Effect.succeed(pullFrom(readable, name, waiting)))
}

const pullFrom = (readable: Readable, name: string, waiting: Set<() => void>): Next =>
  Effect.callback((resume) => {
    const check = () => {
      const next = nextOf(readable, name)
      if (next === undefined) return
      waiting.delete(check)
      resume(next)
    }
    waiting.add(check)
    check()
    return Effect.sync(() => waiting.delete(check))
  })

const nextOf = (readable: Readable, name: string): Next | undefined => {
  const chunk: Uint8Array | null = readable.read()
  if (chunk !== null) return Effect.succeed(Arr.of(chunk))
  if (readable.readableEnded || isReset(readable.errored)) return Cause.done()
  if (readable.errored !== null) return Effect.fail(fromErrno("ChildProcess", name)(readable.errored))
  return readable.destroyed ? Effect.fail(closed(name)) : undefined
}

/** A child that exits without having read all its input resets a pipe that goes both ways; for a reader it ended. */
const isReset = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "ECONNRESET"

const closed = (name: string) =>
  PlatformError.systemError({
    _tag: "BadResource",
    module: "ChildProcess",
    method: name,
    description: "closed before its end was read"
  })

/** Ends the pipe only after success, because a child takes the end of its input for the end of the data. */
export const writeTo = (writable: Writable, name: string, endOnDone: boolean): Input => {
  const sink = Sink.forEach((chunk: Uint8Array) => write(writable, name, chunk))
  return endOnDone ? Sink.mapEffect(sink, () => end(writable)) : sink
}

/** Fails only when the source does. A child may stop reading early; that is its choice and shows in its exit code. */
export const feed = (source: Bytes, writable: Writable, endOnDone: boolean) =>
  source.pipe(
    Stream.mapEffect((chunk) => Effect.isSuccess(write(writable, "stdin", chunk))),
    Stream.takeWhile(identity),
    Stream.runDrain,
    Effect.andThen(endOnDone ? end(writable) : Effect.void)
  )

const end = (writable: Writable) => Effect.sync(() => void writable.end())

/** Node calls back once the chunk is flushed, which is the back-pressure. */
const write = (writable: Writable, name: string, chunk: Uint8Array) =>
  Effect.callback<void, PlatformError.PlatformError>((resume) => {
    writable.write(chunk, (error) => resume(error ? Effect.fail(fromErrno("ChildProcess", name)(error)) : Effect.void))
  })
