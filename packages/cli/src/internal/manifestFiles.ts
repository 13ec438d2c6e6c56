/** Manifests and their lock as files: `<directory>/<tool id>/tool.yaml`, and `<directory>/lock.yaml`. */
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Manifest from "@haft/gateway/Manifest"
import type { Lock, Manifest as ToolManifest } from "@haft/wire/UicpManifest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { OperationalError, UsageError } from "./faults.ts"
import * as Sentences from "./sentences.ts"

const manifestName = "tool.yaml"
const lockName = "lock.yaml"

export interface Manifests {
  readonly manifests: ReadonlyArray<ToolManifest>
  readonly lock: Option.Option<Lock>
}

/** Everything in a directory that has a manifest. One that does not fit is told with all that is wrong with it. */
export const manifestsIn = Effect.fnUntraced(function* (directory: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.orElseSucceed(fileSystem.readDirectory(directory), () => [])
  const manifests: Array<ToolManifest> = []
  for (const name of names.toSorted()) {
    const found = yield* readIn(path.join(directory, name, manifestName), Manifest.parse)
    if (Option.isSome(found)) manifests.push(found.value)
  }
  const lock = yield* readIn(path.join(directory, lockName), Manifest.parseLock)
  return { manifests, lock } satisfies Manifests
})

type Parse<A> = (text: string) => Result.Result<A, Manifest.InvalidFileError>

const readIn = Effect.fnUntraced(function* <A>(file: string, parse: Parse<A>) {
  const fileSystem = yield* FileSystem.FileSystem
  const exists = yield* Effect.orElseSucceed(fileSystem.exists(file), () => false)
  if (!exists) return Option.none<A>()
  const text = yield* Effect.mapError(
    fileSystem.readFileString(file),
    ({ message }) => new OperationalError({ message })
  )
  const parsed = parse(text)
  if (Result.isSuccess(parsed)) return Option.some(parsed.success)
  const { message, violations } = parsed.failure
  const faults = violations.map(({ expected, path }) => `${path}: ${expected ?? "is not right"}`)
  return yield* new UsageError(Sentences.badManifest(file, message, faults))
})

/** What was written, and what was there and left as it is. */
export interface Written {
  readonly written: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string>
}

export interface Writing {
  readonly directory: string
  readonly owner: string
  /** Whether manifests that are there are written anew. */
  readonly replace: boolean
  readonly isWanted: (definition: ToolDefinition) => boolean
}

/**
 * Writes a manifest and both schemas for each wanted tool that has none, and the lock of all that have one. What people
 * have written into a manifest stays, unless it is to be replaced.
 */
export const writeManifests = Effect.fnUntraced(
  function* (writing: Writing, definitions: ReadonlyArray<ToolDefinition>) {
    const path = yield* Path.Path
    const lockFile = path.join(writing.directory, lockName)
    const lock = yield* readIn(lockFile, Manifest.parseLock)
    const written: Array<string> = []
    const kept: Array<string> = []
    const published: Array<Manifest.Published> = []
    for (const definition of definitions) {
      const generated = Manifest.fromDefinition(definition, { owner: writing.owner })
      const folder = path.join(writing.directory, generated.tool_id)
      const file = path.join(folder, manifestName)
      const isWanted = writing.isWanted(definition)
      const existing = isWanted && writing.replace ? Option.none() : yield* readIn(file, Manifest.parse)
      if (Option.isSome(existing)) {
        const found = { manifest: existing.value, definition }
        if (isOther(found, lock)) return yield* new UsageError(Sentences.changedTool(file))
        published.push(found)
        kept.push(file)
      } else if (isWanted) {
        published.push({ manifest: generated, definition })
        yield* write(file, Manifest.format(generated))
        yield* write(path.join(folder, generated.schema.request), jsonText(definition.inputSchema))
        yield* write(path.join(folder, generated.schema.response), jsonText(definition.outputSchema))
        written.push(file)
      }
    }
    yield* write(lockFile, Manifest.format(yield* lockOf(published)))
    return { written: [...written, lockFile], kept } satisfies Written
  },
  Effect.catchTag("PlatformError", ({ message }) => Effect.fail(new OperationalError({ message })))
)

/** Whether it was locked in this very version, and was not the same then. */
const isOther = (found: Manifest.Published, lock: Option.Option<Lock>): boolean => {
  const locked = Option.getOrUndefined(lock)?.tools[found.manifest.tool_id]
  if (locked === undefined || locked.version !== found.manifest.semver) return false
  return locked.definition_digest !== Manifest.lockedOf(found, locked.range).definition_digest
}

const jsonText = (document: unknown): string => `${JSON.stringify(document, undefined, 2)}\n`

const lockOf = (published: ReadonlyArray<Manifest.Published>): Effect.Effect<Lock, UsageError> => {
  const ranges = Object.fromEntries(published.map(({ manifest }) => [manifest.tool_id, `^${manifest.semver}`]))
  return Effect.mapError(
    Effect.fromResult(Manifest.lock(published, ranges)),
    (refused) => new UsageError(Sentences.sameIds(Object.keys(refused)))
  )
}

const write = Effect.fnUntraced(function* (file: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true })
  yield* fileSystem.writeFileString(file, text)
})
