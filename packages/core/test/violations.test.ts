import { assert, describe, it } from "@effect/vitest"
import { InvalidInput, Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Schema, SchemaIssue } from "effect"

const rejected = Effect.fnUntraced(function* (input: Tool.Codec, sent: unknown) {
  const tool = Tool.make({ description: "Test", input, output: Schema.Null, execute: () => Effect.succeed(null) })
  const error = yield* Effect.flip(Testing.call(tool, sent))
  assert(error._tag === "InvalidInput")
  return error
})

/** Each violation as path, code, what was expected and what was received. */
const explained = Effect.fnUntraced(function* (input: Tool.Codec, sent: unknown) {
  const { violations } = yield* rejected(input, sent)
  return violations.map(({ code, expected, path, received }) => [path, code, expected, received])
})

const at = <S extends Tool.Codec>(schema: S) => Schema.Struct({ x: schema })

describe("what a check of the author's found", () => {
  const Pair = Schema.Struct({ a: Schema.String, b: Schema.String })
  const sent = { a: "1", b: "2" }

  it.effect("is reported where the author says it is, in the author's words", () =>
    Effect.gen(function* () {
      const Same = Pair.check(Schema.makeFilter(() => ({ path: ["b"], issue: "must equal a" })))
      assert.deepStrictEqual(yield* explained(Same, sent), [["b", "check", "must equal a", "string"]])
    })
  )

  it.effect("can be several things at once", () =>
    Effect.gen(function* () {
      const Both = Pair.check(
        Schema.makeFilter(() => [
          { path: ["b"], issue: "must equal a" },
          "must be short",
          { path: ["a"], issue: "odd" }
        ])
      )
      assert.deepStrictEqual(yield* explained(Both, sent), [
        ["b", "check", "must equal a", "string"],
        ["", "check", "must be short", "object"],
        ["a", "check", "odd", "string"]
      ])
    })
  )

  it.effect("is told by the message of the check as a whole, if it has one", () =>
    Effect.gen(function* () {
      const filter = Schema.makeFilter(() => ({ path: ["b"], issue: "must equal a" }), { message: "send a twice" })
      assert.deepStrictEqual(yield* explained(Pair.check(filter), sent), [["b", "check", "send a twice", "string"]])
    })
  )

  it.effect("can be any issue of a codec, which then keeps its code", () =>
    Effect.gen(function* () {
      const lacking = new SchemaIssue.Pointer(["b"], new SchemaIssue.MissingKey(undefined))
      const Pairs = Schema.Struct({ a: Schema.String, b: Schema.optionalKey(Schema.String) })
      const Needed = Pairs.check(Schema.makeFilter(() => lacking))
      assert.deepStrictEqual(yield* explained(Needed, { a: "1" }), [["b", "missing", "string", "nothing"]])
    })
  )

  it.effect("is about the whole object where names of keys are checked", () =>
    Effect.gen(function* () {
      const names = Schema.isPropertyNames(Schema.String.check(Schema.isPattern(/^a/)))
      const Named = at(Schema.Record(Schema.String, Schema.Int).check(names))
      assert.deepStrictEqual(yield* explained(Named, { x: { a: 1, b: 1 } }), [
        ["x", "check", "keys that are a string matching the RegExp ^a", "object"]
      ])
      const [violation] = (yield* rejected(Named, { x: { a: 1, b: 1, "c d": 1 } })).violations
      assert.match(violation?.hint ?? "", /do not fit: b/)
    })
  )

  it.effect("is about the whole list where elements are lacking", () =>
    Effect.gen(function* () {
      const Dated = at(Schema.Tuple([Schema.DateFromString, Schema.Int]))
      assert.deepStrictEqual(yield* explained(Dated, { x: ["2026-01-31"] }), [
        ["x", "check", "list of at least: string, then integer", "list"]
      ])
    })
  )

  it.effect("is counted without being looked at once the list is full", () =>
    Effect.gen(function* () {
      const told = new Set<number>()
      const wrong = (index: number) => ({
        path: [index],
        issue: new SchemaIssue.InvalidValue({
          get message() {
            told.add(index)
            return "wrong"
          }
        })
      })
      const issues = Array.from({ length: 10_000 }, (_, index) => wrong(index))
      const error = yield* rejected(at(Schema.Array(Schema.Int).check(Schema.makeFilter(() => issues))), { x: [] })
      assert.strictEqual(error.violations.length, InvalidInput.maxViolations)
      assert.strictEqual(error.violationsOmitted, 10_000 - InvalidInput.maxViolations)
      assert.strictEqual(told.size, InvalidInput.maxViolations)
    })
  )
})

const kind = <const Kind extends string, const Key extends string>(kind: Kind, key: Key) =>
  Schema.Struct({ kind: Schema.Literal(kind), [key]: Schema.Int })

class Circle extends Schema.Class<Circle>("Circle")({ kind: Schema.Literal("circle"), radius: Schema.Int }) {}
class Square extends Schema.Class<Square>("Square")({ kind: Schema.Literal("square"), side: Schema.Int }) {}

