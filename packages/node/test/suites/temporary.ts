/** A scratch directory per test and short words for looking at it. */
import { Effect, FileSystem, Option, type PlatformError } from "effect"

/** The service and a directory that is gone after the test. */
export const scratch = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return { fs, dir: yield* fs.makeTempDirectoryScoped() }
})

/** A scratch directory with one file of this text. */
export const scratchFile = Effect.fnUntraced(function* (text: string) {
  const { dir, fs } = yield* scratch
  const file = `${dir}/file`
  yield* fs.writeFileString(file, text)
  return { fs, dir, file }
})

/** Why an operation failed. */
export const reasonOf = <A, R>(effect: Effect.Effect<A, PlatformError.PlatformError, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason._tag)

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const text = (value: Uint8Array | Option.Option<Uint8Array>): string =>
  new TextDecoder().decode(value instanceof Uint8Array ? value : Option.getOrThrow(value))
