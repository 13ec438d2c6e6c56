import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { atX, codecOf, object, repaired } from "./support/repairs.ts"

const numbers = { type: "array", items: { type: "integer" } }
const depth = object({ "depth?": { type: "integer" } })

describe("text of a list or an object", () => {
  const read: ReadonlyArray<readonly [string, unknown]> = [
    ["[1,2]", [[1, 2], "array_from_string"]],
    [" [1, 2]\n", [[1, 2], "array_from_string"]],
    ['"[1,2]"', [[1, 2], "array_from_string"]],
    ['["1","2"]', [[1, 2], "array_from_string", "number_from_string", "number_from_string"]],
    ["[1,2,]", [[1, 2], "trailing_comma", "array_from_string"]],
    ["['1', \"2\"]", [[1, 2], "single_quotes", "array_from_string", "number_from_string", "number_from_string"]],
    ["```json\n[1]\n```", [[1], "code_fence", "array_from_string"]],
    ["[]", [[], "array_from_string"]]
  ]
  it.each(read)("%s is read for a list", (text, becomes) => {
    assert.deepStrictEqual(atX(numbers, text), becomes)
  })

  const refused = [
    "",
    "1,2",
    "1",
    "numpy",
    '{"a":1}',
    '{"0":1}',
    "[1",
    "[1,",
    "[1] and more",
    "[1]]",
    "[1][2]",
    "null!",
    '"\\"[1]\\""',
    "[1 2]",
    '[{"a":1,"a":2}]'
  ]
  it.each(refused)("%j is not", (text) => {
    assert.strictEqual(atX(numbers, text), "x type:array")
  })

  it("is read for an object in the same way", () => {
    assert.deepStrictEqual(atX(depth, '{"depth":3}'), [{ depth: 3 }, "object_from_string"])
    assert.deepStrictEqual(atX(depth, '"{\\"depth\\":3}"'), [{ depth: 3 }, "object_from_string"])
    assert.deepStrictEqual(atX(depth, "{depth: '3'}"), [
      { depth: 3 },
      "unquoted_key",
      "single_quotes",
      "object_from_string",
      "number_from_string"
    ])
    for (const text of ["depth=3", "[]", '{"depth":3', '{"depth":3}{}', '{"depth":3,"depth":4}']) {
      assert.strictEqual(atX(depth, text), "x type:object")
    }
  })

  it("leads to violations with the paths that a native one has", () => {
    assert.strictEqual(atX(numbers, '[1,"two"]'), "x[1] type:integer")
    assert.strictEqual(atX(depth, '{"depth":"deep"}'), "x.depth type:integer")
  })

  it("is read at every depth, and not where a text belongs", () => {
    const nested = { type: "array", items: { type: "array", items: object({ x: { type: "string" } }) } }
    assert.deepStrictEqual(atX(nested, [`[{"x":"[1]"}]`]), [[[{ x: "[1]" }]], "array_from_string"])
  })

  it("counts towards the limits as if it had been sent natively", () => {
    const any = codecOf(object({ x: { type: "array", items: {} } }))
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    assert.deepInclude(repaired(any, { x: deep(127) }), { kinds: ["x array_from_string"] })
    assert.deepStrictEqual(repaired(any, { x: deep(128) }), { violations: ["too_deep"] })
    const wide = (count: number) => `[${Array.from({ length: count }, () => "0").join(",")}]`
    assert.deepInclude(repaired(any, { x: wide(99_997) }), { kinds: ["x array_from_string"] })
    assert.deepStrictEqual(repaired(any, { x: wide(99_998) }), { violations: ["too_large"] })
  })
})

