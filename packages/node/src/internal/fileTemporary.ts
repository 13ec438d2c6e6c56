/** Temporary files and directories with names nobody can guess. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Crypto from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as NodePath from "node:path"
import { badArgument, change } from "./fileOperation.ts"

export const makeTempDirectory: FileSystem.FileSystem["makeTempDirectory"] = Effect.fnUntraced(function* (options) {
  yield* checkName("makeTempDirectory", "prefix", options?.prefix)
  const directory = options?.directory ?? Os.tmpdir()
  const prefix = NodePath.join(directory, options?.prefix ?? "effect-")
  return yield* change("makeTempDirectory", directory, () => Fs.mkdtemp(prefix))
})

export const makeTempDirectoryScoped: FileSystem.FileSystem["makeTempDirectoryScoped"] = (options) =>
  Effect.acquireRelease(makeTempDirectory(options), removeTree)

/** The file lies in a fresh directory of its own, which only this user may enter. */
export const makeTempFile: FileSystem.FileSystem["makeTempFile"] = Effect.fnUntraced(function* (options) {
  yield* checkName("makeTempFile", "suffix", options?.suffix)
  const directory = yield* makeTempDirectory(options)
  const path = NodePath.join(directory, `${Crypto.randomUUID()}${options?.suffix ?? ""}`)
  yield* change("makeTempFile", path, () => Fs.writeFile(path, "", { flag: "wx", mode: 0o600 })).pipe(
    Effect.onError(() => removeTree(directory))
  )
  return path
}, Effect.uninterruptible)

export const makeTempFileScoped: FileSystem.FileSystem["makeTempFileScoped"] = (options) =>
  Effect.acquireRelease(makeTempFile(options), (path) => removeTree(NodePath.dirname(path)))

// A separator would place the entry somewhere else than in the directory that was asked for.
const checkName = (
  method: string,
  option: string,
  value: string | undefined
): Effect.Effect<void, PlatformError.PlatformError> =>
  value === undefined || NodePath.basename(`x${value}x`) === `x${value}x`
    ? Effect.void
    : Effect.fail(badArgument(method, `${option} must not contain a path separator`))

// A finalizer has no error channel: a directory that cannot be removed is a defect, one that is gone is not.
const removeTree = (path: string) => Effect.promise(() => Fs.rm(path, { recursive: true, force: true }))
