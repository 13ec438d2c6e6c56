import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Characters from "../src/internal/characters.ts"
import { headEnd, tailStart } from "../src/internal/textEnds.ts"
import * as Arbitraries from "./support/arbitraries.ts"

/** The same widths under another name, so that they are added up one by one. */
const oneByOne = (text: string, index: number): number => Characters.utf8Width(text, index)

describe("the ends of a text", () => {
  it.effect.prop(
    "are the same, whether the engine or a loop counts what fits",
    { text: Arbitraries.text, limits: Arbitraries.limits },
    ({ limits, text }) =>
      Effect.sync(() => {
        assert.strictEqual(headEnd(text, limits), headEnd(text, limits, oneByOne))
        assert.strictEqual(tailStart(text, limits), tailStart(text, limits, oneByOne))
      }),
    { arbitrary: { runs: 500 } }
  )

  it.each([
    ["a😀", 4, 1],
    ["a😀", 5, 0],
    ["😀a", 4, 2],
    ["\ud83da", 3, 1],
    ["\ud83da", 4, 0]
  ])("of %j in %d bytes begin at %d", (text, bytes, start) => {
    assert.strictEqual(tailStart(text, { bytes, lines: 1 }), start)
  })
})