describe("lists", () => {
  it("say which element is wrong, and which are too many or too few", () => {
    const pair = { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], items: false, minItems: 2 }
    assert.deepStrictEqual(atX(pair, ["1", "a"]), [[1, "a"], "number_from_string"])
    assert.strictEqual(atX(pair, [1, "a", true, null]), "x[2] check, x[3] check")
    assert.strictEqual(atX(pair, [1]), "x check")
    assert.strictEqual(atX(pair, []), "x check")
    assert.strictEqual(atX(pair, ["one"]), "x[0] type:integer, x check")
    assert.strictEqual(atX(pair, ["one", 2]), "x[0] type:integer, x[1] type:string")
  })

  it("count elements after the repeated one from the end", () => {
    const Range = Schema.Struct({
      x: Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Int, Schema.Boolean, Schema.String])
    })
    assert.deepStrictEqual(repaired(Range, { x: ["1", "2", "3", "yes", "4"] }), {
      value: { x: ["1", 2, 3, true, "4"] },
      kinds: ["x[1] number_from_string", "x[2] number_from_string", "x[3] boolean_from_string"]
    })
    assert.deepStrictEqual(repaired(Range, { x: ["1", "no", "4"] }), {
      value: { x: ["1", false, "4"] },
      kinds: ["x[1] boolean_from_string"]
    })
    assert.deepStrictEqual(repaired(Range, { x: ["1"] }), { violations: ["x check"] })
  })

  it("meet the checks on the whole list after their elements", () => {
    const short = { type: "array", items: { type: "integer" }, maxItems: 2, uniqueItems: true }
    assert.strictEqual(atX(short, ["1", "2", "3"]), "x check")
    assert.strictEqual(atX(short, ["1", 1]), "x check")
    assert.deepStrictEqual(atX(short, ["1", 2]), [[1, 2], "number_from_string"])
  })

  it("are not made of a lone value, unless the author asks for it", () => {
    assert.strictEqual(atX(numbers, 1), "x type:array")
    const asked = { ...numbers, "x-wrap-single": true }
    assert.deepStrictEqual(atX(asked, 1), [[1], "wrapped_single"])
    assert.deepStrictEqual(atX(asked, "1"), [[1], "number_from_string", "wrapped_single"])
    assert.deepStrictEqual(atX(asked, "[1]"), [[1], "array_from_string"])
    assert.strictEqual(atX(asked, "1,2"), "x type:array")
    assert.strictEqual(atX(asked, null), "x missing")
    const texts = { type: "array", items: { type: "string" }, "x-wrap-single": true }
    assert.deepStrictEqual(atX(texts, "a,b"), [["a,b"], "wrapped_single"])
  })
})

describe("text of anything else, where the author asks for it", () => {
  const asked = { type: "string", "x-stringify": true }
  it("is written for objects, lists, booleans and safe integers", () => {
    assert.deepStrictEqual(atX(asked, { a: [1, null] }), ['{"a":[1,null]}', "stringified"])
    assert.deepStrictEqual(atX(asked, [1]), ["[1]", "stringified"])
    assert.deepStrictEqual(atX(asked, true), ["true", "stringified"])
    assert.deepStrictEqual(atX(asked, 15), ["15", "stringified"])
  })

  it("is not written for fractions, and not for integers that may not be the ones that were sent", () => {
    assert.strictEqual(atX(asked, 1.1), "x type:string")
    assert.strictEqual(atX(asked, 2 ** 60), "x type:string")
    assert.strictEqual(atX(asked, [1.1]), "x type:string")
    assert.strictEqual(atX(asked, { a: [{ b: 2 ** 60 }] }), "x type:string")
    assert.strictEqual(atX(asked, null), "x missing")
  })

  it("has to fit what else the schema says", () => {
    assert.strictEqual(atX({ ...asked, maxLength: 3 }, { a: 1 }), "x check")
  })
})

describe("maps", () => {
  const map = { type: "object", additionalProperties: { type: "integer" } }
  it("have their values repaired and their keys left alone", () => {
    assert.deepStrictEqual(atX(map, { "A b": "4", properties: "5", arguments: 6 }), [
      { "A b": 4, properties: 5, arguments: 6 },
      "number_from_string",
      "number_from_string"
    ])
    assert.strictEqual(atX(map, { properties: { a: 1 } }), "x.properties type:integer")
  })

  it("with patterns refuse keys that match none", () => {
    const patterned = {
      type: "object",
      patternProperties: { "^x-": { type: "integer" } },
      additionalProperties: false
    }
    assert.deepStrictEqual(atX(patterned, { "x-a": "1" }), [{ "x-a": 1 }, "number_from_string"])
    assert.strictEqual(atX(patterned, { "x-a": "1", b: 1 }), "x.b unknown_key")
  })
})
