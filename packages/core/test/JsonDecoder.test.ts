import { assert, describe, it } from "@effect/vitest"
import { JsonDecoder } from "@haft/core"
import { Result, Schema } from "effect"

const decode = JsonDecoder.make(Schema.Struct({ name: Schema.String, at: Schema.optionalKey(Schema.Date) }))

const pathsOf = (document: unknown): ReadonlyArray<string> => {
  const decoded = decode(document)
  return Result.isSuccess(decoded) ? [] : decoded.failure.violations.map(({ code, path }) => `${path} ${code}`)
}

describe("a document from outside", () => {
  it("is decoded from its JSON form", () => {
    const decoded = decode({ name: "a", at: "2026-01-01T00:00:00.000Z" })
    assert.deepStrictEqual(Result.getOrThrow(decoded), { name: "a", at: new Date("2026-01-01T00:00:00.000Z") })
  })

  it("is refused with everything that is wrong with it", () => {
    assert.deepStrictEqual(pathsOf({ at: 5, other: 1 }), ["name missing", "other unknown_key", "at type:string"])
  })

  it("is refused before any schema sees it if it is no object or beyond the limits", () => {
    let deep: unknown = {}
    for (let level = 0; level < 5000; level++) deep = { name: deep }
    assert.deepStrictEqual(
      [undefined, null, [], "{}", deep].map((document) => pathsOf(document)),
      [[" not_object"], [" not_object"], [" not_object"], [" not_object"], [" too_deep"]]
    )
  })
})
