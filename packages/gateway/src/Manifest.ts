/** The files `tool.yaml` and `lock.yaml` of a project: read with everything that is wrong told, and written from tools. */
import * as JsonDecoder from "@haft/core/JsonDecoder"
import { Violation } from "@haft/core/InvalidInput"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import { type Locked, Lock, Manifest } from "@haft/wire/UicpManifest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Yaml from "yaml"
import { compact } from "./internal/compact.ts"
import { determinismOf } from "./internal/determinism.ts"
import { digestOf, sha256 } from "./internal/digests.ts"
import * as Versions from "./Versions.ts"

/** The text is no such file. */
export class InvalidFileError extends Schema.TaggedError<InvalidFileError>()("Manifest.InvalidFileError", {
  file: Schema.Literals(["tool.yaml", "lock.yaml"]),
  /** What is wrong with the YAML, or nothing if it is YAML. */
  message: Schema.String,
  violations: Schema.Array(Violation)
}) {}

const decodeManifest = JsonDecoder.make(Manifest)
const decodeLock = JsonDecoder.make(Lock)

/** A manifest is a page; a longer text is something else. */
const maxLength = 1024 * 1024

/** Reads one `tool.yaml`. */
export const parse = (text: string): Result.Result<Manifest, InvalidFileError> =>
  read("tool.yaml", text, decodeManifest)

/** Reads a `lock.yaml`. */
export const parseLock = (text: string): Result.Result<Lock, InvalidFileError> => read("lock.yaml", text, decodeLock)

type Decode<A> = (document: unknown) => Result.Result<A, { readonly violations: ReadonlyArray<Violation> }>

const read = <A>(
  file: InvalidFileError["file"],
  text: string,
  decode: Decode<A>
): Result.Result<A, InvalidFileError> => {
  const invalid = (message: string, violations: ReadonlyArray<Violation> = []) =>
    new InvalidFileError({ file, message, violations })
  if (text.length > maxLength) return Result.fail(invalid("the file is too large"))
  // Aliases are not followed: a few of them can stand for more text than there is memory.
  const document = Result.try({
    try: (): unknown => Yaml.parse(text, { maxAliasCount: 0, uniqueKeys: true, prettyErrors: true }),
    catch: (error) => invalid(error instanceof Error ? error.message : "not YAML")
  })
  return Result.flatMap(document, (value) =>
    Result.mapError(decode(value), ({ violations }) => invalid(`${file} does not fit its schema`, violations))
  )
}

/** Writes either file. Keys stand in the order in which they were given. */
export const format = (file: Manifest | Lock): string => Yaml.stringify(file)

/** What a definition does not say about its tool. */
export interface About {
  readonly owner: string
  /** Permanent. The name, unless it is another one. */
  readonly toolId?: string
  /** Of the artifact. That of the definition, unless there is one. */
  readonly digest?: string
}

const firstVersion = "0.1.0"
const defaultTimeoutMs = 15_000
const maxTimeoutMs = 60_000

/** The manifest that a tool's annotations declare, to begin with. */
export const fromDefinition = (definition: ToolDefinition, { digest, owner, toolId }: About): Manifest => {
  const { capabilities, limits, operations, risk, version } = definition.annotations
  const id = toolId ?? definition.name.toLowerCase()
  return {
    tool_id: id,
    semver: version ?? firstVersion,
    digest: digest ?? digestOf(definition),
    owner,
    description: definition.description,
    determinism: determinismOf(definition),
    limits: compact({
      timeout_ms_default: Math.min(limits?.timeoutMs ?? defaultTimeoutMs, defaultTimeoutMs),
      timeout_ms_max: limits?.timeoutMs ?? maxTimeoutMs,
      concurrency_max: limits?.concurrency
    }),
    schema: { request: `${id}.request.json`, response: `${id}.response.json` },
    "x-haft": compact({ risk_level: risk, operation_classes: operations, capability_labels: capabilities })
  }
}

/** A manifest with the definition that it is about. */
export interface Published {
  readonly manifest: Manifest
  readonly definition: ToolDefinition
}

/** Chooses a build for each tool and pins it. Fails with the tools for which there is none. */
export const lock = (
  published: ReadonlyArray<Published>,
  ranges: Readonly<Record<string, string>>
): Result.Result<Lock, Readonly<Record<string, Versions.Unresolved>>> => {
  const chosen = Object.entries(ranges).map(([toolId, range]) => {
    const builds = published
      .filter(({ manifest }) => manifest.tool_id === toolId)
      .map((published) => ({ published, version: published.manifest.semver, digest: published.manifest.digest }))
    return [toolId, Result.map(Versions.choose(builds, range), ({ published }) => lockedOf(published, range))] as const
  })
  const refused = chosen.flatMap(([toolId, result]) =>
    Result.isFailure(result) ? [[toolId, result.failure] as const] : []
  )
  if (refused.length > 0) return Result.fail(Object.fromEntries(refused))
  const tools = chosen.flatMap(([toolId, result]) =>
    Result.isSuccess(result) ? [[toolId, result.success] as const] : []
  )
  return Result.succeed({ lock_version: 1, tools: Object.fromEntries(tools) })
}

/** Everything that has to be the same for a build to be the one that was locked. */
export const lockedOf = ({ definition, manifest }: Published, range: string): Locked => ({
  range,
  version: manifest.semver,
  digest: manifest.digest,
  manifest_digest: sha256(manifest as Schema.Json),
  definition_digest: digestOf(definition)
})
