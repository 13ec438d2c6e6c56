import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { maxRecordBytes, RecordReader, SearchGlob, shownLine } from "./support/internal.ts"

const data = (bytes: Buffer) => {
  const text = bytes.toString("utf8")
  return Buffer.from(text).equals(bytes) ? { text } : { bytes: bytes.toString("base64") }
}

const printed = (path: string, line: Buffer, start = 0): Buffer =>
  Buffer.from(
    `${JSON.stringify({
      type: "match",
      data: {
        path: { text: path },
        lines: data(line),
        line_number: 7,
        absolute_offset: 70,
        submatches: [{ match: { text: "x" }, start, end: start + 1 }]
      }
    })}\n${JSON.stringify({ type: "end", data: { path: { text: path } } })}\n`
  )

const readAll = (bytes: Buffer, size: number) => {
  const reader = new RecordReader()
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    reader.push(bytes.subarray(index * size, (index + 1) * size))
  ).flat()
}

const positive = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))

describe("what the engine prints", () => {
  it.prop(
    "is read the same however it is cut into pieces",
    { path: Schema.String, line: Schema.Uint8Array, size: positive },
    ({ line, path, size }) => {
      const bytes = Buffer.from(line)
      assert.deepStrictEqual(readAll(printed(path.toWellFormed(), bytes, 3), size), [
        {
          _tag: "Line",
          path: path.toWellFormed(),
          isMatch: true,
          line: 7,
          offset: 70,
          bytes,
          isWhole: true,
          start: 3
        },
        { _tag: "FileEnd" }
      ])
    }
  )

  it.each([
    ["of characters", Buffer.from('é"\\\u{1F600}},"line_number":3,'.repeat(200_000))],
    ["of bytes that are none", Buffer.alloc(maxRecordBytes * 3, 0xff)]
  ])("of a huge line %s, the beginning and the numbers are kept", (_, line) => {
    for (const size of [65_536, 1_000_003]) {
      const [event, end, ...rest] = readAll(Buffer.concat([printed("a", line), printed("b", Buffer.from("x"))]), size)
      if (event?._tag !== "Line") return assert.fail("no line")
      assert.deepStrictEqual([event.path, event.line, event.offset, event.isWhole], ["a", 7, 70, false])
      assert.isAbove(event.bytes.length, 10_000)
      assert.isTrue(line.subarray(0, event.bytes.length).equals(event.bytes))
      assert.strictEqual(end?._tag, "FileEnd")
      assert.lengthOf(rest, 2)
    }
  })

  it("that is not a record is passed over", () => {
    assert.deepStrictEqual(readAll(Buffer.from('nonsense\n{"type":"begin"}\n{}\n'), 10), [])
  })
})

describe("a shown line", () => {
  it.prop(
    "is well formed and at most 2,000 characters and two ellipses long",
    { line: Schema.Uint8Array },
    ({ line }) => {
      const bytes = Buffer.concat(Array.from({ length: 200 }, () => Buffer.from(line)))
      const { text } = shownLine(bytes, Math.floor(bytes.length / 2), true)
      assert.isTrue(text.isWellFormed())
      assert.isAtMost(text.length, 2_002)
    }
  )

  it.prop("is the line itself if that is short text", { text: Schema.String }, ({ text }) => {
    const line = text
      .toWellFormed()
      .replaceAll(/[\r\n]/g, "")
      .slice(0, 400)
      .toWellFormed()
    assert.deepStrictEqual(shownLine(Buffer.from(`${line}\r\n`), 0, true), { text: line, isCut: false })
  })
})

describe("a glob", () => {
  it("that fits everything is none", () => {
    for (const glob of ["*", "**", "**/*", "./**/*", "./"]) assert.isUndefined(SearchGlob.normalized(glob))
    assert.strictEqual(SearchGlob.normalized("./src/*.ts"), "src/*.ts")
  })

  it.prop(
    "with .. between its names is always refused",
    { left: Schema.String, right: Schema.String },
    ({ left, right }) => {
      for (const glob of [`${left}/../${right}`, `{${left},..}${right}`.replaceAll("..}", "../}"), `../${right}`]) {
        assert.isDefined(SearchGlob.faultOf(glob))
      }
    }
  )
})
