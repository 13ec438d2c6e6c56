import { assert, describe, it } from "@effect/vitest"
import { JsonText } from "@haft/core"
import { Result, Schema } from "effect"

const refusal = (text: string): unknown =>
  Result.match(JsonText.read(text), { onSuccess: () => "read", onFailure: ({ code }) => code })

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("reading JSON text", () => {
  it.prop("gives what was written, whatever it was", [Schema.Json], ([json]) => {
    for (const text of [JSON.stringify(json), JSON.stringify(json, null, 2)]) {
      const read = Result.getOrThrow(JsonText.read(text))
      assert.strictEqual(JSON.stringify(read), JSON.stringify(json))
    }
  })

  it.prop(
    "accepts of damaged JSON what JSON.parse accepts, but for keys that occur twice and infinite numbers",
    [
      Schema.JsonObject,
      Schema.Int,
      Schema.Literals(["", "'", '"', ",", "}", "\\", " ", "0", "-", ".", "e", "t", "\t", "/", "[", "{"])
    ],
    ([json, index, letter]) => {
      const text = JSON.stringify(json)
      const at = Math.abs(index) % (text.length + 1)
      const damaged = text.slice(0, at) + letter + text.slice(at + 1)
      const result = JsonText.read(damaged)
      if (Result.isFailure(result) && ["duplicate_key", "not_json"].includes(result.failure.code)) return
      assert.strictEqual(Result.isSuccess(result), isJson(damaged), damaged)
    }
  )

  it("takes none of the liberties that are taken for arguments", () => {
    const texts = [
      "{'a':1}",
      "{a:1}",
      "[1,]",
      "[1]//",
      "[/**/]",
      "True",
      '"\t"',
      '"\\x"',
      "[\\n]",
      "\ufeff[]",
      "```\n[]\n```",
      "[]]",
      "{} a",
      ""
    ]
    for (const text of texts) assert.strictEqual(refusal(text), "unparseable")
    assert.strictEqual(refusal("[]"), "read")
  })

  it("refuses a key that occurs twice, however it is written, and a number that is infinite", () => {
    assert.deepStrictEqual(
      JsonText.read('{"a":{"b":[{"c":1,"\\u0063":2}]}}'),
      Result.fail({ code: "duplicate_key", path: ["a", "b", 0, "c"] })
    )
    assert.deepStrictEqual(
      JsonText.read('[1,{"a":-1e999}]'),
      Result.fail({ code: "not_json", received: "-Infinity", path: [1, "a"] })
    )
  })

  it("keeps keys apart that are an escape or empty, and takes __proto__ for a key", () => {
    const text = '{"":1,"\\\\":2,"\\"":3,"__proto__":4,"constructor":5}'
    const read = Result.getOrThrow(JsonText.read(text))
    assert.strictEqual(JSON.stringify(read), text)
    assert.isFalse(Reflect.has(Object(read), "toString"))
  })

  it("says where it stopped", () => {
    assert.deepStrictEqual(JsonText.read('{"a": x}'), Result.fail({ code: "unparseable", position: 6 }))
    assert.deepStrictEqual(JsonText.read('{"a": 1'), Result.fail({ code: "truncated", position: 7 }))
  })
})
