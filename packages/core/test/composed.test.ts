import { assert, describe, it } from "@effect/vitest"
import type { Tool } from "@haft/core"
import { Arbitrary, Result, Schema, SchemaAST } from "effect"
import { advertiseInput, inputSchemaOf, outputSchemaOf } from "../src/internal/advertise.ts"
import { composed, type Part } from "../src/internal/composed.ts"
import { documentOf } from "../src/internal/schemaDocument.ts"
import { partOf } from "../src/internal/schemaPart.ts"

const Recursive: Schema.Codec<unknown> = Schema.Struct({ next: Schema.NullOr(Schema.suspend(() => Recursive)) })

const leaves: ReadonlyArray<Tool.Codec> = [
  Schema.String,
  Schema.String.annotate({ title: "A title" }),
  Schema.NonEmptyString,
  Schema.String.check(Schema.isMaxLength(3), Schema.isPattern(/^a/)),
  Schema.String.annotate({ description: "Before" }).check(Schema.isMaxLength(3)),
  Schema.Int,
  Schema.Finite,
  Schema.Int.annotate({ description: "A whole number" }),
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
  Schema.Boolean,
  Schema.Literals(["a", "b"]),
  Schema.Literal(3),
  Schema.NullOr(Schema.String),
  Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.Int })]),
  Schema.Union([Schema.String, Schema.Date], { mode: "oneOf" }),
  Schema.Struct({}),
  Schema.Struct({ 10: Schema.String, 2: Schema.Int, b: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ ["__proto__"]: Schema.String }),
  Schema.Record(Schema.String, Schema.Int),
  Schema.Tuple([Schema.String, Schema.optionalKey(Schema.Int)]),
  Schema.Array(Schema.Json),
  Schema.Array(Schema.String).check(Schema.isMinLength(1)),
  Schema.suspend(() => Schema.Boolean),
  Schema.Json,
  Schema.Date,
  Schema.FiniteFromString.annotate({ description: "A number as text" }),
  Schema.String.pipe(Schema.brand("Name")),
  Schema.flip(Schema.Struct({ a: Schema.String }).check(Schema.isMinProperties(1))),
  Schema.flip(Schema.Array(Schema.String).check(Schema.isMinLength(1)))
]

/** What cannot stand alone, or cannot stand at all. */
const others: ReadonlyArray<Tool.Codec> = [Recursive, Schema.Number, Schema.instanceOf(Map), Schema.Never]

const oneOf = <A>(values: ReadonlyArray<A>, other: A): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: values.length - 1 }))),
    (index) => values[index] ?? other
  )

type Change = (codec: Tool.Codec) => Tool.Codec

const unchanged: Change = (codec) => codec

const sayings: ReadonlyArray<Change> = [
  unchanged,
  unchanged,
  (codec) => codec.annotate({ description: "" }),
  (codec) => codec.annotate({ description: "Described", identifier: "Named" }),
  (codec) => codec.annotate({ description: "Described", examples: [] }),
  (codec) => codec.annotate({ "x-other": true })
]

const presences: ReadonlyArray<Change> = [
  unchanged,
  (codec) => Schema.optionalKey(codec),
  (codec) => Schema.optional(codec),
  (codec) => codec.annotateKey({ description: "Of the key" }),
  (codec) => Schema.optionalKey(codec).annotateKey({ description: "Of the key" }),
  (codec) => Schema.optionalKey(codec).annotateKey({ title: "Of the key", default: 1 }),
  (codec) => Schema.mutableKey(codec)
]

/** What a container is made of. */
type Kind = (parts: readonly [Tool.Codec, Tool.Codec]) => Tool.Codec

const kinds: ReadonlyArray<Kind> = [
  ([first]) => first,
  ([first, second]) => Schema.Struct({ first, second }),
  ([first]) => Schema.Array(first),
  ([first]) => Schema.mutable(Schema.Array(first)),
  ([first, second]) => Schema.Struct({ first, second }).check(Schema.isMinProperties(1))
]

const codecs = (depth: number): Arbitrary.Arbitrary<Tool.Codec> => {
  const leaf = oneOf([...leaves, ...leaves, ...leaves, ...others], Schema.String)
  const part = depth === 0 ? leaf : codecs(depth - 1)
  const bare =
    depth === 0
      ? leaf
      : Arbitrary.map(
          Arbitrary.all({ kind: oneOf(kinds, ([first]) => first), parts: Arbitrary.all([field(part), field(part)]) }),
          ({ kind, parts }) => kind(parts)
        )
  return Arbitrary.map(Arbitrary.all({ bare, say: oneOf(sayings, unchanged) }), ({ bare, say }) => say(bare))
}

const field = (part: Arbitrary.Arbitrary<Tool.Codec>): Arbitrary.Arbitrary<Tool.Codec> =>
  Arbitrary.map(Arbitrary.all({ codec: part, take: oneOf(presences, unchanged) }), ({ codec, take }) => take(codec))

const structs = Arbitrary.map(
  Arbitrary.all({ a: field(codecs(2)), b: field(codecs(1)), say: oneOf(sayings, unchanged) }),
  ({ a, b, say }) => say(Schema.Struct({ a, b }))
)

