/** How `NodeFileSystem` runs Node's file promises, and what interruption means for them. */
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"
import { fromErrno } from "./platformError.ts"

/** Interruption abandons the operation. For those that leave the disk as it was: even a read of a silent pipe can end. */
export const attempt = <A>(method: string, path: string, run: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: fromErrno("FileSystem", method, path) })

/** Interruption asks the operation to stop and waits until it has, so that nothing on the disk changes afterwards. */
export const change = <A>(method: string, path: string, run: (signal: AbortSignal) => Promise<A>) =>
  Effect.callback<A, PlatformError.PlatformError>((resume, signal) => {
    const ended = run(signal).then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => resume(Effect.fail(fromErrno("FileSystem", method, path)(cause)))
    )
    return Effect.promise(() => ended)
  })

/** A mistake of the caller that Node itself would pass over or misread. */
export const badArgument = (method: string, description: string): PlatformError.PlatformError =>
  PlatformError.badArgument({ module: "FileSystem", method, description })

/** Node takes a negative length for zero, which would empty the file. */
export const checkLength = (method: string, length: number): Effect.Effect<void, PlatformError.PlatformError> =>
  Number.isSafeInteger(length) && length >= 0
    ? Effect.void
    : Effect.fail(badArgument(method, `length must be a whole number of bytes, not ${length}`))
