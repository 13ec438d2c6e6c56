/**
 * One catalog of tools for every provider. Each understands JSON Schema in a dialect of its own: here definitions are
 * written in that dialect, and what a model then sends is read back into arguments of the tools as they were registered.
 */
import type { Materialization } from "@haft/core/Materialization"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { explain, shownPath } from "./internal/incompatible.ts"
import { type LoweredTool, lowerTool } from "./internal/lowerTool.ts"
import type { Profile } from "./internal/modelProfile.ts"
import { readArguments } from "./internal/readArguments.ts"
import { UnfitSchema } from "./internal/unfitSchema.ts"
import { rejectUnknown } from "./internal/unknownCall.ts"

export type { Limits, Profile, Source } from "./internal/modelProfile.ts"
export { gemini } from "./internal/geminiProfile.ts"
export { anthropic, mcp, openaiCompatible } from "./internal/modelProfiles.ts"
export { openai, openaiStrict } from "./internal/openaiProfiles.ts"

/** A tool cannot be offered to a provider. Found before the request, which the provider would refuse as a whole. */
export class ModelCompatibilityError extends Schema.TaggedError<ModelCompatibilityError>()("ModelCompatibilityError", {
  tool: Schema.String,
  provider: Schema.String,
  /** Into the tool's input schema: `a.b.*.c`, where a star stands for every element or key. Empty for all of it. */
  path: Schema.String,
  reason: Schema.Literals([
    "TooManyTools",
    "NameTooLong",
    "TooManyProperties",
    "TooDeep",
    "TooManyEnumMembers",
    "TooMuchText",
    "EnumTooLong",
    "RecursiveSchemaTooLarge",
    "TooLarge",
    "Endless",
    "TwoReferences"
  ]),
  /** For the author: what is wrong and what to do about it. */
  message: Schema.String
}) {}

/** What to do about tools that cannot be offered. */
export interface Options {
  /** `stop`, which is the default, fails for the first of them. `leaveOut` goes on without them and says so. */
  readonly onIncompatible?: "stop" | "leaveOut"
}

/** Definitions for one provider, and the way back. */
export interface Prepared {
  /** In the order given, and the same objects for the same definitions. */
  readonly definitions: ReadonlyArray<ToolDefinition>
  /** Why each of the tools that are missing was left out. */
  readonly omitted: ReadonlyArray<ModelCompatibilityError>
  /** Arguments of a call as the tool itself takes them. What the model did not send in the dialect stays as it is. */
  readonly read: (name: string, input: unknown) => unknown
}

type Preparing = Result.Result<Prepared, ModelCompatibilityError>

const known = new WeakMap<ReadonlyArray<ToolDefinition>, WeakMap<Profile, Map<Options["onIncompatible"], Preparing>>>()

/** Writes definitions in the dialect of `profile`. Preparing the same definitions again costs nothing. */
export const prepare = (
  definitions: ReadonlyArray<ToolDefinition>,
  profile: Profile,
  { onIncompatible = "stop" }: Options = {}
): Preparing => {
  const byProfile = known.get(definitions) ?? new WeakMap()
  known.set(definitions, byProfile)
  const byPolicy = byProfile.get(profile) ?? new Map<Options["onIncompatible"], Preparing>()
  byProfile.set(profile, byPolicy)
  const prepared = byPolicy.get(onIncompatible) ?? make(definitions, profile, onIncompatible)
  byPolicy.set(onIncompatible, prepared)
  return prepared
}

const make = (
  definitions: ReadonlyArray<ToolDefinition>,
  profile: Profile,
  onIncompatible: Options["onIncompatible"]
): Preparing => {
  const tools: Array<LoweredTool> = []
  const omitted: Array<ModelCompatibilityError> = []
  for (const definition of definitions) {
    const lowered = isFull(tools, profile) ? Result.fail(tooMany(profile)) : lowerTool(definition, profile)
    if (Result.isSuccess(lowered)) tools.push(lowered.success)
    else omitted.push(incompatible(definition, profile, lowered.failure))
  }
  const [first] = omitted
  if (first !== undefined && onIncompatible === "stop") return Result.fail(first)
  const byName = new Map<string, LoweredTool>(tools.map((tool) => [tool.definition.name, tool]))
  return Result.succeed({
    definitions: tools.map(({ definition }) => definition),
    omitted,
    read: (name, input) => {
      const tool = byName.get(name)
      return tool === undefined ? input : readArguments(tool, input)
    }
  })
}

const isFull = (tools: ReadonlyArray<LoweredTool>, { limits }: Profile): boolean =>
  limits.tools !== undefined && tools.length >= limits.tools

const tooMany = ({ limits }: Profile): UnfitSchema =>
  new UnfitSchema({ _tag: "TooManyTools", limit: limits.tools ?? 0 })

const incompatible = ({ name }: ToolDefinition, { provider }: Profile, { path, reason }: UnfitSchema) =>
  new ModelCompatibilityError({
    tool: name,
    provider,
    path: shownPath(path),
    reason: reason._tag,
    message: explain(reason)
  })

/** A turn for one provider. */
export interface Adapted extends Materialization {
  /** Why each of the tools that are missing was left out. */
  readonly omitted: ReadonlyArray<ModelCompatibilityError>
}

/**
 * The same turn in the dialect of `profile`: calls are read before they are settled, and nothing else changes. A call of
 * a tool that was left out is one of an unknown tool.
 */
export const adapt = (
  materialization: Materialization,
  profile: Profile,
  options?: Options
): Result.Result<Adapted, ModelCompatibilityError> =>
  Result.map(prepare(materialization.definitions, profile, options), ({ definitions, omitted, read }) => {
    const unoffered = new Set(omitted.map(({ tool }) => tool))
    const offered = definitions.map(({ name }) => name)
    return {
      definitions,
      omitted,
      settle: (request) => {
        const { call } = request
        if (unoffered.has(call.name)) return rejectUnknown(request, offered)
        const input = read(call.name, call.input)
        return materialization.settle(input === call.input ? request : { ...request, call: { ...call, input } })
      }
    }
  })
