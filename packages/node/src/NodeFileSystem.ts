/**
 * Effect's `FileSystem` on `node:fs`. Interrupting a change waits until Node has stopped, so nothing on the disk moves
 * afterwards; interrupting a mere look abandons it. Arguments that Node would misread fail with `BadArgument`.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as NodeFs from "node:fs"
import * as Fs from "node:fs/promises"
import * as NodePath from "node:path"
import { open } from "./internal/fileHandle.ts"
import { toInfo, toType } from "./internal/fileInfo.ts"
import { attempt, badArgument, change, checkLength } from "./internal/fileOperation.ts"
import * as Temporary from "./internal/fileTemporary.ts"
import * as FileWatch from "./internal/fileWatch.ts"

const make = (backend: Option.Option<FileSystem.WatchBackend["Service"]>): FileSystem.FileSystem => {
  const files = FileSystem.make({
    access: (path, options) => attempt("access", path, () => Fs.access(path, accessMode(options))),
    chmod: (path, mode) => change("chmod", path, () => Fs.chmod(path, mode)),
    chown: (path, uid, gid) => change("chown", path, () => Fs.chown(path, uid, gid)),
    copy,
    copyFile: (from, to) => change("copyFile", from, () => Fs.copyFile(from, to)),
    link: (from, to) => change("link", from, () => Fs.link(from, to)),
    lstat: (path) => attempt("lstat", path, () => Fs.lstat(path, { bigint: true })).pipe(Effect.map(toInfo)),
    makeDirectory: (path, options) => change("makeDirectory", path, () => makeDirectory(path, options)),
    makeTempDirectory: Temporary.makeTempDirectory,
    makeTempDirectoryScoped: Temporary.makeTempDirectoryScoped,
    makeTempFile: Temporary.makeTempFile,
    makeTempFileScoped: Temporary.makeTempFileScoped,
    open,
    readDirectory: (path, options) => attempt("readDirectory", path, () => readDirectory(path, options)),
    readDirectoryEntries: (path) => attempt("readDirectoryEntries", path, () => readDirectoryEntries(path)),
    readFile: (path) => attempt("readFile", path, (signal) => readFile(path, signal)),
    readLink: (path) => attempt("readLink", path, () => Fs.readlink(path)),
    realPath: (path) => attempt("realPath", path, () => Fs.realpath(path)),
    remove: (path, options) => change("remove", path, () => remove(path, options)),
    rename: (from, to) => change("rename", from, () => Fs.rename(from, to)),
    stat,
    symlink: (target, path) => change("symlink", path, () => Fs.symlink(target, path)),
    truncate: (path, length = 0) =>
      Effect.andThen(
        checkLength("truncate", length),
        change("truncate", path, () => Fs.truncate(path, length))
      ),
    utimes,
    watch: (path, options) => watch(backend, path, options),
    writeFile: (path, data, options) =>
      change("writeFile", path, (signal) =>
        Fs.writeFile(path, data, { flag: options?.flag ?? "w", signal, ...mode(options) })
      )
  })
  return { ...files, stream: checkedStream(files.stream) }
}

/** Files of the machine the process runs on. A `WatchBackend` in the context replaces Node's watcher. */
export const layer: Layer.Layer<FileSystem.FileSystem> = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(Effect.serviceOption(FileSystem.WatchBackend), make)
)

type Options<Method extends keyof FileSystem.FileSystem> = FileSystem.FileSystem[Method] extends (
  path: string,
  options?: infer Value
) => unknown
  ? Value | undefined
  : never

const accessMode = (options: Options<"access">): number =>
  (options?.readable ? NodeFs.constants.R_OK : 0) | (options?.writable ? NodeFs.constants.W_OK : 0)

const mode = (options: { readonly mode?: number | undefined } | undefined) =>
  options?.mode === undefined ? {} : { mode: options.mode }

