import { assert, describe, it } from "@effect/vitest"
import { Option, type Schema } from "effect"
import { expand, textOf } from "./expand.ts"

describe("the notation for values that are too large to write down", () => {
  const values: ReadonlyArray<readonly [string, Schema.Json, Schema.Json]> = [
    ["a repeated text", { $gen: "repeat", unit: "ab", count: 2 }, "abab"],
    ["texts in a row", { $gen: "concat", parts: ["a", { $gen: "repeat", unit: "b", count: 2 }] }, "abb"],
    ["nested lists", { $gen: "nestArray", depth: 3 }, [[[]]]],
    ["nested objects", { $gen: "nestObject", depth: 2, key: 'a"' }, { 'a"': { 'a"': 1 } }],
    [
      "a long list",
      { $gen: "array", item: { x: { $gen: "keys", count: 1 } }, count: 2 },
      [{ x: { k0: 0 } }, { x: { k0: 0 } }]
    ],
    ["many keys", { $gen: "keys", count: 2 }, { k0: 0, k1: 1 }],
    ["text that is not well formed", { $gen: "utf16", units: [97, 0xd800] }, "a\ud800"],
    ["a value that is written down", { a: [1, null, "${W}"] }, { a: [1, null, "${W}"] }]
  ]

  it.each(values)("builds %s", (_, written, expected) => {
    assert.deepStrictEqual(expand({ inside: [written] }), { inside: [expected] })
  })

  it("is refused where it is not known, so that no case runs with the notation as its value", () => {
    assert.throws(() => expand({ $gen: "repaet", unit: "a", count: 1 }))
  })

  it("tells text for a parser from a value", () => {
    assert.deepStrictEqual(textOf({ $gen: "rawJson", text: "{" }), Option.some("{"))
    assert.deepStrictEqual(textOf({ text: "{" }), Option.none())
  })
})
