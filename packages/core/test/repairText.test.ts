import { assert, describe, it } from "@effect/vitest"
import { JsonGuard } from "@haft/core"
import { Result } from "effect"
import { attempt, codecOf, object, repaired } from "./support/repairs.ts"

/** Takes any field, so that a test is about the text alone. */
const open = codecOf({ type: "object" })
const city = codecOf(object({ "city?": { type: "string" }, "n?": { type: "integer" } }))

const ok = (value: unknown, ...kinds: ReadonlyArray<string>) => ({ value, kinds })
const no = (...violations: ReadonlyArray<string>) => ({ violations })

describe("argument text", () => {
  const read: ReadonlyArray<readonly [string, unknown]> = [
    ['{"city":"a"}', ok({ city: "a" })],
    [' \n{"city":"a"}\t', ok({ city: "a" })],
    ["", ok({}, "empty_arguments")],
    [" \n", ok({}, "empty_arguments")],
    ["null", ok({}, "empty_arguments")],
    ['""', ok({}, "double_encoded", "empty_arguments")],
    ['"{\\"city\\":\\"a\\"}"', ok({ city: "a" }, "double_encoded")],
    [JSON.stringify(JSON.stringify('{"city":"a"}')), ok({ city: "a" }, "double_encoded", "double_encoded")],
    ['\ufeff{"city":"a"}', ok({ city: "a" }, "bom")],
    ['\u00a0{"city":"a"}\u2028', ok({ city: "a" }, "outer_whitespace")],
    ['\ufeff\u00a0{"city":"a"}', ok({ city: "a" }, "bom", "outer_whitespace")],
    ['```json\n{"city":"a"}\n```', ok({ city: "a" }, "code_fence")],
    ['```{"city":"a"}```', ok({ city: "a" }, "code_fence")],
    [' ```\n{"city":"```"}\n```\n', ok({ city: "```" }, "code_fence")],
    ['```json\n{"city":"a",}\n```', ok({ city: "a" }, "code_fence", "trailing_comma")],
    ["{'city':'a'}", ok({ city: "a" }, "single_quotes")],
    ["{'city':'say \"a\"'}", ok({ city: 'say "a"' }, "single_quotes")],
    ["{'city':'it\\'s'}", ok({ city: "it's" }, "single_quotes")],
    ['{city:"a"}', ok({ city: "a" }, "unquoted_key")],
    ['{$c_1:"a"}', no("$c_1 unknown_key")],
    ['{"city":"a",}', ok({ city: "a" }, "trailing_comma")],
    ['{"city":/* b */"a" // c\n}', ok({ city: "a" }, "comment")],
    ['{"city":"a"} // done', ok({ city: "a" }, "comment")],
    ['{"city":None,"n":1}', ok({ n: 1 }, "python_constant", "city null_dropped")],
    ['{"city":"a\tb\nc"}', ok({ city: "a\tb\nc" }, "raw_control_character")],
    ['{"city":"a\\d\\.\\x41"}', ok({ city: "a\\d\\.\\x41" }, "bad_escape")],
    ['{"city":"it\\\'s"}', ok({ city: "it's" }, "bad_escape")],
    ['{\\n"city":\\t"a"\\r}\\n', ok({ city: "a" }, "escaped_whitespace")],
    ['{"city":"\\u0041\\n\\/"}', ok({ city: "A\n/" })],
    ['{"city":"a"}}', ok({ city: "a" }, "extra_closer")],
    ['{"city":"a"} ] }\n', ok({ city: "a" }, "extra_closer")],
    ['{}{"city":"a"}', ok({ city: "a" }, "leading_empty_object")],
    ['{"city":"a","n":1}\n{"n":1,"city":"a"}', ok({ city: "a", n: 1 }, "duplicated_object")],
    ['{"city":"a"}{"city":"a"}{"city":"a"}', ok({ city: "a" }, "duplicated_object", "duplicated_object")],
    ['{"city":"a"} I hope this helps.', ok({ city: "a" }, "trailing_text")],
    ['{"city":"a"}\n\nÜbrigens: fertig', ok({ city: "a" }, "trailing_text")],
    ["{city: 'a', // x\n n: True,}", no("n type:integer")]
  ]
  it.each(read)("%j", (text, expected) => {
    assert.deepStrictEqual(repaired(city, text), expected)
  })

  const refused: ReadonlyArray<readonly [string, string]> = [
    ...["2024-01-01", "007", "1.2.3", "5.", "1e", "-"].map((text) => [text, "unparseable"] as const),
    ["[]", "not_object"],
    ["5", "not_object"],
    ["true", "not_object"],
    ["True", "not_object"],
    ['"a"', "unparseable"],
    [JSON.stringify(JSON.stringify(JSON.stringify("{}"))), "not_object"],
    ["ls -la", "unparseable"],
    ["undefined", "unparseable"],
    ['{"city":NaN}', "unparseable"],
    ['{"city":undefined}', "unparseable"],
    ['{"city":Infinity}', "unparseable"],
    ['{"n":+1}', "unparseable"],
    ['{"n":0x1F}', "unparseable"],
    ['{"n":01}', "unparseable"],
    ['{"n":1.}', "unparseable"],
    ['{"n":.5}', "unparseable"],
    ['{"n":-}', "unparseable"],
    ['{"n":1e400}', "n type:integer"],
    ['{"n":-1e400}', "n type:integer"],
    ['{"city":1e400}', "city not_json"],
    ['{"other":[1e400]}', "other[0] not_json"],
    ['{"city":paris}', "unparseable"],
    ['{"city":trueish}', "unparseable"],
    ['{"city":,"n":1}', "unparseable"],
    ['{"city"}', "unparseable"],
    ['{"city":"a" "n":1}', "unparseable"],
    ['{"city":"a",,"n":1}', "unparseable"],
    ["{,}", "unparseable"],
    ['{"city":["a" ,,]}', "unparseable"],
    ['{"city":"\\u00zz"}', "unparseable"],
    ['{"city":"\\u{41}"}', "unparseable"],
    ['{1:"a"}', "unparseable"],
    ['Here: {"city":"a"}', "unparseable"],
    ['{"city":"a"} {"city":"b"}', "concatenated"],
    ['{"city":"a"}{}', "concatenated"],
    ['{"city":"a"},{"city":"b"}', "unparseable"],
    ['{"city":"a"} see {b}', "unparseable"],
    ['{"city":"a"} see [1]', "unparseable"],
    ['{"city":"a"} "b"', "unparseable"],
    ['{"city":"a"} </tool_call>', "unparseable"],
    ['[{"city":"a"}] done', "unparseable"],
    ['{"city":"a"}{"city":', "truncated"],
    ['{}{"city":"a"', "truncated"],
    ['{"city":"a', "truncated"],
    ['{"city":"a\\', "truncated"],
    ['{"city":"a\\u00', "truncated"],
    ['{"city":"a"', "truncated"],
    ['{"city":"a",', "truncated"],
    ['{"city":', "truncated"],
    ['{"city"', "truncated"],
    ['{"ci', "truncated"],
    ["{ci", "truncated"],
    ["{", "truncated"],
    ['{"n":12', "truncated"],
    ['{"n":1.', "truncated"],
    ['{"n":1e', "truncated"],
    ['{"n":-', "truncated"],
    ['{"n":tru', "truncated"],
    ['{"n":true', "truncated"],
    ['{"n":1 /* a', "truncated"],
    ['{"n":1 // a', "truncated"],
    ['{"city":["a"', "truncated"],
    ['"{\\"city\\":\\"a"', "truncated"],
    ['"{', "truncated"],
    ["```bash\nls\n```", "unparseable"],
    ["```json5\n{}\n```", "unparseable"],
    ['```json\n{"city":"a"}\n``` ok', "unparseable"],
    ['```json\n{"city":"a"}', "unparseable"],
    ['{"city":"a","city":"b"}', "city duplicate_key"],
    ['{"city":"a","\\u0063ity":"b"}', "city duplicate_key"],
    ['{"x":[{"a":1},{"b":1,"b":1}]}', "x[1].b duplicate_key"],
    ["<parameter=city>a</parameter>", "unparseable"],
    ['{"city":"a"', "truncated"]
  ]
  it.each(refused)("%j is refused", (text, violation) => {
    assert.deepStrictEqual(repaired(city, text), no(violation))
  })

  it("may be repeated more often than a stack is deep", () => {
    const kindsIn = (text: string) => {
      const result = attempt(city, text)
      assert(Result.isSuccess(result))
      const { value, warnings, warningsOmitted } = result.success
      return [JSON.stringify(value), new Set(warnings.map(({ kind }) => kind)), warnings.length + warningsOmitted]
    }
    const [repeated, led] = ['{"n":1}'.repeat(6000), `${"{}".repeat(4000)}{"n":1}`]
    assert.deepStrictEqual(kindsIn(repeated), ['{"n":1}', new Set(["duplicated_object"]), 5999])
    assert.deepStrictEqual(kindsIn(led), ['{"n":1}', new Set(["leading_empty_object"]), 4000])
  })

  it("is the first of two equal objects", () => {
    const result = repaired(city, '{"city":"a","n":1}{"n":1,"city":"a"}')
    assert.strictEqual(JSON.stringify("value" in result ? result.value : undefined), '{"city":"a","n":1}')
  })

  it("with a number that is too large is refused for the field that wants one", () => {
    const count = { type: "number", description: "How many." }
    const codec = codecOf(object({ x: { type: "array", items: object({ n: { anyOf: [count, { type: "null" }] } }) } }))
    const result = attempt(codec, '{"x":[{"n":1},{"n":1e400}]}')
    assert(Result.isFailure(result))
    assert.deepStrictEqual(result.failure.violations, [
      {
        path: "x[1].n",
        code: "type:number",
        expected: "number (How many.)",
        received: "number",
        hint: "The number that was sent is too large to be read."
      }
    ])
  })

  it("says in which line and column it stops being JSON", () => {
    const told = (text: string) => {
      const result = attempt(city, text)
      return Result.isFailure(result) ? result.failure.violations[0]?.received : undefined
    }
    assert.strictEqual(told('{"city": paris}'), "text that is not JSON at line 1, column 10")
    assert.strictEqual(told('{\n  "city":\r\n\t"a" "b"}'), "text that is not JSON at line 3, column 6")
    assert.strictEqual(told('{\n"city": "a'), "text that ends too early, at line 2, column 11")
    assert.strictEqual(told('{"n":1}\n{"n":2}'), "another object at line 2, column 1")
    assert.strictEqual(told('\n```json\n{"n":1,]}\n```'), "text that is not JSON at line 3, column 8")
  })

  it("tells the model that a call was cut off and what to do", () => {
    const result = attempt(city, '{"city":"a')
    assert(Result.isFailure(result))
    assert.strictEqual(result.failure.field, null)
    assert.include(result.failure.message, "Send long content in several smaller calls.")
  })

  it("that is cut anywhere is never accepted, whatever is at the end", () => {
    const texts = [
      '{"city":"a \\u0041\\\\ b","list":[1,-2.5e3,true,null,{"x":{}}],"n":12}',
      "{'city': 'it\\'s', list: [True, None,], /* c */ n: 1}",
      '```json\n{"city":"a","n":12}\n```',
      JSON.stringify('{"city":"a"}')
    ]
    for (const text of texts) {
      assert.isTrue(Result.isSuccess(attempt(open, text)))
      for (let length = 1; length < text.length; length++) {
        const result = attempt(open, text.slice(0, length))
        assert(Result.isFailure(result), text.slice(0, length))
        const code = result.failure.violations[0]?.code
        assert.isTrue(code === "truncated" || text.startsWith("```"), text.slice(0, length))
      }
    }
  })

  it("that is too long, too deep or too large is refused before anything is made of it", () => {
    const long = `{"city":"${"x".repeat(JsonGuard.maxCharacters)}"}`
    assert.deepStrictEqual(repaired(city, long), no("too_large"))
    assert.deepStrictEqual(repaired(open, `${'{"a":'.repeat(1_000_000)}1`), no("too_deep"))
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    assert.property(repaired(open, deep(JsonGuard.maxDepth)), "value")
    assert.deepStrictEqual(repaired(open, deep(JsonGuard.maxDepth + 1)), no("too_deep"))
    const wide = (count: number) => `{"a":[${Array.from({ length: count }, () => 0).join()}]}`
    assert.property(repaired(open, wide(JsonGuard.maxNodes - 2)), "value")
    assert.deepStrictEqual(repaired(open, wide(JsonGuard.maxNodes - 1)), no("too_large"))
  })
})

