/** What repair makes of arguments, in a form that a table of cases can state. */
import { ArgumentRepair, type InvalidInput, type Tool } from "@haft/core"
import { JsonSchema, Result, type Schema, SchemaRepresentation } from "effect"

export type Repaired =
  | { readonly value: unknown; readonly kinds: ReadonlyArray<string> }
  | { readonly violations: ReadonlyArray<string> }

/** A schema from its JSON Schema, with patterns applied and marks kept. */
export const codecOf = (schema: JsonSchema.JsonSchema): Tool.Codec =>
  SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12(schema), {
    patterns: "apply",
    includeAnnotationKey: (keyword) => keyword.startsWith("x-")
  }) as Schema.Schema<unknown> as Tool.Codec

/** A closed object. Fields whose names end in `?` are optional. */
export const object = (fields: Readonly<Record<string, JsonSchema.JsonSchema>>): JsonSchema.JsonSchema => ({
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name.replace(/\?$/, ""), field])),
  required: Object.keys(fields).filter((name) => !name.endsWith("?"))
})

export const attempt = (codec: Tool.Codec, input: unknown, level?: ArgumentRepair.Level, name = "tool") =>
  ArgumentRepair.repair(ArgumentRepair.plan(codec, level === undefined ? {} : { level }), name, input)

/** The repaired value with each change as `path kind`, or each violation as `path code`. */
export const repaired = (codec: Tool.Codec, input: unknown, level?: ArgumentRepair.Level, name?: string): Repaired =>
  Result.match(attempt(codec, input, level, name), {
    onSuccess: ({ value, warnings }) => ({
      value: JSON.parse(JSON.stringify(value)),
      kinds: warnings.map(({ kind, path }) => `${path} ${kind}`.trimStart())
    }),
    onFailure: (error) => ({ violations: violationsOf(error) })
  })

export const violationsOf = ({ violations }: InvalidInput.InvalidInput): ReadonlyArray<string> =>
  violations.map(({ code, path }) => `${path} ${code}`.trimStart())

/** One required field `x`, what is sent for it, and what becomes of it: its value and the kind, or a code. */
export const atX = (field: JsonSchema.JsonSchema, sent: unknown, level?: ArgumentRepair.Level): unknown => {
  const result = attempt(codecOf(object({ x: field })), { x: sent }, level)
  if (Result.isFailure(result)) return violationsOf(result.failure).join(", ")
  const kinds = result.success.warnings.map(({ kind }) => kind)
  const { x } = result.success.value
  return kinds.length === 0 ? { kept: JSON.parse(JSON.stringify(x)) } : [JSON.parse(JSON.stringify(x)), ...kinds]
}
