/** A definition as MCP tells it. */
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as McpSchema from "effect/ai/McpSchema"
import * as Predicate from "effect/Predicate"
import * as Bounded from "./bounded.ts"

export const toolOf = (definition: ToolDefinition): McpSchema.Tool => {
  const { annotations, description, inputSchema, name, outputSchema } = definition
  return new McpSchema.Tool({
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    ...(annotations.title === undefined ? {} : { title: annotations.title }),
    ...(outputSchema["type"] === "object" ? { outputSchema: Bounded.schemaOf(outputSchema) } : {}),
    annotations: hintsOf(annotations)
  })
}

/** Hints for people and clients, from what the tool's author declared. What nobody declared is told as the worst case. */
const hintsOf = ({ capabilities, determinism, operations, title }: ToolDefinition["annotations"]) => {
  const isReading = operations !== undefined && operations.every((operation) => operation === "read")
  return {
    ...(title === undefined ? {} : { title }),
    readOnlyHint: determinism === "pure" || isReading,
    destructiveHint: operations === undefined || operations.some((operation) => operation !== "read"),
    idempotentHint: determinism !== undefined && determinism !== "side_effectful",
    openWorldHint: capabilities === undefined || capabilities.some((capability) => capability.startsWith("network"))
  }
}

/** Only objects are structured content in every version of the protocol. */
export const isStructured = (definition: ToolDefinition | undefined, value: unknown): value is object =>
  definition?.outputSchema["type"] === "object" && Predicate.isObject(value)
