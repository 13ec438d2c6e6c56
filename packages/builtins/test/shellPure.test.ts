import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Capture, formsOf, Scrubber, Window } from "./support/internal.ts"

const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
const Lengths = Schema.Array(Small).check(Schema.isMaxLength(12))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 60 }))

/** Bytes that are different from each other, in pieces of these lengths. */
const piecesOf = (lengths: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  let next = 0
  return lengths.map((length) => Buffer.from(Array.from({ length }, () => next++ % 251)))
}

describe("a window", () => {
  it.prop(
    "keeps the beginning and the end of whatever is pushed, in any pieces",
    { lengths: Lengths, limit: Limit },
    ({ lengths, limit }) => {
      const [window, space] = [new Window(limit), Buffer.alloc(limit)]
      const pieces = piecesOf(lengths)
      for (const piece of pieces) {
        for (const { at, from, to } of window.place(piece.length)) piece.copy(space, at, from, to)
      }
      const all = Buffer.concat(pieces)
      const read = (position: number, length: number) =>
        Buffer.concat(window.pieces(position, length).map(({ at, length }) => space.subarray(at, at + length)))
      const kept =
        all.length <= limit
          ? all
          : Buffer.concat([all.subarray(0, window.headBytes), all.subarray(window.headBytes - limit)])
      assert.deepStrictEqual(read(0, limit), kept)
      assert.strictEqual(window.kept + window.lost, all.length)
      for (let position = 0; position < kept.length; position += 3) {
        assert.deepStrictEqual(read(position, 7), kept.subarray(position, position + 7))
      }
    }
  )
})

describe("a captured output", () => {
  it.prop(
    "is complete below its limit and counts what it lost above, in whole characters",
    { text: Schema.String, cut: Small, limit: Limit },
    ({ cut, limit, text }) => {
      const bytes = Buffer.from(text.toWellFormed())
      const capture = new Capture(limit)
      capture.push(bytes.subarray(0, cut))
      capture.push(bytes.subarray(cut))
      const marker = "\u0001gap\u0001"
      const captured = capture.end(() => marker)
      assert.isTrue(captured.text.isWellFormed())
      assert.strictEqual(captured.invalidBytes, 0)
      const shown = Buffer.byteLength(captured.text.replace(marker, ""))
      assert.strictEqual(shown + captured.lostBytes, bytes.length)
      if (bytes.length <= limit) assert.strictEqual(captured.text, text.toWellFormed())
    }
  )

  it("counts bytes that are no text, and not the character that stands for them", () => {
    const capture = new Capture(1000)
    capture.push(Buffer.from([0x61, 0xff, 0xfe, 0x62]))
    capture.push(Buffer.from("\uFFFD"))
    assert.deepStrictEqual(capture.end(String), { text: "a\uFFFD\uFFFDb\uFFFD", invalidBytes: 2, lostBytes: 0 })
  })
})

describe("a secret", () => {
  const secret = 's3cr3t/+"value"?'
  const scrub = (bytes: Buffer, size: number, secrets: ReadonlyArray<string> = [secret]): string => {
    const scrubber = new Scrubber(formsOf(secrets))
    const parts: Array<Uint8Array> = []
    for (let at = 0; at < bytes.length; at += size) parts.push(scrubber.push(bytes.subarray(at, at + size)))
    return Buffer.concat([...parts, scrubber.end()]).toString()
  }

  const forms: ReadonlyArray<readonly [string, string]> = [
    ["as it is", secret],
    ["in JSON", JSON.stringify(secret).slice(1, -1)],
    ["in a URL", encodeURIComponent(secret)],
    ["in hexadecimal digits", Buffer.from(secret).toString("hex")],
    ...["", "a", "ab"].map(
      (before) => [`in base64 after ${before.length}`, Buffer.from(`${before}${secret}`).toString("base64")] as const
    ),
    ["in base64 for URLs", Buffer.from(secret).toString("base64url")]
  ]

  it.each(forms)("is taken out %s, wherever the bytes are cut", (_, form) => {
    for (const size of [1, 2, 3, 7, 1000]) {
      const clean = scrub(Buffer.from(`before ${form} after`), size)
      assert.include(clean, "<redacted>")
      assert.isTrue(clean.startsWith("before ") && clean.endsWith(" after"), clean)
      for (let at = 0; at + 8 <= form.length; at++) assert.notInclude(clean, form.slice(at, at + 8))
    }
  })

  it("that contains another one is taken out as a whole", () => {
    for (const size of [1, 5, 100]) {
      assert.strictEqual(scrub(Buffer.from("x-12345678-9y"), size, ["12345678", "-12345678-9"]), "x<redacted>y")
    }
  })

  it("that is not there changes nothing", () => {
    assert.strictEqual(scrub(Buffer.from("nothing to see"), 3), "nothing to see")
  })
})
