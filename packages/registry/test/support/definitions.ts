/** Definitions of tools that nobody calls, and what a provider is shown of them. */
import { assert } from "@effect/vitest"
import { Tool, type ToolDefinition } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import { ModelCompatibility } from "@haft/registry"
import { Effect, type JsonSchema, Result, Schema } from "effect"

export const defined = (
  input: Tool.Codec,
  { description = "Test", name = "tool" } = {}
): ToolDefinition.ToolDefinition => {
  const tool = Tool.make({ description, input, output: Schema.Json, execute: () => Effect.succeed(null) })
  return Result.getOrThrow(Runtime.open(name, tool)).definition
}

export const imported = (inputSchema: JsonSchema.JsonSchema): ToolDefinition.ToolDefinition => {
  const tool = Tool.fromJsonSchema({ description: "Test", inputSchema, patterns: "apply", execute: Effect.succeed })
  return Result.getOrThrow(Runtime.open("tool", tool)).definition
}

/** As another registry could offer it: no tool of ours gets a schema that is too large or cannot be checked. */
export const offered = (inputSchema: JsonSchema.JsonSchema): ToolDefinition.ToolDefinition => ({
  ...defined(Schema.Struct({})),
  inputSchema
})

/** The one tool in a dialect, with a copy of what is read: objects that were read inherit nothing. */
export const inDialect = (definition: ToolDefinition.ToolDefinition, profile: ModelCompatibility.Profile) => {
  const { definitions, read } = Result.getOrThrow(ModelCompatibility.prepare([definition], profile))
  const [lowered] = definitions
  assert(lowered !== undefined)
  return {
    definition: lowered,
    schema: lowered.inputSchema,
    read: (input: unknown): unknown => structuredClone(read(definition.name, input))
  }
}

/** Why the one tool cannot be offered. */
export const refusal = (definition: ToolDefinition.ToolDefinition, profile: ModelCompatibility.Profile) =>
  Result.getOrThrow(Result.flip(ModelCompatibility.prepare([definition], profile)))
