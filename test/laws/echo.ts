/** Tools made from any codec, values for them, and properties that hold for all of these. */
import { assert } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import { Arbitrary, Effect, JsonSchema, Result, type Schema, SchemaRepresentation } from "effect"

/** A tool that returns its input. */
export const echo = (codec: Tool.Codec) =>
  Tool.make({ description: "Echo", input: codec, output: codec, execute: (input) => Effect.succeed(input) })

export const advertised = (tool: Tool.Any): JsonSchema.JsonSchema =>
  Result.getOrThrow(Runtime.open("tool", tool)).definition.inputSchema

/** Not through text: `JSON.parse` of Node 24 now and then misreads a key that is one escaped character. */
export const copy = (json: unknown): unknown => structuredClone(json)

const imported = (schema: JsonSchema.JsonSchema) =>
  SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12(schema), { patterns: "apply" })

/** Values that a JSON Schema admits, from the schema alone. */
export const admittedBy = (schema: JsonSchema.JsonSchema): Arbitrary.Arbitrary<unknown> =>
  Arbitrary.map(Arbitrary.schema(imported(schema)), copy)

/** The codec of a tool that is known only by its schema. */
export const codecOf = (schema: JsonSchema.JsonSchema): Tool.Codec =>
  imported(schema) as Schema.Schema<unknown> as Tool.Codec

/** Checks a property of many values, and shows the smallest that does not have it. */
export const holds = Effect.fnUntraced(function* <A>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, unknown>,
  runs = 300
) {
  const checked = Effect.fnUntraced(function* (value: A) {
    yield* property(value)
    return true
  })
  const result = yield* Arbitrary.checkEffect(arbitrary, checked, { runs })
  assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
})
