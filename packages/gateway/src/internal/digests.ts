/** Digests of what calls and tools are. */
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as CallKey from "@haft/wire/CallKey"
import type * as Schema from "effect/Schema"
import { hash } from "node:crypto"

export const sha256 = (json: Schema.Json): string => sha256Text(CallKey.canonical(json))

export const sha256Text = (text: string): string => `sha256:${hash("sha256", text)}`

const digests = new WeakMap<ToolDefinition, string>()

/** Of what a model is shown: name, description and both schemas. Made once for each definition. */
export const digestOf = (definition: ToolDefinition): string => {
  const known = digests.get(definition)
  if (known !== undefined) return known
  const { description, inputSchema, name, outputSchema } = definition
  // Schemas are JSON documents, whatever their type says.
  const digest = sha256([name, description, inputSchema, outputSchema] as Schema.Json)
  digests.set(definition, digest)
  return digest
}
