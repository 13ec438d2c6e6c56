import { assert } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect, Schema } from "effect"
import { described, objects, transformed } from "./codecs.ts"
import { documents, recursive } from "./documents.ts"
import { admittedBy, advertised, copy, echo, holds } from "./echo.ts"
import { law } from "./law.ts"

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

law("advertised-is-accepted", "every value made from a recursive tool's advertised schema decodes", () =>
  Effect.forEach(
    recursive,
    (codec) => {
      const tool = echo(codec)
      const admits = new Ajv2020({ strict: false }).compile(advertised(tool))
      return holds(
        admittedBy(advertised(tool)),
        Effect.fnUntraced(function* (input) {
          assert.isTrue(admits(input))
          yield* Testing.call(tool, input)
        })
      )
    },
    { discard: true }
  )
)

law("advertised-is-accepted", "every value made from an imported document decodes and comes back as it is", () =>
  Effect.forEach(
    documents,
    (inputSchema) => {
      const tool = Tool.fromJsonSchema({ description: "Echo", inputSchema, execute: Effect.succeed })
      const admits = new Ajv2020({ strict: false }).compile(inputSchema)
      return holds(
        admittedBy(inputSchema),
        Effect.fnUntraced(function* (input) {
          assert.isTrue(admits(input))
          const { output } = yield* Testing.call(tool, input)
          assert.deepStrictEqual(copy(output.structured), input)
        })
      )
    },
    { discard: true }
  )
)

/** A blank text in an optional field is left out where anything is repaired. */
const asItIs: Testing.Options = { repair: "strict" }

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
      const { output } = yield* Testing.call(tool, input, asItIs)
      assert.deepStrictEqual(copy(output.structured), input)
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
      const { input } = yield* Testing.call(echo(codec), copy(json), asItIs)
      assert.isTrue(Schema.toEquivalence(codec)(input, value))
    })
  )
})
