import { assert, describe, it } from "@effect/vitest"
import { VisibleText } from "@haft/core"

describe("visible text", () => {
  it("has nothing in it that hides, reverses or breaks", () => {
    const text = "a\u202eb\u200bc\u00a0d\u2028e\u001b[2J"
    const shown = "a\\u{202e}b\\u{200b}c\\u{a0}d\\u{2028}e\\u{1b}[2J"
    assert.strictEqual(VisibleText.onOneLine(text), shown)
    assert.strictEqual(VisibleText.asLine(text), shown)
  })

  it("is read back in one way only, as one line and as one of several", () => {
    assert.strictEqual(VisibleText.onOneLine("a\nb\\nc"), String.raw`a\nb\u{5c}nc`)
    assert.strictEqual(VisibleText.asLine(String.raw`a\nb\u{1}`), String.raw`a\nb\u{5c}u{1}`)
  })
})
