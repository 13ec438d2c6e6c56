import { assert, describe, it } from "@effect/vitest"
import { JsonGuard } from "@haft/core"
import { Result, Schema } from "effect"

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("guard", () => {
  it.prop(
    "gives back every JSON value within the limits, equal and without inherited names",
    [Schema.Json],
    ([json]) => {
      const copy = Result.getOrThrow(JsonGuard.guard(json))
      assert.deepStrictEqual(plain(copy), plain(json))
      if (typeof json !== "object" || json === null || Array.isArray(json)) return
      assert.isObject(copy)
      for (const name of ["constructor", "toString", "__proto__"]) {
        assert.strictEqual(Reflect.has(Object(copy), name), Object.hasOwn(json, name))
      }
    }
  )

  it("copies, so that a change to the original afterwards changes nothing", () => {
    const original = { list: [1] }
    const copy = Result.getOrThrow(JsonGuard.guard(original))
    original.list.push(2)
    assert.deepStrictEqual(plain(copy), { list: [1] })
  })

  it("may be asked about something else by what it reads, and remembers nothing of either", () => {
    const inner: Array<unknown> = []
    const original = {
      first: { deep: [1, { two: 2 }] },
      get asks() {
        inner.push(Result.getOrThrow(JsonGuard.guard({ other: [true] })), Result.isFailure(JsonGuard.guard(undefined)))
        return "answer"
      },
      last: [{ three: 3 }]
    }
    const expected = { first: { deep: [1, { two: 2 }] }, asks: "answer", last: [{ three: 3 }] }
    assert.deepStrictEqual(plain(Result.getOrThrow(JsonGuard.guard(original))), expected)
    assert.deepStrictEqual(plain(inner), [{ other: [true] }, true])
    assert.isTrue(Result.isFailure(JsonGuard.guard([[[]]], { ...JsonGuard.defaultLimits, depth: 2 })))
    assert.deepStrictEqual(plain(Result.getOrThrow(JsonGuard.guard([[[]]]))), [[[]]])
  })

  it("leaves out what is undefined in an object and refuses it in a list", () => {
    assert.deepStrictEqual(plain(Result.getOrThrow(JsonGuard.guard({ a: undefined, b: 1 }))), { b: 1 })
    assert.deepStrictEqual(JsonGuard.guard([undefined]), Result.fail({ code: "not_json", received: "undefined" }))
  })

  it("refuses what throws when it is read", () => {
    const getter = Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw new Error("no")
      }
    })
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    for (const value of [getter, proxy]) {
      assert.deepStrictEqual(JsonGuard.guard(value), Result.fail({ code: "not_json", received: "unreadable" }))
    }
  })

  it("counts properties that are undefined, and does not repeat what a class calls itself", () => {
    const entries = Array.from({ length: JsonGuard.maxNodes + 1 }, (_, index) => [`k${index}`, undefined])
    assert.deepStrictEqual(JsonGuard.guard(Object.fromEntries(entries)), Result.fail({ code: "too_large" }))
    const named = new (class {
      readonly [Symbol.toStringTag] = "x".repeat(1000)
    })()
    assert.deepStrictEqual(JsonGuard.guard(named), Result.fail({ code: "not_json", received: "class instance" }))
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
