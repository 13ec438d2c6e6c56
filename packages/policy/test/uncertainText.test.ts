import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import * as Pattern from "../src/internal/pattern.ts"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import * as Uncertain from "../src/internal/uncertainText.ts"

const signs = Schema.Array(Schema.Literals(["a", "b", " ", "⟦⟧"])).check(Schema.isMaxLength(5))
const patterns = Schema.Array(Schema.Literals(["a", "b", " ", "*", "?"])).check(Schema.isMaxLength(5))

const textOf = (written: ReadonlyArray<string>): Uncertain.Text =>
  written.map((sign) => (sign === "⟦⟧" ? Uncertain.unknown : sign))

/** Some of what an unknown piece can turn out to be. */
const values = ["", "a", "b", " ", "ab", " a", "b ", "aab b"]

const readings = (text: Uncertain.Text): ReadonlyArray<string> => {
  const [first, ...rest] = text
  if (first === undefined) return [""]
  const beginnings = first === Uncertain.unknown ? values : [first]
  return readings(rest).flatMap((end) => beginnings.map((beginning) => beginning + end))
}

describe("a text with unknown pieces", () => {
  it.prop(
    "matches for sure only what it matches in every reading",
    [patterns, signs],
    ([written, some]) => {
      const [pattern, text] = [Pattern.compile(written.join("")), textOf(some)]
      if (!Uncertain.matches(pattern, text)) return
      for (const reading of readings(text)) assert.isTrue(Pattern.matches(pattern, reading), reading)
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "might match whatever it matches in some reading",
    [patterns, signs],
    ([written, some]) => {
      const [pattern, text] = [Pattern.compile(written.join("")), textOf(some)]
      if (Uncertain.mightMatch(pattern, text)) return
      for (const reading of readings(text)) assert.isFalse(Pattern.matches(pattern, reading), reading)
    },
    { arbitrary: { runs: 500 } }
  )

  it("might be shorter by the space beside a piece that is empty", () => {
    const text: Uncertain.Text = ["a", " ", Uncertain.unknown]
    assert.isTrue(Uncertain.mightMatch(Pattern.compile("a"), text))
    assert.isFalse(Uncertain.mightMatch(Pattern.compile("b"), text))
    assert.isTrue(Uncertain.matches(Pattern.compile("a *"), text))
    assert.isFalse(Uncertain.matches(Pattern.compile("a"), text))
  })

  it("might match if it is too long to be compared", () => {
    const text: Uncertain.Text = [...Array.from({ length: 2000 }, () => "a"), Uncertain.unknown]
    assert.isTrue(Uncertain.mightMatch(Pattern.compile("b".repeat(1000)), text))
    assert.isFalse(Uncertain.mightMatch(Pattern.compile("b"), text))
  })
})
