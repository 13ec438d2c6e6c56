import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, type JsonSchema, Schema } from "effect"

const toolOf = (input: Tool.Codec) =>
  Tool.make({ description: "", input, output: Schema.String, execute: () => Effect.succeed("done") })

const known = (inputSchema: JsonSchema.JsonSchema) =>
  Tool.fromJsonSchema({ description: "", inputSchema, execute: () => Effect.succeed("done") })

const codesOf = Effect.fnUntraced(function* (tool: Tool.Any, input: unknown) {
  const error = yield* Effect.flip(Testing.call(tool, input))
  assert(error._tag === "InvalidInput")
  return error.violations.map(({ code }) => code)
})

/** An expression as deep as given, whose innermost operand is `end`. */
const nest = (depth: number, level: (inner: unknown) => unknown, end: unknown): unknown =>
  Array.from({ length: depth }).reduce<unknown>(level, end)

type Expression =
  | { readonly type: string; readonly left: Expression }
  | { readonly type: "number"; readonly value: number }

const operation = (type: string): Schema.Codec<Expression> =>
  Schema.Struct({ type: Schema.Literal(type), left: Schema.suspend((): Schema.Codec<Expression> => Suspended) })
const Leaf = Schema.Struct({ type: Schema.Literal("number"), value: Schema.Finite })
const [Add, Subtract] = [operation("add"), operation("subtract")]
const Suspended: Schema.Codec<Expression> = Schema.Union([
  Schema.suspend(() => Add),
  Schema.suspend(() => Subtract),
  Leaf
])

const T = { $ref: "#/$defs/T" }
const node = (key: string) => ({ type: "object", properties: { a: T, [key]: { type: "string" } } })

/** Each pair of alternatives leads to the next, sixty times. */
const chain = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => {
    const level = { type: "object", properties: { a: { $ref: `#/$defs/T${index + 1}` } } }
    return [index === 0 ? "T" : `T${index}`, index === 59 ? { type: "string" } : { anyOf: [level, level] }]
  })
)

const explosive: ReadonlyArray<readonly [string, string, Tool.Any, unknown]> = [
  [
    "tagged alternatives behind suspensions",
    "type:number",
    toolOf(Schema.Struct({ e: Suspended })),
    { e: nest(60, (left) => ({ type: "subtract", left }), { type: "number", value: "bad" }) }
  ],
  [
    "alternatives with the same key that recur",
    "anyOf",
    known({
      type: "object",
      properties: { t: T },
      $defs: { T: { anyOf: [node("k"), node("j"), { type: "string" }] } }
    }),
    { t: nest(60, (a) => ({ a }), 5) }
  ],
  [
    "alternatives inside each other",
    "type:object",
    known({ type: "object", properties: { t: T }, $defs: chain }),
    { t: nest(58, (a) => ({ a }), 5) }
  ],
  [
    "hundreds of kinds of object in a long list",
    "too_complex",
    toolOf(
      Schema.Struct({
        list: Schema.Array(
          Schema.Union(Array.from({ length: 500 }, (_, n) => Schema.Struct({ [`k${n}`]: Schema.Int })))
        )
      })
    ),
    { list: Array.from({ length: 10_000 }, () => ({})) }
  ]
]

describe("arguments that could be read in too many ways", () => {
  it.effect.each(explosive)("%s: are rejected with one violation, %s, and soon", ([, code, tool, input]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* codesOf(tool, input), [code])
    })
  )

  it.effect("are decoded or explained as ever where that is affordable", () =>
    Effect.gen(function* () {
      const tool = toolOf(Schema.Struct({ e: Suspended }))
      const deep = (value: unknown) => nest(8, (left) => ({ type: "add", left }), { type: "number", value })
      yield* Testing.call(tool, { e: nest(100, (left) => ({ type: "add", left }), { type: "number", value: 1 }) })
      assert.deepStrictEqual(yield* codesOf(tool, { e: deep("bad"), f: 1 }), ["unknown_key", "type:number"])
    })
  )
})

describe("long lists of wrong values", () => {
  it.effect("are not explained when finding all of what is wrong would take too long", () =>
    Effect.gen(function* () {
      const keys = Array.from({ length: 50 }, (_, n) => [`k${n}`, Schema.String] as const)
      const tool = toolOf(Schema.Struct({ list: Schema.Array(Schema.Struct(Object.fromEntries(keys))) }))
      assert.deepStrictEqual(yield* codesOf(tool, { list: Array.from({ length: 90_000 }, () => ({})) }), [
        "too_complex"
      ])
      assert.strictEqual((yield* codesOf(tool, { list: [{}] })).length, 32)
    })
  )
})

describe("schemas with many alternatives that people do write", () => {
  type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
  const JsonTree: Schema.Codec<Json> = Schema.suspend(() =>
    Schema.Union([
      Schema.String,
      Schema.Finite,
      Schema.Boolean,
      Schema.Null,
      Schema.Array(JsonTree),
      Schema.Record(Schema.String, JsonTree)
    ])
  )
  type Filter = { readonly and: ReadonlyArray<Filter> } | { readonly not: Filter } | { readonly field: string }
  const Filter: Schema.Codec<Filter> = Schema.suspend(() =>
    Schema.Union([
      Schema.Struct({ and: Schema.Array(Filter) }),
      Schema.Struct({ not: Filter }),
      Schema.Struct({ field: Schema.String })
    ])
  )
  type Symbolic = readonly ["add" | "multiply", Symbolic, Symbolic] | number
  const Symbolic: Schema.Codec<Symbolic> = Schema.suspend(() =>
    Schema.Union([
      Schema.Tuple([Schema.Literal("add"), Symbolic, Symbolic]),
      Schema.Tuple([Schema.Literal("multiply"), Symbolic, Symbolic]),
      Schema.Finite
    ])
  )
  const cases: ReadonlyArray<readonly [string, Tool.Codec, unknown, unknown]> = [
    ["JSON as a tree", JsonTree, nest(120, (inner) => [{ a: 1 }, inner], "end"), Symbol("no")],
    ["filters", Filter, nest(40, (inner) => ({ and: [{ field: "a" }, { not: inner }] }), { field: "b" }), { or: [] }],
    ["expressions as lists", Symbolic, nest(100, (inner) => ["add", 1, inner], 2), ["divide", 1, 2]],
    ["tagged objects", Suspended, nest(100, (left) => ({ type: "add", left }), { type: "number", value: 1 }), {}]
  ]
  it.effect.each(cases)("%s: are accepted, and take deep values", ([, codec, good, bad]) =>
    Effect.gen(function* () {
      const tool = toolOf(Schema.Struct({ value: codec }))
      yield* Testing.call(tool, { value: good })
      yield* codesOf(tool, { value: bad })
    })
  )
})
