import { assert, describe, it } from "@effect/vitest"
import { Permission } from "@haft/core"
import { Schema } from "effect"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import * as Pattern from "../src/internal/pattern.ts"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import * as Sequence from "../src/internal/sequence.ts"

const matches = (pattern: string, text: string) => Pattern.matches(Pattern.compile(pattern), text)

/** The definition, written down without caring for time. */
const defined = (tokens: Pattern.Pattern, text: ReadonlyArray<string>): boolean => {
  const [token, ...others] = tokens
  const [, ...rest] = text
  if (token === undefined) return text.length === 0
  if (Pattern.isCharacter(token)) return text[0] === token && defined(others, rest)
  if (!isMany(token)) return text.length > 0 && defined(others, rest)
  return defined(others, text) || (text.length > 0 && defined(tokens, rest))
}

const [star] = Pattern.compile("*")
const isMany = (token: Pattern.Pattern[number]) => token === star

const smallText = Schema.Array(Schema.Literals(["a", "b", "/", "é", "🛠"])).check(Schema.isMaxLength(8))
const smallPattern = Schema.Array(Schema.Literals(["a", "b", "/", "*", "?", "\\", "🛠"])).check(Schema.isMaxLength(7))

const longText = Schema.Array(Schema.Literals(["a", "a", "a", "b"])).check(Schema.isMaxLength(150))
const longPattern = Schema.Array(Schema.Literals(["a", "a", "a", "b", "?", "*"])).check(Schema.isMaxLength(100))

const twoPointers: Sequence.Grammar<string, string> = {
  isMany: (token) => token === "*",
  takes: (token, character) => token === "?" || token === character
}

describe("a pattern", () => {
  it.prop(
    "matches what its definition says",
    [smallPattern, smallText],
    ([pattern, text]) => {
      const compiled = Pattern.compile(pattern.join(""))
      assert.strictEqual(Pattern.matches(compiled, text.join("")), defined(compiled, text))
    },
    { arbitrary: { runs: 2000 } }
  )

  it.prop(
    "matches in one pass what two pointers find step by step, however long it is",
    [longPattern, longText],
    ([pattern, text]) => {
      const expected = Sequence.fits(twoPointers, pattern, text)
      assert.strictEqual(matches(pattern.join(""), text.join("")), expected)
      const own = pattern.map((token) => (token === "?" ? "a" : token)).filter((token) => token !== "*")
      assert.isTrue(matches(pattern.join(""), own.join("")))
    },
    { arbitrary: { runs: 500 } }
  )

  it("of the greatest length is compared with a long text as fast as with any other", () => {
    const pattern = `*${"a".repeat(4094)}b`
    assert.isFalse(matches(pattern, "a".repeat(1_000_000)))
    assert.isTrue(matches(pattern, `${"a".repeat(1_000_000)}b`))
  })

  it("has stars that stand for any characters, none and a slash included", () => {
    for (const text of ["src/", "src/a.ts", "src/a/b/c.ts", "src/\n"]) assert.isTrue(matches("src/*", text), text)
    for (const text of ["src", "Src/a", "other/src/a"]) assert.isFalse(matches("src/*", text), text)
    assert.isTrue(matches("**", "a/b") && matches("*", "") && matches("a*b*c", "a/b/b/c"))
  })

  it("has question marks that stand for exactly one character, a slash and one outside the plane of 16 bits included", () => {
    for (const text of ["a.b", "a/b", "a🛠b"]) assert.isTrue(matches("a?b", text), text)
    for (const text of ["ab", "a..b", "ae\u0301b"]) assert.isFalse(matches("a?b", text), text)
  })

  it("means a character itself after a backslash", () => {
    assert.isTrue(matches(String.raw`\*.ts`, "*.ts"))
    assert.isFalse(matches(String.raw`\*.ts`, "a.ts"))
    assert.isTrue(matches(String.raw`a\\b`, String.raw`a\b`))
    assert.isTrue(matches("a\\", "a\\"))
  })

  it.prop("written by `literal` matches its text and is exact, whatever the text", [Schema.String], ([text]) => {
    const pattern = Pattern.compile(Permission.literal(text))
    assert.isTrue(Pattern.matches(pattern, text))
    assert.isTrue(Pattern.isExact(pattern))
    assert.isFalse(Pattern.matches(pattern, `${text}x`))
    assert.isFalse(Pattern.isExact(Pattern.compile(`${Permission.literal(text)}*`)))
  })

  it("of path components takes at most as many steps as both have together multiplied, where others take for ever", () => {
    const tokens = [...`${"*a".repeat(50)}b`]
    const text = [..."a".repeat(2000)]
    let steps = 0
    const counting: Sequence.Grammar<string, string> = {
      isMany: (token) => token === "*",
      takes: (token, character) => {
        steps++
        return token === character
      }
    }
    assert.isFalse(Sequence.fits(counting, tokens, text))
    assert.isTrue(Sequence.fits(counting, tokens, [...text, "b"]))
    assert.isAtMost(steps, 2 * tokens.length * (text.length + 1))
  })
})
