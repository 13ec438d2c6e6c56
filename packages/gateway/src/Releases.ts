/** A catalog of tools that are published in versions: manifests say what they are, and a lock which of them may run. */
import type { Materialization } from "@haft/core/Materialization"
import * as Leaf from "@haft/wire/Leaf"
import type { Lock, Manifest as ToolManifest } from "@haft/wire/UicpManifest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Catalog from "./Catalog.ts"
import { unknownTool } from "./internal/unknownTool.ts"
import * as Manifest from "./Manifest.ts"
import * as Versions from "./Versions.ts"

/** One version of a tool, and where its functions are registered. */
export interface Release {
  readonly manifest: ToolManifest
  /** Names in the turn, by function. */
  readonly functions: Readonly<Record<string, string>>
  readonly materialize: Effect.Effect<Materialization>
}

/** What a catalog offers at a moment. */
export interface Options {
  /** Read for each call, so that what is published is offered from then on. */
  readonly releases: Effect.Effect<ReadonlyArray<Release>>
  /** Without one, the highest version of a range runs. */
  readonly lock?: Lock
}

/** Resolves requests among releases: by tool id, version range, lock and function. */
export const layer = (options: Options): Layer.Layer<Catalog.Service> =>
  Layer.succeed(Catalog.Service, { resolve: (wanted) => resolve(options, wanted) })

const resolve = Effect.fnUntraced(function* (
  { lock, releases }: Options,
  wanted: Catalog.Wanted
): Effect.fn.Return<Catalog.Resolution> {
  const toolId = wanted.toolId ?? wanted.toolName
  const { fn, versionRange: range = Versions.anyRange } = wanted
  const offered = (yield* releases).filter(({ manifest }) => manifest.tool_id === toolId)
  if (offered.length === 0) return unknown(wanted.toolName)
  const locked = lock !== undefined && Object.hasOwn(lock.tools, toolId) ? lock.tools[toolId] : undefined
  const builds = offered.map((release) => ({
    release,
    version: release.manifest.semver,
    digest: release.manifest.digest
  }))
  const chosen = Versions.choose(builds, range, locked)
  if (Result.isFailure(chosen)) return unresolved(range, chosen.failure)
  const { functions, manifest, materialize } = chosen.success.release
  const materialization = yield* materialize
  const name = Object.hasOwn(functions, fn) ? functions[fn] : undefined
  const definition = name === undefined ? undefined : Catalog.definitionsOf(materialization).get(name)
  if (definition === undefined) return unknown(`${toolId}.${fn}`)
  if (locked !== undefined && !isLocked(locked, Manifest.lockedOf({ manifest, definition }, locked.range), fn)) {
    return unresolved(range, { reason: "lock_mismatch", candidates: [manifest.semver] })
  }
  const { digest, semver: version } = manifest
  return Result.succeed({ toolId, fn, version, digest, materialization, definition, manifest })
})

const unknown = (name: string): Catalog.Resolution => Result.fail(unknownTool(name))

const unresolved = (range: string, { candidates, reason }: Versions.Unresolved): Catalog.Resolution =>
  Result.fail(Leaf.make("Rejected.VersionUnresolved", { range, candidates, details: { reason } }))

/** A lock has the definition of one function: of the first that the tool had. */
const isLocked = (locked: Lock["tools"][string], found: typeof locked, fn: string): boolean =>
  locked.manifest_digest === found.manifest_digest &&
  (fn !== lockedFunction || locked.definition_digest === found.definition_digest)

/** The function whose definition a lock pins. */
const lockedFunction = "invoke"
