import { assert, describe, it } from "@effect/vitest"
import { ToolContent } from "@haft/core"
import { Effect, Schema } from "effect"
import { jsonText } from "../src/internal/jsonText.ts"
import { Tally } from "../src/internal/tally.ts"
import * as Arbitraries from "./support/arbitraries.ts"
import * as Bounds from "./support/bounds.ts"
import { succeeded } from "./support/settlements.ts"

const small = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 50 }))

describe("JSON that is written piece by piece", () => {
  it.prop(
    "is what it is when it is written at once, and so is its size",
    { value: Arbitraries.json, length: small },
    ({ length, value }) => {
      const pieces = [...jsonText(value, length)]
      assert.strictEqual(pieces.join(""), JSON.stringify(value))
      assert.isAbove(pieces.length, 1)
    }
  )

  it.prop(
    "takes as many bytes as are counted, and is found to be too large for one byte less",
    { value: Arbitraries.json, text: Arbitraries.text },
    ({ text, value }) => {
      const bytes = Buffer.byteLength(JSON.stringify(value))
      for (const max of [Number.POSITIVE_INFINITY, bytes + 1, bytes]) {
        const tally = new Tally().start(max, 1)
        tally.json(value)
        assert.deepStrictEqual([tally.bytes, tally.isOver], [bytes, false])
      }
      for (const max of [bytes - 1, bytes - 2, bytes >> 1, 10]) {
        const tally = new Tally().start(max, 1)
        tally.json(value)
        assert.isTrue(tally.isOver)
      }
      const { length } = Buffer.from(text)
      for (const [max, isOver] of [
        [length, false],
        [length - 1, true]
      ] as const) {
        const tally = new Tally().start(max, Number.POSITIVE_INFINITY)
        tally.text(text)
        assert.strictEqual(tally.isOver, isOver)
      }
    }
  )

  it("can be as deep as it likes", () => {
    const depth = 100_000
    let value: Schema.Json = []
    for (let level = 1; level < depth; level++) value = [value]
    const text = [...jsonText(value, 1_000)].join("")
    assert.strictEqual(text, "[".repeat(depth) + "]".repeat(depth))
  })

  it("is never in one piece if it is long", () => {
    for (const value of ["x".repeat(100_000), Array.from({ length: 10_000 }, () => "x")]) {
      for (const piece of jsonText(value, 1_000)) assert.isAtMost(piece.length, 2_000)
    }
  })
})

describe("what is kept in several chunks", () => {
  it.effect("has no character divided between them", () =>
    Effect.gen(function* () {
      const text = `a${"😀".repeat(300_000)}`
      const parts = Array.from({ length: 3 }, () => ToolContent.text(text))
      yield* Bounds.bound(succeeded([text], parts))
      assert.isTrue(
        (yield* Bounds.keptTexts).every(([type, kept], index) =>
          index === 0
            ? type === "text/plain" && kept === [text, text, text].join("\n")
            : type === "application/json" && kept === JSON.stringify([text])
        )
      )
      assert.strictEqual((yield* Bounds.keptTexts).length, 2)
    }).pipe(Effect.provide(Bounds.layer))
  )
})
