/** The files of plugins: which module a path stands for, and which state its files are in. */
import type { PluginFailure } from "@haft/plugin-api/PluginFailure"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import { createHash } from "node:crypto"
import * as Sentences from "./pluginSentences.ts"

/** How plugins get at files. */
export interface Disk {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
}

/** A plugin on disk. */
export interface Found {
  /** The module that is imported. */
  readonly file: string
  /** Another one as soon as a file of it changes. */
  readonly digest: string
}

/** What Node loads by itself. */
const extensions = [".ts", ".mts", ".js", ".mjs"]

/** More than any plugin has that was not put together from a whole project by mistake. */
const maxFiles = 2_000

/** A file is a plugin by itself; a directory is one if it has an index or a package.json that leads to a module. */
export const find = Effect.fnUntraced(function* (disk: Disk, target: string): Effect.fn.Return<Found, PluginFailure> {
  const info = yield* reading(target, disk.fs.stat(target))
  if (info.type !== "Directory") {
    if (!isModule(disk, target)) return yield* Sentences.notAModule(target)
    return { file: target, digest: yield* digestOf(disk, target, [target]) }
  }
  const file = yield* entryOf(disk, target)
  const files = yield* sourcesIn(disk, target)
  if (files.length > maxFiles) return yield* Sentences.tooManyFiles(target, maxFiles)
  return { file, digest: yield* digestOf(disk, target, files) }
})

/** What may be part of a program, and not what was installed beside it. Stops when it is too much. */
const sourcesIn = Effect.fnUntraced(function* (
  { fs, path }: Disk,
  root: string
): Effect.fn.Return<ReadonlyArray<string>, PluginFailure> {
  const [directories, files]: [Array<string>, Array<string>] = [[root], []]
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    for (const { name, type } of yield* reading(directory, fs.readDirectoryEntries(directory))) {
      if (type === "Directory" && isOwn(name)) directories.push(path.join(directory, name))
      if (type !== "Directory" && isSource(name)) files.push(path.join(directory, name))
    }
    if (files.length > maxFiles) return files
  }
  return files.toSorted()
})

const isOwn = (name: string): boolean => !name.startsWith(".") && name !== "node_modules"

const isSource = (name: string): boolean => /\.(?:[cm]?[jt]sx?|json)$/.test(name)

/** The names in a folder of plugins that stand for one. */
export const list = ({ fs, path }: Disk, folder: string): Effect.Effect<ReadonlyArray<string>, PluginFailure> =>
  Effect.map(reading(folder, fs.readDirectoryEntries(folder)), (entries) =>
    entries
      .filter(({ name, type }) => isCandidate(name) && (type !== "File" || isModule({ fs, path }, name)))
      .map(({ name }) => name)
      .toSorted()
  )

/** What begins with a dot or an underscore is for others, and declarations and tests are beside a plugin. */
const isCandidate = (name: string): boolean => !/^[._]|\.(?:d|test|spec)\.[a-z]+$/.test(name) && name !== "node_modules"

const isModule = ({ path }: Disk, file: string): boolean => extensions.includes(path.extname(file))

const entryOf = Effect.fnUntraced(function* (
  { fs, path }: Disk,
  directory: string
): Effect.fn.Return<string, PluginFailure> {
  const manifest = path.join(directory, "package.json")
  const named = (yield* fs.exists(manifest).pipe(Effect.orElseSucceed(() => false)))
    ? entryIn(yield* reading(manifest, fs.readFileString(manifest)))
    : undefined
  if (named !== undefined) return path.join(directory, named)
  const names = new Set(yield* reading(directory, fs.readDirectory(directory)))
  const index = extensions.map((extension) => `index${extension}`).find((name) => names.has(name))
  return index === undefined ? yield* Sentences.noEntry(directory) : path.join(directory, index)
})

/** The simple forms of `exports`, and `main`. */
const entryIn = (json: string): string | undefined => {
  const manifest = parsed(json)
  const exports = member(manifest, "exports")
  const entry = member(exports, ".") ?? exports
  const candidates = [member(entry, "import"), member(entry, "default"), entry, member(manifest, "main")]
  return candidates.find((candidate) => typeof candidate === "string")
}

const member = (value: unknown, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

/** What cannot be read names no module, and then there is still the index. */
const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const digestOf = Effect.fnUntraced(function* (
  { fs, path }: Disk,
  target: string,
  files: ReadonlyArray<string>
): Effect.fn.Return<string, PluginFailure> {
  const hash = createHash("sha256")
  for (const file of files) {
    const content = yield* reading(file, fs.readFile(file))
    hash.update(`${path.relative(target, file)}\0${content.length}\0`).update(content)
  }
  return hash.digest("hex").slice(0, digestLength)
})

/** Enough for no two states of one file to meet. */
const digestLength = 16

const reading = <A>(
  path: string,
  effect: Effect.Effect<A, PlatformError.PlatformError>
): Effect.Effect<A, PluginFailure> =>
  Effect.mapError(effect, ({ reason }) =>
    reason._tag === "NotFound" ? Sentences.nothingThere(path) : Sentences.unreadable(path, reason._tag)
  )