/** The whole at once. */
const written = (codec: Tool.Codec) => Result.flatMap(documentOf(codec), (document) => advertiseInput(document))

describe("a schema that is put together from its parts", () => {
  let [together, atOnce] = [0, 0]

  it.prop(
    "is the one of the whole, to the letter, or there is none and the whole is written or refused",
    [structs],
    ([codec]) => {
      const whole = written(codec)
      const schema = composed(codec.ast, partOf)
      assert.deepStrictEqual(inputSchemaOf(codec), whole)
      if (schema === undefined) return void atOnce++
      together++
      assert.isTrue(Result.isSuccess(whole), "what is refused is never put together")
      assert.strictEqual(JSON.stringify(schema), JSON.stringify(Result.getOrThrow(whole)))
      assert.isTrue(isFrozen(schema))
    },
    { arbitrary: { runs: 1_000 } }
  )

  it("is what most of those are", () => {
    assert.isAbove(together, atOnce)
    assert.isAbove(atOnce, 0)
  })

  it("is never deeper than what can be written at once", () => {
    const nested = (levels: number, wrap: Change): Tool.Codec =>
      Schema.Struct({ field: Array.from({ length: levels }).reduce<Tool.Codec>(wrap, Schema.String) })
    for (const wrap of [(codec: Tool.Codec) => Schema.Array(codec), (field: Tool.Codec) => Schema.Struct({ field })]) {
      assert.isDefined(composed(nested(100, wrap).ast, partOf))
      for (const levels of [200, 1_400, 4_000]) assert.isUndefined(composed(nested(levels, wrap).ast, partOf))
      assert.isTrue(Result.isFailure(inputSchemaOf(nested(4_000, wrap))))
    }
  })

  it("counts every value that is written: it has room for exactly what the whole has room for", () => {
    const Field = Schema.Struct({
      text: Schema.String.annotate({ description: "A text" }),
      list: Schema.optionalKey(Schema.Array(Schema.Struct({ limit: Schema.optionalKey(Schema.Int) })))
    })
    const fields = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`f${index}`, Field]))
    const padded = (more: number) =>
      Schema.Struct({
        ...fields,
        ...Object.fromEntries(Array.from({ length: more }, (_, index) => [`p${index}`, Schema.String]))
      })
    const fits = (more: number) => composed(padded(more).ast, partOf) !== undefined
    let [most, tooMany] = [0, 2_000]
    assert.deepStrictEqual([fits(most), fits(tooMany)], [true, false])
    while (tooMany - most > 1) {
      const middle = Math.floor((most + tooMany) / 2)
      if (fits(middle)) most = middle
      else tooMany = middle
    }
    assert.isTrue(Result.isSuccess(documentOf(padded(most))))
    assert.isTrue(Result.isFailure(documentOf(padded(tooMany))))
  })
})

describe("the parts of a thousand tools", () => {
  const count = (codecs: ReadonlyArray<Tool.Codec>): number => {
    let parts = 0
    for (const { ast } of codecs) {
      composed(ast, (part): Part | undefined => {
        parts++
        return partOf(part)
      })
    }
    return parts
  }

  it("are written for none of them where they are texts, truth values, and lists and structs of these", () => {
    const Plain = Schema.Struct({
      query: Schema.String.annotate({ description: "What to look for" }),
      deep: Schema.optionalKey(Schema.Boolean).annotateKey({ description: "In folders, too" }),
      paths: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String })))
    })
    assert.strictEqual(count([Plain]), 0)
  })

  it("are the same object for all that have the same checks", () => {
    const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
    const limited = Array.from({ length: 1_000 }, () => Schema.Struct({ limit: Schema.optionalKey(Limit) }))
    assert.strictEqual(count(limited), 1_000)
    const schemas = limited.map(({ ast }) => Object(composed(ast, partOf)?.["properties"])["limit"])
    assert.strictEqual(new Set(schemas).size, 1)
    assert.deepStrictEqual(schemas[0], { type: "integer", minimum: 1, maximum: 60 })
  })

  it("are one for a text and one for a number, whatever checks they share", () => {
    const { checks } = Schema.String.check(Schema.isMinLength(1)).ast
    const text = partOf(new SchemaAST.String(undefined, checks))
    assert.deepStrictEqual(text?.schema, { type: "string", minLength: 1 })
    assert.notDeepEqual(partOf(new SchemaAST.Number(undefined, checks))?.schema, text?.schema)
  })

  it("are known of the numbers that most tools have as they would be written", () => {
    for (const number of [Schema.Int, Schema.Finite]) {
      const [known, whole] = [inputSchemaOf(Schema.Struct({ number })), written(Schema.Struct({ number }))]
      assert.deepStrictEqual(known, whole)
      assert.strictEqual(inputSchemaOf(Schema.Struct({ number: Schema.optionalKey(number) }))._tag, "Success")
    }
  })
})

describe("the schema of an output", () => {
  it("is found once for all tools that share the codec", () => {
    const Output = Schema.Struct({ sum: Schema.Int })
    assert.strictEqual(outputSchemaOf(Output), outputSchemaOf(Output))
  })
})

const isFrozen = (value: unknown): boolean =>
  typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen))
