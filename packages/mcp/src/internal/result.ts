/** A settlement as the result of an MCP call. */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import * as Settlement from "@haft/core/Settlement"
import * as ToolContent from "@haft/core/ToolContent"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as McpSchema from "effect/ai/McpSchema"
import * as Bounded from "./bounded.ts"
import * as OutputUri from "./outputUri.ts"
import { isStructured } from "./tool.ts"

type Block = McpSchema.CallToolResult["content"][number]

/** `links`: whether this server can be asked for kept outputs. */
export const resultOf = (
  settlement: Settlement.Settlement,
  definition: ToolDefinition | undefined,
  links: boolean
): McpSchema.CallToolResult =>
  new McpSchema.CallToolResult({
    content: [
      ...Settlement.content(settlement).map(blockOf),
      ...Settlement.warningLines(settlement.warnings).map((line) => blockOf(ToolContent.text(line))),
      ...(links ? settlement.managed.map(linkOf) : [])
    ],
    ...structuredOf(settlement, definition),
    ...(settlement._tag === "Succeeded" ? {} : { isError: true })
  })

const structuredOf = (settlement: Settlement.Settlement, definition: ToolDefinition | undefined) => {
  if (settlement._tag !== "Succeeded") return {}
  const { managed, output } = settlement
  if (definition?.outputSchema["type"] !== "object") return {}
  if (managed.length > 0) return { structuredContent: Bounded.contentOf(output.structured, managed) }
  return isStructured(definition, output.structured) ? { structuredContent: output.structured } : {}
}

const blockOf = (part: ToolContent.ToolContent): Block => {
  if (part._tag === "Text") return { type: "text", text: part.text }
  const { data, mimeType, name } = part
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType }
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType }
  return {
    type: "resource",
    resource: { uri: `haft://media/${encodeURIComponent(name ?? "file")}`, mimeType, blob: data }
  }
}

const linkOf = (ref: ManagedOutput.Ref): Block => ({
  type: "resource_link",
  uri: OutputUri.of(ref),
  name: ref,
  description: "The complete output"
})
