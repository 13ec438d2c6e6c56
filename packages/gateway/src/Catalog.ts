/**
 * Which build of a tool a call gets. A build holds the turn that settles it, so every attempt of a call runs the same one,
 * whatever is published meanwhile.
 */
import type { Materialization } from "@haft/core/Materialization"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Leaf from "@haft/wire/Leaf"
import { defaultFn } from "@haft/wire/Outcome"
import type { Manifest } from "@haft/wire/UicpManifest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { digestOf } from "./internal/digests.ts"
import { unknownTool } from "./internal/unknownTool.ts"
import * as Versions from "./Versions.ts"

/** One version of one function of a tool, ready to be called. */
export interface Build {
  readonly toolId: string
  readonly fn: string
  readonly version?: string
  /** Of the artifact, where a manifest names one; otherwise of the definition. */
  readonly digest: string
  readonly materialization: Materialization
  /** Under whose name the turn knows it. */
  readonly definition: ToolDefinition
  readonly manifest?: Manifest
}

/** What a request leads to, or why to nothing. */
export type Resolution = Result.Result<Build, Leaf.Leaf>

/** What a request says about the tool that it wants. */
export type Wanted = Pick<CallRequest, "toolName" | "toolId" | "fn" | "versionRange">

export interface Interface {
  readonly resolve: (wanted: Wanted) => Effect.Effect<Resolution>
}

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/Catalog") {}

/**
 * What is offered, by the names that it is registered under, in one version each: the one that annotations declare. Such a
 * tool has one function; whoever asks for another must not get this one.
 */
export const layer = (materialize: Effect.Effect<Materialization>): Layer.Layer<Service> =>
  Layer.succeed(Service, {
    resolve: (wanted) => Effect.map(materialize, (materialization) => resolveIn(materialization, wanted))
  })

const resolveIn = (materialization: Materialization, wanted: Wanted): Resolution => {
  const { fn, toolId, toolName, versionRange } = wanted
  const definition = definitionsOf(materialization).get(toolId ?? toolName)
  if (definition === undefined) return Result.fail(unknownTool(toolName))
  if (fn !== defaultFn) return Result.fail(unknownTool(`${definition.name}.${fn}`))
  const { version } = definition.annotations
  const digest = digestOf(definition)
  if (versionRange !== undefined && !isIn(versionRange, version, digest)) {
    const candidates = version === undefined ? [] : [version]
    return Result.fail(Leaf.make("Rejected.VersionUnresolved", { range: versionRange, candidates }))
  }
  const build = { toolId: definition.name, fn, digest, materialization, definition }
  return Result.succeed(version === undefined ? build : { ...build, version })
}

const indexes = new WeakMap<Materialization["definitions"], ReadonlyMap<string, ToolDefinition>>()

/** By name. Turns that offer the same have the same definitions, so one index serves them all. */
export const definitionsOf = ({ definitions }: Materialization): ReadonlyMap<string, ToolDefinition> => {
  const known = indexes.get(definitions)
  if (known !== undefined) return known
  const index = new Map(definitions.map((definition) => [definition.name, definition]))
  indexes.set(definitions, index)
  return index
}

/** A tool that declares no version is in no range but those of everything. */
const isIn = (range: string, version: string | undefined, digest: string): boolean => {
  if (anyVersion.has(range) || range === version) return true
  return version !== undefined && Result.isSuccess(Versions.choose([{ version, digest }], range))
}

const anyVersion = new Set([Versions.anyRange, ""])
