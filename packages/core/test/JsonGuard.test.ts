import { assert, describe, it } from "@effect/vitest"
import { JsonGuard } from "@haft/core"
import { Result, Schema } from "effect"

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("guard", () => {
  it.prop("gives back every JSON value within the limits, equal and without a prototype", [Schema.Json], ([json]) => {
    const copy = Result.getOrThrow(JsonGuard.guard(json))
    assert.deepStrictEqual(plain(copy), plain(json))
    if (typeof copy === "object" && copy !== null && !Array.isArray(copy)) {
      assert.isNull(Object.getPrototypeOf(copy))
    }
  })

  it("copies, so that a change to the original afterwards changes nothing", () => {
    const original = { list: [1] }
    const copy = Result.getOrThrow(JsonGuard.guard(original))
    original.list.push(2)
    assert.deepStrictEqual(plain(copy), { list: [1] })
  })

  it("leaves out what is undefined in an object and refuses it in a list", () => {
    assert.deepStrictEqual(plain(Result.getOrThrow(JsonGuard.guard({ a: undefined, b: 1 }))), { b: 1 })
    assert.deepStrictEqual(JsonGuard.guard([undefined]), Result.fail({ code: "not_json", received: "undefined" }))
  })

  it("keeps the order of keys and an own key named __proto__", () => {
    const text = '{"b":1,"__proto__":{"c":2},"a":3}'
    assert.strictEqual(JSON.stringify(Result.getOrThrow(JsonGuard.guard(JSON.parse(text)))), text)
  })

  it("takes as many values and characters as the limits say, and not one more", () => {
    const list = Array.from({ length: JsonGuard.maxNodes - 1 }, () => 0)
    assert.isTrue(Result.isSuccess(JsonGuard.guard(list)))
    assert.deepStrictEqual(JsonGuard.guard([...list, 0]), Result.fail({ code: "too_large" }))
    const text = "x".repeat(JsonGuard.maxCharacters)
    assert.isTrue(Result.isSuccess(JsonGuard.guard(text)))
    assert.deepStrictEqual(JsonGuard.guard([text, "x"]), Result.fail({ code: "too_large" }))
  })

  it("stops looking as soon as it has to refuse", () => {
    let read = 0
    const list = new Proxy([], {
      get: (target, key) => {
        if (key === "length") return 1e9
        read++
        return Reflect.get(target, key) ?? 0
      }
    })
    assert.isTrue(Result.isFailure(JsonGuard.guard(list)))
    assert.isAtMost(read, JsonGuard.maxNodes + 10)
  })
})
