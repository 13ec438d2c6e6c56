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
import { passArguments, readArguments } from "./internal/readArguments.ts"
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

/** What a host may choose about a provider. */
export interface Options {
  /**
   * What to do about tools that cannot be offered. `stop`, which is the default, fails for the first of them. `leaveOut`
   * goes on without them and says so.
   */
  readonly onIncompatible?: "stop" | "leaveOut"
  /**
   * For a provider that escapes what its model writes: entities of HTML in the text of arguments are decoded, once, before
   * anything else reads it. Off by default, because a model may well mean to write `&amp;`.
   */
  readonly htmlEntities?: boolean
}

/** Definitions for one provider, and the way back. */
export interface Prepared {
  /** In the order given, and the same objects for the same definitions. */
  readonly definitions: ReadonlyArray<ToolDefinition>
  /** Why each of the tools that are missing was left out. */
  readonly omitted: ReadonlyArray<ModelCompatibilityError>
  /**
   * Arguments of a call as the tool itself takes them, to be the input of the call. What the model did not send in the
   * dialect stays as it is; text that is not plain JSON becomes an `ArgumentRepair.Foreign`.
   */
  readonly read: (name: string, input: unknown) => unknown
}

/** The same, and how a call is passed on to be settled. */
interface Turned extends Prepared {
  readonly pass: Prepared["read"]
}

type Preparing = Result.Result<Turned, ModelCompatibilityError>

const known = new WeakMap<ReadonlyArray<ToolDefinition>, WeakMap<Profile, Map<string, Preparing>>>()

/** Writes definitions in the dialect of `profile`. Preparing the same definitions again costs nothing. */
export const prepare: (
  definitions: ReadonlyArray<ToolDefinition>,
  profile: Profile,
  options?: Options
) => Result.Result<Prepared, ModelCompatibilityError> = (definitions, profile, options) =>
  turn(definitions, profile, options)

const turn = (
  definitions: ReadonlyArray<ToolDefinition>,
  profile: Profile,
  { htmlEntities = false, onIncompatible = "stop" }: Options = {}
): Preparing => {
  const byProfile = known.get(definitions) ?? new WeakMap()
  known.set(definitions, byProfile)
  const byOptions = byProfile.get(profile) ?? new Map<string, Preparing>()
  byProfile.set(profile, byOptions)
  const key = `${onIncompatible} ${htmlEntities}`
  const prepared = byOptions.get(key) ?? make(definitions, profile, { htmlEntities, onIncompatible })
  byOptions.set(key, prepared)
  return prepared
}

const make = (
  definitions: ReadonlyArray<ToolDefinition>,
  profile: Profile,
  { htmlEntities, onIncompatible }: Required<Options>
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
  const by = (read: typeof readArguments) => (name: string, input: unknown) => {
    const tool = byName.get(name)
    return tool === undefined ? input : read(tool, input, htmlEntities)
  }
  const offered = tools.map(({ definition }) => definition)
  return Result.succeed({ definitions: offered, omitted, read: by(readArguments), pass: by(passArguments) })
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
  Result.map(turn(materialization.definitions, profile, options), ({ definitions, omitted, pass }) => {
    const unoffered = new Set(omitted.map(({ tool }) => tool))
    const offered = definitions.map(({ name }) => name)
    return {
      definitions,
      omitted,
      settle: (request) => {
        const { call } = request
        if (unoffered.has(call.name)) return rejectUnknown(request, offered)
        const input = pass(call.name, call.input)
        return materialization.settle(input === call.input ? request : { ...request, call: { ...call, input } })
      }
    }
  })
