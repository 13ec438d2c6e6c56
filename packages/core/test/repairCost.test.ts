import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { codecOf, object, repaired } from "./support/repairs.ts"

const many = <A>(length: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length }, (_, n) => make(n))

const kind = (index: number) => object({ kind: { const: `k${index}` }, n: { type: "integer" } })

describe("what a repair looks at", () => {
  it("is each part once for each schema that it is tried with, however deep alternatives lie in each other", () => {
    let looks = 0
    const counted = Schema.Int.check(
      Schema.makeFilter((value: number) => {
        looks++
        return value < 10 || "must be small"
      })
    )
    type Tree = { readonly next: Tree } | { readonly next: Tree; readonly side?: number } | { readonly leaf: number }
    const Tree: Schema.Codec<Tree> = Schema.Union([
      Schema.Struct({ next: Schema.suspend(() => Tree) }),
      Schema.Struct({ next: Schema.suspend(() => Tree), side: Schema.optionalKey(Schema.Int) }),
      Schema.Struct({ leaf: counted })
    ])
    const deep = (leaf: unknown) => many(30, () => "next").reduce<unknown>((next) => ({ next }), { leaf })
    const path = `x${".next".repeat(30)}.leaf`
    assert.deepInclude(repaired(Schema.Struct({ x: Tree }), { x: deep("7") }), {
      kinds: [`${path} number_from_string`]
    })
    assert.isBelow(looks, 20)
    assert.deepStrictEqual(repaired(Schema.Struct({ x: Tree }), { x: deep("70") }), { violations: [`${path} check`] })
    assert.isBelow(looks, 40)
  })

  it("is not every member of a long enum for every element of a long list", () => {
    const members = many(2_000, (index) => `member_${index}`)
    const list = codecOf(object({ x: { type: "array", items: { enum: members } } }))
    const x = many(5_000, (index) => `MEMBER_${index % 2_000}`)
    const value = { x: x.map((member) => member.toLowerCase()) }
    assert.deepInclude(repaired(list, { x }), { value })
    assert.deepNestedInclude(repaired(list, { x: x.map((member) => `${member}?`) }), { "violations[0]": "x[0] enum" })
  })

  it("is no more than its budget allows: thousands of faults are mended, tens of thousands are too many", () => {
    const list = codecOf(object({ x: { type: "array", items: { anyOf: many(20, kind) } } }))
    const sent = (length: number, n: unknown) => ({ x: many(length, (index) => ({ kind: `k${index % 20}`, n })) })
    assert.deepInclude(repaired(list, sent(2_000, "1")), { value: sent(2_000, 1) })
    assert.deepStrictEqual(repaired(list, sent(30_000, "1")), { violations: ["too_complex"] })
    assert.deepInclude(repaired(list, sent(30_000, 1)), { value: sent(30_000, 1) })
  })

  it("counts keys that nobody declared", () => {
    const none = codecOf(object({ a: { type: "string" } }))
    const strays = (length: number) => Object.fromEntries(many(length, (index) => [`k${index}`, 1]))
    assert.deepNestedInclude(repaired(none, strays(1_000)), { "violations[1]": "k0 unknown_key" })
    assert.deepStrictEqual(repaired(none, strays(90_000)), { violations: ["too_complex"] })
  })

  it("is a list of numbers as long as any may be", () => {
    const numbers = codecOf(object({ x: { type: "array", items: { type: "integer" } } }))
    const x = many(99_000, String)
    assert.deepInclude(repaired(numbers, { x }), { value: { x: x.map(Number) } })
  })
})

describe("text as long as any may be", () => {
  const text = codecOf(object({ s: { type: "string" } }))
  const times = 4_000_000
  const cases: ReadonlyArray<readonly [string, string, string, string]> = [
    ["with escapes that escape nothing", `{"s":"${"\\d".repeat(times)}"}`, "\\d".repeat(times), "bad_escape"],
    ["with control characters", `{"s":"${"\t".repeat(times)}"}`, "\t".repeat(times), "raw_control_character"],
    ["with written white space", `{${"\\n".repeat(times)}"s":"a"}`, "a", "escaped_whitespace"]
  ]
  it.each(cases)("%s is read", (_, sent, s, kind) => {
    assert.deepStrictEqual(repaired(text, sent), { value: { s }, kinds: [kind] })
  })

  it("keeps every code unit, also halves of pairs, where escapes are put together", () => {
    const units = many(10_000, (index) => 0xd7f0 + (index % 0x30)).map((unit) => String.fromCharCode(unit))
    const sent = `{"s":"${units.map((unit, index) => (index % 3 === 0 ? `\\u${unit.charCodeAt(0).toString(16)}` : unit)).join("")}\\q"}`
    assert.deepStrictEqual(repaired(text, sent), { value: { s: `${units.join("")}\\q` }, kinds: ["bad_escape"] })
  })
})
