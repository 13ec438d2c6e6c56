import { assert } from "@effect/vitest"
import type { Tool } from "@haft/core"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect, Iterable, type JsonSchema, Schema } from "effect"
import { described, objects, transformed } from "./codecs.ts"
import { recursive } from "./documents.ts"
import { advertised, echo, holds } from "./echo.ts"
import { law } from "./law.ts"

/** Compiling two schemas for each value takes its time. */
const runs = 100

/** Enough to change each part of most values; a deep one has thousands. */
const maxVariants = 60

/** A value that fits, and others near it that mostly do not. */
function* variantsOf(value: unknown): Iterable<unknown> {
  yield value
  if (typeof value !== "object" || value === null) return yield* [null, 1.5, "text", [], {}]
  yield { ...value, more: 1 }
  for (const [key, child] of Object.entries(value)) {
    for (const variant of variantsOf(child))
      yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: variant })
    if (!Array.isArray(value)) yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key))
  }
}

const plain = (codec: Tool.Codec): JsonSchema.JsonSchema => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(codec, { onExcessProperty: "error" })
  return { ...schema, $defs: definitions }
}

const valuesOf = (codec: Tool.Codec): Arbitrary.Arbitrary<Schema.Json> =>
  Arbitrary.map(Arbitrary.schema(codec), Schema.encodeSync(Schema.toCodecJson(codec)))

const admitsTheSame = (codec: Tool.Codec) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const [before, after] = [ajv.compile(plain(codec)), ajv.compile(advertised(echo(codec)))]
  return (value: Schema.Json) =>
    Effect.sync(() => {
      assert.isTrue(before(value))
      for (const variant of Iterable.take(variantsOf(value), maxVariants)) {
        assert.strictEqual(after(variant), before(variant))
      }
    })
}

law("advertised-is-accepted", "what is said about a random tool's schema changes nothing about what it admits", () => {
  const presences = ["required", "optionalKey", "optional"] as const
  const codecs = objects({ leaves: { ...described, ...transformed }, presences, unions: true })
  const cases = Arbitrary.flatMap(codecs, (codec) => Arbitrary.map(valuesOf(codec), (value) => ({ codec, value })))
  return holds(cases, ({ codec, value }) => admitsTheSame(codec)(value), runs)
})

law("advertised-is-accepted", "what is said about a recursive schema changes nothing about what it admits", () =>
  Effect.forEach(recursive, (codec) => holds(valuesOf(codec), admitsTheSame(codec)), { discard: true })
)