const copy: FileSystem.FileSystem["copy"] = (from, to, options) =>
  change("copy", from, (signal) =>
    Fs.cp(from, to, {
      recursive: true,
      verbatimSymlinks: true, // otherwise a relative link of the copy would point into the original
      force: options?.overwrite ?? false,
      preserveTimestamps: options?.preserveTimestamps ?? false,
      filter: () => {
        signal.throwIfAborted() // `cp` takes no signal; its filter is asked before every entry
        return true
      }
    })
  )

const makeDirectory = async (path: string, options: Options<"makeDirectory">): Promise<void> => {
  await Fs.mkdir(path, { recursive: options?.recursive ?? false, ...mode(options) })
}

// Node's own recursive listing of names follows links, out of the tree and round in circles.
const readDirectory = async (path: string, options: Options<"readDirectory">): Promise<Array<string>> => {
  if (options?.recursive !== true) return Fs.readdir(path)
  const entries = await Fs.readdir(path, { recursive: true, withFileTypes: true })
  return entries.map((entry) => NodePath.relative(path, NodePath.join(entry.parentPath, entry.name)))
}

const readDirectoryEntries = async (path: string): Promise<ReadonlyArray<FileSystem.DirectoryEntry>> => {
  const entries = await Fs.readdir(path, { withFileTypes: true })
  return entries.map((entry) => ({ name: entry.name, type: toType(entry) }))
}

// A plain view: `slice` of Node's Buffer would share its bytes where every other Uint8Array copies them.
const readFile = async (path: string, signal: AbortSignal): Promise<Uint8Array> => {
  const { buffer, byteLength, byteOffset } = await Fs.readFile(path, { signal })
  return new Uint8Array(buffer, byteOffset, byteLength)
}

const remove = (path: string, options: Options<"remove">): Promise<void> =>
  Fs.rm(path, { recursive: options?.recursive ?? false, force: options?.force ?? false })

const stat: FileSystem.FileSystem["stat"] = (path) =>
  attempt("stat", path, () => Fs.stat(path, { bigint: true })).pipe(Effect.map(toInfo))

const utimes: FileSystem.FileSystem["utimes"] = (path, atime, mtime) => {
  const [accessed, modified] = [toTime(atime), toTime(mtime)]
  return Number.isNaN(Number(accessed)) || Number.isNaN(Number(modified))
    ? Effect.fail(badArgument("utimes", "not a point in time"))
    : change("utimes", path, () => Fs.utimes(path, accessed, modified))
}

// Node takes negative seconds for "now", but a Date before 1970 for what it is.
const toTime = (time: Date | number): Date | number =>
  typeof time === "number" && time < 0 ? new Date(time * 1000) : time

const watch = (
  backend: Option.Option<FileSystem.WatchBackend["Service"]>,
  path: string,
  options: FileSystem.WatchOptions | undefined
) =>
  stat(path).pipe(
    Effect.map((info) =>
      Option.flatMap(backend, ({ register }) => register(path, info, options)).pipe(
        Option.getOrElse(() => FileWatch.watch(path, info, options))
      )
    ),
    Stream.unwrap
  )

/** `FileSystem.make` throws on sizes it cannot use, and takes a chunk size of zero for the end of the file. */
const checkedStream =
  (stream: FileSystem.FileSystem["stream"]): FileSystem.FileSystem["stream"] =>
  (path, options) => {
    const chunkSize = options?.chunkSize ?? 1
    if (!isSize(options?.bytesToRead)) return Stream.fail(badArgument("stream", "bytesToRead is not a number of bytes"))
    if (!isSize(options?.offset)) return Stream.fail(badArgument("stream", "offset is not a number of bytes"))
    return Number.isSafeInteger(chunkSize) && chunkSize > 0
      ? stream(path, options)
      : Stream.fail(badArgument("stream", "chunkSize is not a positive whole number"))
  }

const isSize = (size: ByteSize.Input | undefined): boolean =>
  size === undefined || Option.isSome(ByteSize.fromInput(size))
