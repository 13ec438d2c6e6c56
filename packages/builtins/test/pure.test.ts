import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { applyEdit, applyHunks, distance, find, nearest, PageMaker, parse, TextFile } from "./support/internal.ts"

const runs = { arbitrary: { runs: 300 } }

/** Pieces that make files interesting, put together at random. */
const Piece = Schema.Literals(["a", "b", "\n", "\r\n", "\r", " ", "\t", "é", "😀", "’", "\uFEFF", "$&", ""])
const Text = Schema.Array(Piece)
const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))

const joined = (pieces: ReadonlyArray<string>) => pieces.join("")
const bytes = (text: string) => new TextEncoder().encode(text)

describe("the text of a file", () => {
  it.prop(
    "comes out as it went in, byte for byte",
    { pieces: Text },
    ({ pieces }) => {
      const before = bytes(joined(pieces))
      assert.deepStrictEqual(TextFile.encode(Result.getOrThrow(TextFile.decode(before))), before)
    },
    runs
  )

  it.prop(
    "that is not UTF-8 is told by its first bad byte",
    { pieces: Text, rest: Text, bad: Schema.Literals([0x80, 0xc0, 0xe9, 0xff]) },
    ({ bad, pieces, rest }) => {
      const good = bytes(joined(pieces))
      const file = Buffer.concat([good, Buffer.from([bad]), bytes(`a${joined(rest)}`)])
      assert.deepStrictEqual(TextFile.decode(file), Result.fail(good.length))
    },
    runs
  )

  it("is found to be bad in the last block, too", () => {
    const file = Buffer.concat([Buffer.alloc(200_000, "é"), Buffer.from([0xff])])
    assert.deepStrictEqual(TextFile.decode(file), Result.fail(200_000))
    assert.deepStrictEqual(TextFile.decode(Buffer.from([0x61, 0xc3])), Result.fail(1))
  })

  it("has the line ends that all of its lines have", () => {
    assert.strictEqual(TextFile.lineEndsOf("a\nb"), "lf")
    assert.strictEqual(TextFile.lineEndsOf("ab"), "lf")
    assert.strictEqual(TextFile.lineEndsOf("a\r\nb\r\n"), "crlf")
    assert.strictEqual(TextFile.lineEndsOf("a\r\nb\n"), "mixed")
  })
})

describe("finding a text", () => {
  it.prop(
    "finds what is there, and puts what it is given exactly there",
    { before: Text, wanted: Text, after: Text, put: Text },
    ({ after, before, put, wanted }) => {
      const old = `<${joined(wanted)}>`
      const file = Result.getOrThrow(TextFile.decode(bytes(`x${joined(before)}${old}${joined(after)}`)))
      const edited = applyEdit(file, { old: TextFile.inStyleOf(file, old), new: joined(put) }, 10_000)
      if (Result.isFailure(edited)) return assert.strictEqual(edited.failure._tag, "Ambiguous")
      const expected = `x${joined(before)}${TextFile.inStyleOf(file, joined(put))}${joined(after)}`
      if (joined(wanted).includes("\r") || joined(wanted).includes("\n")) return undefined
      assert.strictEqual(edited.success.file.text, expected.replace(/^\uFEFF/, ""))
      assert.strictEqual(edited.success.applied.rule, "exact")
    },
    runs
  )

  it.prop(
    "never claims an exact match that is none",
    { text: Text, wanted: Schema.NonEmptyArray(Piece) },
    ({ text, wanted }) => {
      const [whole, old] = [joined(text), joined(wanted)]
      if (old === "") return
      const { matches, rule } = find(whole, old, "!", true)
      if (rule === "exact") for (const { end, start } of matches) assert.strictEqual(whole.slice(start, end), old)
      else assert.isFalse(whole.includes(old))
    },
    runs
  )

  it.prop(
    "replaces nothing but what matched",
    { text: Text, wanted: Schema.NonEmptyArray(Piece) },
    ({ text, wanted }) => {
      const [whole, old] = [joined(text), joined(wanted)]
      if (old === "") return
      const file = { hasMark: false, text: whole, lineEnds: "mixed" as const }
      const edited = applyEdit(file, { old, new: "\u0000", replaceAll: true }, 10_000)
      if (Result.isFailure(edited)) return
      const kept = edited.success.file.text.split("\u0000").map((piece) => piece.replaceAll(/^[ \t]+/gm, ""))
      let from = 0
      for (const piece of kept) {
        const at = whole.replaceAll(/^[ \t]+/gm, "").indexOf(piece, from)
        assert.isAtLeast(at, from)
        from = at + piece.length
      }
    },
    runs
  )

  it("takes a time that grows with the text and not with its square", () => {
    const text = `${" ".repeat(1_000_000)}x`
    assert.deepStrictEqual(find(text, "y", "", true).matches, [])
  })
})

