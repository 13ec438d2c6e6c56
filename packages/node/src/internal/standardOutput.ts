/** Writes to the process's output streams as Effects. */
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import type * as PlatformError from "effect/PlatformError"
import type { Writable } from "node:stream"
import { fromErrno } from "./platformError.ts"

/** Ends when the chunk has left the process. A reader that went away is a typed error, not a crash. */
export const write = (writable: Writable, module: string, method: string, chunk: string | Uint8Array) =>
  Effect.callback<void, PlatformError.PlatformError>((resume) => {
    writable.write(chunk, (error) => resume(error ? failure(writable, module, method, error) : Effect.void))
  })

/** Ends the stream after everything written before. A stream that has ended already is left alone. */
export const end = (writable: Writable, module: string, method: string) =>
  Effect.callback<void, PlatformError.PlatformError>((resume) => {
    if (writable.writableEnded) return resume(Effect.void)
    writable.end((error?: Error | null) => resume(error ? failure(writable, module, method, error) : Effect.void))
  })

// Node reports a failure to the callback and then again as an event, which ends the process if nobody listens.
const failure = (writable: Writable, module: string, method: string, error: Error) => {
  writable.on("error", constVoid)
  setImmediate(() => writable.off("error", constVoid))
  return Effect.fail(fromErrno(module, method)(error))
}
