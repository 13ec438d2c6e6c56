import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { OutputPieces } from "../src/internal/outputPieces.ts"
import { TextBytes } from "../src/internal/textBytes.ts"

/** As it is kept: into memory of one size, which is used again when a part does not fit any more. */
const bytesOf = (text: string, length: number, memory: number): Buffer => {
  const bytes = new TextBytes(text, length)
  const filled: Array<Buffer> = []
  let part = Buffer.alloc(0)
  while (!bytes.isAtEnd) {
    const room = new Uint8Array(memory - part.length)
    const written = bytes.into(room)
    part = Buffer.concat([part, room.subarray(0, written)])
    if (written > 0) continue
    assert.isAbove(part.length, 0, "it fits into memory that is empty")
    filled.push(part)
    part = Buffer.alloc(0)
  }
  return Buffer.concat([...filled, part])
}

/** Of one byte, of two, three and four, and halves of pairs. */
const Characters = Schema.Array(Schema.Literals(["a", "\n", "é", "ÿ", "Ā", "ж", "→", "漢", "😀", "\ud83d", "\ude00"]))

describe("a text in UTF-8", () => {
  it.prop(
    "is what it is when it is encoded at once, whatever its characters and the room for it",
    {
      characters: Characters.check(Schema.isMaxLength(60)),
      narrow: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
      length: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 20 })),
      memory: Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 100 }))
    },
    ({ characters, length, memory, narrow }) => {
      const text = "x".repeat(narrow) + characters.join("")
      assert.strictEqual(bytesOf(text, length, memory).toString("hex"), Buffer.from(text).toString("hex"))
    }
  )

  it("is the same where it is long, and wide, and not well formed at its end", () => {
    for (const text of ["漢字かな😀\n".repeat(100_000), `${"ж".repeat(300_000)}\ud83d`, `${"x".repeat(600_000)}→`]) {
      assert.isTrue(bytesOf(text, 2 ** 18, 2 ** 20).equals(Buffer.from(text)))
    }
  })
})

describe("pieces of an output", () => {
  it("are its chunks where these are large, and gathered where they are small", () => {
    const mebibyte = 2 ** 20
    const sizes = (...chunks: ReadonlyArray<number>) => {
      const pieces = new OutputPieces()
      const whole = chunks.flatMap((size) => [...pieces.add(new Uint8Array(size))].map(({ length }) => length))
      return [...whole, pieces.rest.length]
    }
    assert.deepStrictEqual(sizes(mebibyte, mebibyte - 3, 5), [mebibyte, mebibyte - 3, 5])
    assert.deepStrictEqual(sizes(3, mebibyte, 4), [mebibyte, 7])
    assert.deepStrictEqual(sizes(3 * mebibyte + 7), [mebibyte, mebibyte, mebibyte, 7])
    assert.deepStrictEqual(sizes(...Array.from({ length: 5 }, () => mebibyte / 4)), [mebibyte, mebibyte / 4])
  })

  it("are all bytes in their order", () => {
    const bytes = new Uint8Array(2_500_000).map((_, index) => (index * 37) % 251)
    const pieces = new OutputPieces()
    const found: Array<Uint8Array> = []
    for (const [start, end] of [
      [0, 7],
      [7, 600_000],
      [600_000, 1_500_000],
      [1_500_000, 2_500_000]
    ] as const) {
      for (const piece of pieces.add(bytes.subarray(start, end))) found.push(piece.slice())
    }
    assert.isTrue(Buffer.concat([...found, pieces.rest]).equals(bytes))
  })
})
