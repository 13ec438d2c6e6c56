import { assert } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import * as Testing from "@haft/core/testing"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect, JsonSchema, Result, Schema, SchemaRepresentation } from "effect"
import { described, objects, transformed } from "./codecs.ts"
import { law } from "./law.ts"

const echo = (codec: Tool.Codec) =>
  Tool.make({ description: "Echo", input: codec, output: codec, execute: (input) => Effect.succeed(input) })

const advertised = (tool: Tool.Any): JsonSchema.JsonSchema =>
  Result.getOrThrow(Runtime.open("tool", tool)).definition.inputSchema

/** Values that a JSON Schema admits, from the schema alone. */
const admittedBy = (schema: JsonSchema.JsonSchema): Arbitrary.Arbitrary<unknown> =>
  Arbitrary.map(
    Arbitrary.schema(SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12(schema))),
    (value): unknown => JSON.parse(JSON.stringify(value))
  )

const holds = Effect.fnUntraced(function* <A>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, unknown>
) {
  const checked = Effect.fnUntraced(function* (value: A) {
    yield* property(value)
    return true
  })
  const result = yield* Arbitrary.checkEffect(arbitrary, checked, { runs: 300 })
  assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
})

const presences = ["required", "optionalKey", "optional"] as const

/** A tool, and arguments that its advertised schema admits. */
const calls = Arbitrary.flatMap(objects({ leaves: described, presences, unions: true }), (codec) => {
  const tool = echo(codec)
  return Arbitrary.map(admittedBy(advertised(tool)), (input) => ({ tool, input }))
})

law("advertised-is-accepted", "every value made from a random tool's advertised schema decodes", () => {
  const ajv = new Ajv2020({ strict: false })
  return holds(
    calls,
    Effect.fnUntraced(function* ({ input, tool }) {
      assert.isTrue(ajv.validate(advertised(tool), input), "an independent validator agrees that it is admitted")
      yield* Testing.call(tool, input)
    })
  )
})

law("codec-boundary", "JSON that was decoded encodes to the same JSON where the codec is JSON already", () => {
  const plain = Arbitrary.flatMap(
    objects({ leaves: described, presences: ["required", "optionalKey"], unions: true }),
    (codec) => {
      const tool = echo(codec)
      return Arbitrary.map(admittedBy(advertised(tool)), (input) => ({ tool, input }))
    }
  )
  return holds(
    plain,
    Effect.fnUntraced(function* ({ input, tool }) {
      const { output } = yield* Testing.call(tool, input)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(output.structured)), input)
    })
  )
})

law("codec-boundary", "a value that was encoded decodes to the same value, dates and bytes included", () => {
  const values = Arbitrary.flatMap(
    objects({ leaves: { ...described, ...transformed }, presences: ["required", "optionalKey"], unions: false }),
    (codec) => Arbitrary.map(Arbitrary.schema(codec), (value) => ({ codec, value }))
  )
  return holds(
    values,
    Effect.fnUntraced(function* ({ codec, value }) {
      const json = yield* Schema.encodeEffect(Schema.toCodecJson(codec))(value)
      const { input } = yield* Testing.call(echo(codec), JSON.parse(JSON.stringify(json)))
      assert.isTrue(Schema.toEquivalence(codec)(input, value))
    })
  )
})