describe("a value that fits no tagged alternative", () => {
  const circle = kind("circle", "radius")
  const square = kind("square", "side")
  const unions: ReadonlyArray<readonly [string, Tool.Codec]> = [
    ["objects", Schema.Union([circle, square])],
    ["suspended objects", Schema.Union([Schema.suspend(() => circle), Schema.suspend(() => square)])],
    ["classes", Schema.Union([Circle, Square])],
    ["objects or null", Schema.NullOr(Schema.Union([circle, square]))],
    ["unions of objects", Schema.Union([Schema.Union([circle]), Schema.Union([square])])]
  ]

  it.effect.each(unions)("is sent to its tag when that is missing or unknown: %s", ([, union]) =>
    Effect.gen(function* () {
      const kinds = "one of: circle, square"
      assert.deepStrictEqual(yield* explained(at(union), { x: {} }), [["x.kind", "missing", kinds, "nothing"]])
      assert.deepStrictEqual(yield* explained(at(union), { x: { kind: "cube", side: 1 } }), [
        ["x.kind", "enum", kinds, "string"]
      ])
    })
  )

  it.effect.each(unions)("is explained by the alternative that has its tag: %s", ([, union]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* explained(at(union), { x: { kind: "square", radius: 1 } }), [
        ["x.side", "missing", "integer", "nothing"],
        ["x.radius", "unknown_key", "one of the keys kind, side", "number"]
      ])
    })
  )

  it.effect("is sent to the tag that tells the alternatives apart, which may have several values", () =>
    Effect.gen(function* () {
      const Versioned = Schema.Union([
        Schema.Struct({ version: Schema.Literal(1), kind: Schema.Literals(["a", "b"]) }),
        Schema.Struct({ version: Schema.Literal(1), kind: Schema.Literal("c") })
      ])
      assert.deepStrictEqual(yield* explained(at(Versioned), { x: { version: 1, kind: "d" } }), [
        ["x.kind", "enum", "one of: a, b, c", "string"]
      ])
      assert.deepStrictEqual(yield* explained(at(Versioned), { x: { kind: "d" } }), [
        ["x.kind", "enum", "one of: a, b, c", "string"]
      ])
    })
  )

  it.effect("is not told apart by a literal that all alternatives share", () =>
    Effect.gen(function* () {
      const mode = Schema.Literals(["a", "b"])
      const Either = Schema.Union([
        Schema.Struct({ mode, size: Schema.Int }),
        Schema.Struct({ mode, side: Schema.Int, edge: Schema.Int })
      ])
      const expected = [["x.size", "missing"]]
      const seen = (yield* explained(at(Either), { x: { mode: "a" } })).map(([path, code]) => [path, code])
      assert.deepStrictEqual(seen, expected)
      const returned = { x: { mode: "a" } } as unknown as { readonly x: typeof Either.Type }
      const tool = Tool.make({
        description: "Test",
        input: Schema.Record(Schema.String, Schema.Never),
        output: at(Either),
        execute: () => Effect.succeed(returned)
      })
      const error = yield* Effect.flip(Testing.call(tool, {}))
      assert(error._tag === "InvalidOutput")
      assert.deepStrictEqual(
        error.violations.map(({ code, path }) => [path, code]),
        expected
      )
    })
  )

  it.effect("can be a list with a tag in it", () =>
    Effect.gen(function* () {
      const Operation = Schema.Union([
        Schema.Tuple([Schema.Literal("add"), Schema.Int]),
        Schema.Tuple([Schema.Literal("say"), Schema.String])
      ])
      assert.deepStrictEqual(yield* explained(at(Operation), { x: [] }), [
        ["x[0]", "missing", "one of: add, say", "nothing"]
      ])
      assert.deepStrictEqual(yield* explained(at(Operation), { x: ["cut", 1] }), [
        ["x[0]", "enum", "one of: add, say", "string"]
      ])
      assert.deepStrictEqual(yield* explained(at(Operation), { x: ["say", 1] }), [
        ["x[1]", "type:string", "string", "number"]
      ])
    })
  )
})

