/** What a model is told about a tool: derived once from its codecs, the same object in every turn. */
import type * as JsonSchema from "effect/JsonSchema"
import type * as Tool from "./Tool.ts"
import type { ToolName } from "./ToolName.ts"

export interface ToolDefinition {
  readonly name: ToolName
  readonly description: string
  /** Draft 2020-12, an object at the root. Every argument that it admits is one that the tool decodes. */
  readonly inputSchema: JsonSchema.JsonSchema
  /** Draft 2020-12, of any type. Clients such as MCP's check structured results with it. */
  readonly outputSchema: JsonSchema.JsonSchema
  readonly annotations: Tool.Annotations
}
