/**
 * Structured content of a result that was too large. Clients check structured content against the tool's output schema, so
 * the schema admits, besides the output itself, a preview that says what it is.
 */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import type * as JsonSchema from "effect/JsonSchema"
import type * as Schema from "effect/Schema"

const previewSchema: JsonSchema.JsonSchema = {
  type: "object",
  description: "Stands for an output that was too large. The complete output is behind the references.",
  properties: {
    haft_preview: { description: "The output with parts left out" },
    haft_outputs: { type: "array", items: { type: "string" } }
  },
  required: ["haft_preview", "haft_outputs"],
  additionalProperties: false
}

/** References into the definitions of a schema start at its root, so these stay there. */
export const schemaOf = ({
  $defs,
  ...output
}: JsonSchema.JsonSchema): JsonSchema.JsonSchema & { readonly type: "object" } => ({
  type: "object",
  anyOf: [output, previewSchema],
  ...($defs === undefined ? {} : { $defs })
})

export const contentOf = (preview: Schema.Json, refs: ReadonlyArray<ManagedOutput.Ref>): Schema.JsonObject => ({
  haft_preview: preview,
  haft_outputs: refs
})