describe("arguments that are no text", () => {
  it("may be nothing, and must otherwise be an object", () => {
    assert.deepStrictEqual(repaired(city, undefined), ok({}, "empty_arguments"))
    assert.deepStrictEqual(repaired(city, null), ok({}, "empty_arguments"))
    for (const value of [[{ city: "a" }], 5, true]) assert.deepStrictEqual(repaired(city, value), no("not_object"))
    assert.deepStrictEqual(repaired(city, { city: new Date(0) }), no("not_json"))
  })

  it("are missing by name where something is required", () => {
    assert.deepStrictEqual(repaired(codecOf(object({ a: {}, b: {} })), ""), no("a missing", "b missing"))
  })
})

describe("argument text below the default level", () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['{"n":1}{"n":2}', "concatenated"],
    ['{}{"n":1}', "concatenated"],
    ['{"n":1}{"n":1}', "unparseable"],
    ['{"n":1}}', "unparseable"],
    ['{"n":1} done', "unparseable"],
    ['{"n":1,}', "unparseable"],
    ['{"n":1}{"n":', "truncated"],
    ['{"n":', "truncated"],
    ["", "unparseable"],
    ["null", "not_object"],
    ['"{}"', "not_object"]
  ]
  it.each(cases)("%j", (text, code) => {
    for (const level of ["strict", "contract"] as const) assert.deepStrictEqual(repaired(city, text, level), no(code))
  })
})