describe("a value that fits no alternative without tags", () => {
  it.effect("is no member of a list of literals, with or without null", () =>
    Effect.gen(function* () {
      const Mode = Schema.Union([Schema.Literal("on"), Schema.Literal("off"), Schema.Null])
      assert.deepStrictEqual(yield* explained(at(Mode), { x: "of" }), [
        ["x", "enum", "null or one of: on, off", "string"]
      ])
    })
  )

  it.effect("is explained by the one alternative besides null", () =>
    Effect.gen(function* () {
      const Maybe = Schema.Struct({ x: Schema.optional(Schema.Int), y: Schema.NullOr(at(Schema.Int)) })
      assert.deepStrictEqual(yield* explained(Maybe, { x: "one", y: { x: "one" } }), [
        ["x", "type:integer", "integer", "string"],
        ["y.x", "type:integer", "integer", "string"]
      ])
      assert.deepStrictEqual(yield* explained(Maybe, { y: 1 }), [["y", "type:object", "object", "number"]])
    })
  )

  it.effect("gets the alternatives named where they are of different kinds", () =>
    Effect.gen(function* () {
      const Amount = at(Schema.Union([Schema.Int, Schema.Array(Schema.Int), Schema.Literal("all")]))
      assert.deepStrictEqual(yield* explained(Amount, { x: ["one"] }), [
        ["x", "anyOf", "integer or list of integer or all", "list"]
      ])
      assert.deepStrictEqual(yield* explained(Amount, { x: "most" }), [
        ["x", "anyOf", "integer or list of integer or all", "string"]
      ])
    })
  )

  it.effect("is explained by the first object that was begun, or else by the first", () =>
    Effect.gen(function* () {
      const Shape = Schema.Union([
        Schema.suspend(() => Schema.Struct({ radius: Schema.Int })),
        Schema.suspend(() => Schema.Struct({ side: Schema.Int }))
      ])
      assert.deepStrictEqual(yield* explained(at(Shape), { x: { side: "one" } }), [
        ["x.side", "type:integer", "integer", "string"]
      ])
      assert.deepStrictEqual(yield* explained(at(Shape), { x: {} }), [["x.radius", "missing", "integer", "nothing"]])
    })
  )

  it.effect("gets all alternatives named when none is clearly meant", () =>
    Effect.gen(function* () {
      const Mixed = Schema.Union([kind("circle", "radius"), Schema.Struct({ side: Schema.Int })])
      const Lists = Schema.Union([Schema.Array(Schema.Int), Schema.Array(Schema.String)])
      const input = Schema.Struct({ x: Mixed, y: Lists, z: Schema.ObjectKeyword })
      assert.deepStrictEqual(yield* explained(input, { x: {}, y: [true], z: 1 }), [
        ["x", "anyOf", "object with kind, radius or object with side", "object"],
        ["y", "anyOf", "list of integer or list of string", "list"],
        ["z", "anyOf", "list of JSON value or object", "number"]
      ])
    })
  )
})

describe("the words of a violation", () => {
  it.effect("say all that a list that is too short has to have", () =>
    Effect.gen(function* () {
      const Range = Schema.TupleWithRest(Schema.Tuple([Schema.Int, Schema.Boolean]), [Schema.Int, Schema.String])
      assert.deepStrictEqual(yield* explained(at(Range), { x: [1] }), [
        ["x", "check", "list of at least: integer, then boolean, then string", "list"]
      ])
    })
  )

  it.effect("name the keys that can have a value, before wrong values", () =>
    Effect.gen(function* () {
      const Never = Schema.Struct({ b: Schema.Int, a: Schema.optionalKey(Schema.Never) })
      assert.deepStrictEqual(yield* explained(Never, { a: 1, b: "one" }), [
        ["a", "unknown_key", "one of the keys b", "number"],
        ["b", "type:integer", "integer", "string"]
      ])
    })
  )

  it.effect("describe the keys that need not be declared", () =>
    Effect.gen(function* () {
      const extensions = Schema.Record(Schema.TemplateLiteral(["x-", Schema.String]), Schema.Int)
      const Open = Schema.StructWithRest(Schema.Struct({ a: Schema.Int }), [extensions])
      assert.deepStrictEqual(yield* explained(Open, { a: 1, y: 1 }), [
        ["y", "unknown_key", "one of the keys a or a key like x-…", "number"]
      ])
      const patterned = Schema.Record(Schema.String.check(Schema.isPattern(/^x-/)), Schema.Int)
      assert.deepStrictEqual(yield* explained(at(patterned), { x: { y: 1 } }), [
        ["x.y", "unknown_key", "a key that is a string matching the RegExp ^x-", "number"]
      ])
    })
  )

  it.effect("do not claim to know what was sent inside a text", () =>
    Effect.gen(function* () {
      const Text = at(Schema.fromJsonString(Schema.Struct({ a: Schema.Int, b: Schema.String })))
      assert.deepStrictEqual(yield* explained(Text, { x: '{"a":"1"}' }), [
        ["x.b", "missing", "string", "nothing"],
        ["x.a", "type:integer", "integer", "a value inside text"]
      ])
      assert.deepStrictEqual(yield* explained(Text, { x: "[]" }), [["x", "check", "text that holds object", "string"]])
      assert.deepStrictEqual(yield* explained(Text, { x: {} }), [["x", "type:string", "string", "object"]])
    })
  )

  it.effect("speak of the output where it is the output that does not fit", () =>
    Effect.gen(function* () {
      const Shape = Schema.Union([Circle, Square])
      const wrong: unknown = { kind: "cube" }
      const tool = Tool.make({
        description: "Test",
        input: Schema.Struct({}),
        output: Shape,
        execute: () => Effect.succeed(wrong as typeof Shape.Type)
      })
      const error = yield* Effect.flip(Testing.call(tool, {}))
      assert(error._tag === "InvalidOutput")
      assert.strictEqual(
        error.message,
        [
          "The executor returned a value that does not fit the tool's output schema:",
          "- the output: expected Circle or Square; received object"
        ].join("\n")
      )
    })
  )
})