describe("a page of a text", () => {
  it.prop(
    "is the same however the bytes come",
    { text: Text, sizes: Schema.NonEmptyArray(Small), offset: Small, limit: Small },
    ({ limit, offset, sizes, text }) => {
      const all = bytes(joined(text))
      const maker = new PageMaker(offset + 1, limit + 1, 0)
      for (let from = 0, index = 0, wants = true; from < all.length && wants; index++) {
        const size = (sizes[index % sizes.length] ?? 0) + 1
        wants = maker.push(all.subarray(from, from + size))
        from += size
      }
      const page = maker.end()
      const lines = Buffer.from(all).toString().split("\n")
      if (lines.at(-1) === "") lines.pop()
      const shown = lines.map((line, index) => (index === 0 ? line.replace(/^\uFEFF/, "") : line).replace(/\r$/, ""))
      const expected = shown.slice(offset, offset + limit + 1)
      assert.deepStrictEqual(page.lines, expected)
      if (page.next !== undefined) assert.strictEqual(page.next, offset + 1 + page.lines.length)
      if (page.total !== undefined) assert.strictEqual(page.total, lines.length)
    },
    runs
  )
})

/** A patch that turns one list of lines into another, with everything kept that both begin and end with. */
const patchBetween = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): string =>
  [
    "*** Begin Patch",
    "*** Update File: f",
    "@@",
    ...before.map((line) => `-${line}`),
    ...after.map((line) => `+${line}`),
    "*** End Patch"
  ].join("\n")

const Line = Schema.Literals(["a", "b", "c ", "\td", "", "é"])
const Lines = Schema.NonEmptyArray(Line)

describe("a patch", () => {
  it.prop(
    "turns one text into the other and keeps how its lines end",
    { before: Lines, after: Schema.Array(Line), end: Schema.Literals(["\n", "\r\n"]), last: Schema.Boolean },
    ({ after, before, end, last }) => {
      const text = before.join(end) + (last ? end : "")
      if (text === "" || (!last && before.at(-1) === "")) return
      const file = Result.getOrThrow(TextFile.decode(bytes(text)))
      const [parsed] = Result.getOrThrow(parse(patchBetween(before, after)))
      assert(parsed?._tag === "Update")
      const patched = Result.getOrThrow(applyHunks(file, parsed.hunks))
      const style = text.includes("\r\n") ? "\r\n" : "\n"
      const expected = after.length === 0 ? "" : after.join(style) + (last ? style : "")
      assert.strictEqual(patched.file.text, expected)
      assert.deepStrictEqual(patched.rules, ["exact"])
    },
    runs
  )

  it.prop(
    "of any text is read or refused, and never breaks",
    {
      lines: Schema.Array(
        Schema.Literals([
          "*** Begin Patch",
          "*** End Patch",
          "*** Add File: a",
          "*** Update File: b",
          "*** Delete File: c",
          "*** Move to: d",
          "*** End of File",
          "@@",
          "@@ x",
          "+x",
          "-x",
          " x",
          "",
          "x"
        ])
      )
    },
    ({ lines }) => {
      const parsed = parse(["*** Begin Patch", ...lines].join("\n"))
      if (Result.isSuccess(parsed)) assert.isNotEmpty(parsed.success)
      else assert.isAtLeast(parsed.failure.line, 1)
    },
    runs
  )
})

describe("a name that was meant", () => {
  it.prop(
    "is as far from another as the other from it, and not at all from itself",
    { left: Text, right: Text },
    ({ left, right }) => {
      const [one, other] = [joined(left), joined(right)]
      assert.strictEqual(distance(one, other, 100), distance(other, one, 100))
      assert.strictEqual(distance(one, one, 0), 0)
    },
    runs
  )

  it("is suggested by likeness, three at most", () => {
    assert.deepStrictEqual(nearest("index.js", ["other", "index.ts", "Index.js", "indx.js", "index.mjs"]), [
      "Index.js",
      "index.ts",
      "indx.js"
    ])
  })
})
