/** Effect's `File` on Node's `FileHandle`: a cursor of its own, closed with the Scope. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { constVoid } from "effect/Function"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import * as NodeFs from "node:fs"
import * as Fs from "node:fs/promises"
import { toInfo } from "./fileInfo.ts"
import { attempt, badArgument, checkLength } from "./fileOperation.ts"
import { fromErrno } from "./platformError.ts"

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = NodeFs.constants

const openFlags: Readonly<Record<FileSystem.OpenFlag, number>> = {
  r: O_RDONLY,
  "r+": O_RDWR,
  w: O_WRONLY | O_CREAT | O_TRUNC,
  wx: O_WRONLY | O_CREAT | O_TRUNC | O_EXCL,
  "w+": O_RDWR | O_CREAT | O_TRUNC,
  "wx+": O_RDWR | O_CREAT | O_TRUNC | O_EXCL,
  a: O_WRONLY | O_CREAT | O_APPEND,
  ax: O_WRONLY | O_CREAT | O_APPEND | O_EXCL,
  "a+": O_RDWR | O_CREAT | O_APPEND,
  "ax+": O_RDWR | O_CREAT | O_APPEND | O_EXCL
}

export const open: FileSystem.FileSystem["open"] = Effect.fnUntraced(function* (path, options) {
  const flag = options?.flag ?? "r"
  const flags = openFlags[flag] | (options?.noFollow === true ? yield* noFollow : 0)
  const handle = yield* Effect.acquireRelease(
    openHandle(path, flags, options?.mode),
    // A failed close may have lost written bytes, and a finalizer has no error channel: it dies.
    (opened) => Effect.promise(() => opened.close()),
    // Opening a FIFO for reading waits for its writer. Only an open that changes nothing may be left behind.
    { interruptible: flag === "r" }
  )
  return fromHandle({ path, handle, append: flag.startsWith("a"), cursor: 0n })
})

// Windows has no such flag, whatever its type says.
const noFollow = Effect.suspend(() =>
  O_NOFOLLOW === undefined
    ? Effect.fail(badArgument("open", "noFollow is not supported on this platform"))
    : Effect.succeed(O_NOFOLLOW)
)

const openHandle = (path: string, flags: number, mode: number | undefined) =>
  Effect.callback<Fs.FileHandle, PlatformError.PlatformError>((resume) => {
    const opening = Fs.open(path, flags, mode)
    opening.then(
      (handle) => resume(Effect.succeed(handle)),
      (cause: unknown) => resume(Effect.fail(fromErrno("FileSystem", "open", path)(cause)))
    )
    return Effect.sync(() => closeLate(opening))
  })

const closeLate = (opening: Promise<Fs.FileHandle>): void => {
  opening.then((handle) => handle.close()).then(constVoid, constVoid)
}

interface OpenFile {
  readonly path: string
  readonly handle: Fs.FileHandle
  readonly append: boolean
  cursor: bigint
}

const fromHandle = (file: OpenFile): FileSystem.File => ({
  [FileSystem.FileTypeId]: FileSystem.FileTypeId,
  stat: attempt("stat", file.path, () => file.handle.stat({ bigint: true })).pipe(Effect.map(toInfo)),
  sync: settled("sync", file, () => file.handle.sync()),
  seek: (offset, from) => seek(file, offset, from),
  read: (buffer, options) => read(file, buffer, options?.position),
  readAlloc: (size, options) => readAlloc(file, size, options?.position),
  truncate: (length) => truncate(file, length ?? 0),
  write: (buffer) => write(file, buffer),
  writeAll: (buffer) => writeAll(file, buffer)
})

/** Runs to its end: after an interruption nothing touches the caller's buffer or the file, and the cursor is true. */
const settled = <A>(method: string, file: OpenFile, run: () => Promise<A>) =>
  Effect.uninterruptible(attempt(method, file.path, run))

const seek = (file: OpenFile, offset: bigint, from: FileSystem.SeekMode) =>
  Effect.suspend(() => {
    const target = from === "start" ? offset : file.cursor + offset
    if (target < 0n) return Effect.fail(badArgument("seek", "the target lies before the start of the file"))
    file.cursor = target
    return Effect.succeed(target)
  })

const read = (file: OpenFile, buffer: Uint8Array, position: bigint | undefined) =>
  Effect.suspend(() => {
    // Node takes -1 for "the descriptor's own offset".
    if (position !== undefined && position < 0n) return Effect.fail(badArgument("read", "position is negative"))
    return settled("read", file, async () => {
      const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, position ?? file.cursor)
      if (position === undefined) file.cursor += BigInt(bytesRead)
      return bytesRead
    })
  })

const readAlloc = Effect.fnUntraced(function* (file: OpenFile, size: number, position: bigint | undefined) {
  yield* checkLength("readAlloc", size)
  const buffer = yield* allocate(size)
  const count = yield* read(file, buffer, position)
  return count === 0 ? Option.none<Uint8Array>() : Option.some(count === size ? buffer : buffer.slice(0, count))
})

const allocate = (size: number) =>
  Effect.try({
    try: () => new Uint8Array(size),
    catch: () => badArgument("readAlloc", `${size} bytes are more than can be allocated at once`)
  })

const truncate = Effect.fnUntraced(function* (file: OpenFile, length: number) {
  yield* checkLength("truncate", length)
  yield* settled("truncate", file, async () => {
    await file.handle.truncate(length)
    if (!file.append && file.cursor > length) file.cursor = BigInt(length)
  })
})

const write = (file: OpenFile, buffer: Uint8Array) =>
  Effect.suspend(() => {
    // Node writes at the descriptor's own offset when it cannot represent the position.
    if (!file.append && file.cursor > Number.MAX_SAFE_INTEGER) {
      return Effect.fail(badArgument("write", "the cursor is beyond the largest offset Node can write at"))
    }
    return settled("write", file, async () => {
      const position = file.append ? null : Number(file.cursor)
      const { bytesWritten } = await file.handle.write(buffer, 0, buffer.length, position)
      if (!file.append) file.cursor += BigInt(bytesWritten)
      return bytesWritten
    })
  })

const writeAll = Effect.fnUntraced(function* (file: OpenFile, buffer: Uint8Array) {
  let rest = buffer
  while (rest.length > 0) {
    const count = yield* write(file, rest)
    if (count === 0) return yield* Effect.fail(writeZero(file.path))
    rest = rest.subarray(count)
  }
})

const writeZero = (path: string) =>
  PlatformError.systemError({ _tag: "WriteZero", module: "FileSystem", method: "write", pathOrDescriptor: path })
