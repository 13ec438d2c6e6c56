import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import type { OutputStore } from "@haft/core"
import { Deferred, Effect, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { LineSearch } from "../src/internal/lineSearch.ts"
import { countLineFeeds } from "../src/internal/lineFeeds.ts"
import { searchMillis, searchSource } from "../src/internal/outputSearch.ts"
import { compile } from "../src/internal/searchPattern.ts"

/** What is found when the output comes in pieces of `size` bytes. */
const search = (
  content: string | Uint8Array,
  query: OutputStore.Query,
  size: number
): ReadonlyArray<OutputStore.Match> => {
  const bytes = Buffer.from(content)
  const searching = new LineSearch(compile(query), query.offset ?? 0)
  const found: Array<OutputStore.Match> = []
  for (let start = 0; start < bytes.length; start += size) {
    found.push(...searching.push(bytes.subarray(start, start + size)))
  }
  return [...found, ...searching.end()]
}

/** A line without its end. */
const searched = (line: string): Uint8Array => Buffer.from(line.replace(/\r$/, ""))

/** Where the matches of a line begin that do not overlap, searched at once. */
const everyIn = (line: string, pattern: string): ReadonlyArray<number> => {
  const bytes = searched(line)
  const matcher = compile({ pattern }).atEnd.matcher(bytes)
  const offsets: Array<number> = []
  for (let at = 0; at <= bytes.length && matcher.find(at); at = Math.max(matcher.end(), at + 1)) {
    offsets.push(matcher.start())
  }
  return offsets
}

const Line = Schema.Literals(["", "a", "ab", "b a", "é東", "🛠 ab", "aab\r", "x".repeat(500), `${"y".repeat(300)}ab`])
const Patterns = Schema.Literals(["a", "^a", "b$", "^$", "a+b", "東", "[^ab]", "\\bab\\b", ".*", "x{10}$"])

describe("a search line by line", () => {
  it.prop(
    "finds in pieces of any size what it finds in each line by itself",
    {
      lines: Schema.Array(Line).check(Schema.isMaxLength(12)),
      pattern: Patterns,
      size: Schema.Literals([1, 3, 64, 10_000])
    },
    ({ lines, pattern, size }) => {
      const text = lines.join("\n")
      const { atEnd } = compile({ pattern })
      const expected = lines.flatMap((line, index) => {
        const isLast = index === lines.length - 1
        // An output ends with its last line feed, so there is no empty line behind it.
        return atEnd.test(line.replace(/\r$/, "")) && !(isLast && line === "") ? [index + 1] : []
      })
      assert.deepStrictEqual(
        search(text, { pattern }, size).map(({ line }) => line),
        expected
      )
    }
  )

  it.prop(
    "from any byte on finds what begins there or later, with the same numbers",
    {
      lines: Schema.Array(Line).check(Schema.isMaxLength(8)),
      offset: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))
    },
    ({ lines, offset }) => {
      const text = lines.join("\n")
      const all = search(text, { pattern: "ab|東" }, 7)
      for (const match of all.filter((one) => one.offset >= offset)) {
        const found = search(text, { pattern: "ab|東", offset }, 7)
        assert.deepInclude(
          found.map(({ line, offset }) => ({ line, offset })),
          { line: match.line, offset: match.offset }
        )
      }
    }
  )

  it("finds a match in a line without end wherever it lies, once", () => {
    const windowEnd = 64 * 1024
    const places = [0, 1, windowEnd - 4104, windowEnd - 4096, windowEnd - 4095, windowEnd - 7, windowEnd - 3, windowEnd]
    for (const place of places) {
      for (const size of [1000, 65_536, 1_000_000]) {
        const text = `${"-".repeat(place)}needle${"-".repeat(200_000 - place)}`
        const found = search(text, { pattern: "needle" }, size).map(({ offset }) => offset)
        assert.deepStrictEqual(found, [place], `${place} in pieces of ${size}`)
      }
    }
  })

  it("knows where a line without end begins and ends", () => {
    const line = "ab".repeat(100_000)
    assert.deepStrictEqual(
      search(`${line}\n${line}`, { pattern: "^a" }, 50_000).map(({ line, offset }) => [line, offset]),
      [
        [1, 0],
        [2, 200_001]
      ]
    )
    assert.deepStrictEqual(
      search(`${line}\n${line}`, { pattern: "ab$" }, 50_000).map(({ line, offset }) => [line, offset]),
      [
        [1, 199_998],
        [2, 399_999]
      ]
    )
  })

  const edge = 64 * 1024
  const filler = { ascii: "-", word: "w", wide: "é", digits: "01234567890123456789" }
  const Place = Schema.Int.check(Schema.isBetween({ minimum: -40, maximum: 40 }))
  const Near = Schema.Struct({
    at: Schema.Literals([0, edge - 4104, edge - 4096, edge, 2 * edge - 8200, 2 * edge - 4104, 2 * edge]),
    place: Place,
    text: Schema.Literals(["ab", "aab", " ab ", "東", "a\r", "x".repeat(61), "ab ab ab", "y".repeat(600)])
  })
  const Long = {
    parts: Schema.Array(Near).check(Schema.isMaxLength(6)),
    fill: Schema.Literals(["ascii", "word", "wide", "digits"]),
    end: Place,
    size: Schema.Literals([1000, 65_536, 1_000_000])
  }

  /** A line of more than a window, with something to find where windows begin and end. */
  const longLine = (parts: ReadonlyArray<typeof Near.Type>, fill: keyof typeof filler, end: number): string => {
    const width = Buffer.byteLength(filler[fill])
    const filled = (line: string, to: number) =>
      line + filler[fill].repeat(Math.max(0, Math.ceil((to - Buffer.byteLength(line)) / width)))
    const line = parts
      .toSorted((one, two) => one.at - two.at)
      .reduce((before, { at, place, text }) => filled(before, at + place) + text, "")
    return filled(line, 2 * edge + end)
  }

  const offsetsIn = (line: string, query: OutputStore.Query, size: number) =>
    search(`${line}\nab`, query, size).flatMap((match) => (match.line === 1 ? [match.offset] : []))

  it.prop(
    "finds in a very long line every match that a search of the whole line finds, from any of them on",
    {
      ...Long,
      pattern: Schema.Literals([
        "a",
        "^a",
        "b$",
        "a\\z",
        "\\bab\\b",
        "\\Bab",
        "a+b",
        "東",
        "x+",
        "y+$",
        "a|ab",
        "x{2}",
        "\\Qab",
        "[^é0-9w-]",
        "\\b[aw]",
        "[aw]\\b",
        "x*y"
      ])
    },
    ({ end, fill, parts, pattern, size }) => {
      const line = longLine(parts, fill, end)
      const expected = everyIn(line, pattern)
      assert.deepStrictEqual(offsetsIn(line, { pattern }, size), expected)
      const offset = expected[Math.floor(expected.length / 2)] ?? 0
      assert.deepStrictEqual(
        offsetsIn(line, { pattern, offset }, size),
        expected.filter((one) => one >= offset)
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "reports nothing in a very long line that does not match there, however much it might match",
    { ...Long, pattern: Schema.Literals(["w+$", "w+\\b", "w+\\z", "[^b]+$", "\\w+\\b ", "[w-]+(?:$|b)", "é+\\z"]) },
    ({ end, fill, parts, pattern, size }) => {
      const line = longLine(parts, fill, end)
      const matcher = compile({ pattern }).atEnd.matcher(searched(line))
      for (const offset of offsetsIn(line, { pattern }, size)) {
        assert.isTrue(matcher.find(offset))
        assert.strictEqual(matcher.start(), offset)
      }
    }
  )

  it("does not take the end of what it has read of a line for the end of the line", () => {
    const line = `${"x".repeat(70_000)}y${"-".repeat(100_000)}`
    for (const pattern of ["x+$", "x\\z", "x+\\b-", "(?:x|y)+\\z"]) {
      assert.deepStrictEqual(search(line, { pattern }, 65_536), [], pattern)
    }
    assert.deepStrictEqual(
      search(line, { pattern: "y\\b" }, 65_536).map(({ offset }) => offset),
      [70_000]
    )
  })

  it("counts a line once, and in a very long one every match", () => {
    const short = "needle needle"
    const long = `${short}${"-".repeat(64 * 1024)}`
    const found = search(`${short}\n${long}\n${short}`, { pattern: "needle" }, 10_000)
    assert.deepStrictEqual(
      found.map(({ line, offset }) => [line, offset]),
      [
        [1, 0],
        [2, 14],
        [2, 21],
        [3, 15 + long.length]
      ]
    )
  })

  it("shows whole characters around a match, and says where it cut", () => {
    const [match] = search(`${"🛠".repeat(1000)}needle${"🛠".repeat(1000)}`, { pattern: "needle" }, 10_000)
    assert.match(match?.text ?? "", /^🛠+needle🛠+$/u)
    assert.deepInclude(match, { line: 1, offset: 4000, cutBefore: true, cutAfter: true })
  })

  it("goes on through bytes that are no text", () => {
    const bytes = Buffer.concat([Buffer.of(0xff, 0xfe, 0x80), Buffer.from("needle"), Buffer.of(0xc3)])
    assert.deepStrictEqual(
      search(bytes, { pattern: "needle" }, 2).map(({ offset }) => offset),
      [3]
    )
  })
})

describe("line feeds", () => {
  it.prop(
    "are counted wherever they are, in bytes that begin anywhere",
    {
      bytes: Schema.Array(Schema.Literals([10, 11, 9, 0, 0x8a, 255])).check(Schema.isMaxLength(40)),
      start: Schema.Literals([0, 1, 2, 3])
    },
    ({ bytes, start }) => {
      const view = Uint8Array.from(bytes).subarray(start)
      assert.strictEqual(countLineFeeds(view), view.filter((byte) => byte === 10).length)
    }
  )

  it("are counted in any number of blocks, and none is counted that an earlier one had", () => {
    for (const length of [15, 16, 17, 65_535, 65_536, 65_537, 200_001]) {
      assert.strictEqual(countLineFeeds(new Uint8Array(length).fill(10)), length)
      assert.strictEqual(countLineFeeds(new Uint8Array(length - 1)), 0)
    }
  })

  it.each([
    ["has no WebAssembly", "undefined"],
    ["refuses it", "{ Module: class { constructor() { throw new RangeError() } } }"]
  ])("are counted where an engine %s", (_, engine) => {
    const module = new URL("../src/internal/lineFeeds.ts", import.meta.url).href
    const program = `
      const { countLineFeeds } = await import(${JSON.stringify(module)})
      globalThis.WebAssembly = ${engine}
      console.log(countLineFeeds(new Uint8Array(70_001).fill(10)), countLineFeeds(new Uint8Array(5)))`
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program])
    assert.strictEqual(stdout.toString(), "70001 0\n")
  })
})

describe("a search on a thread of its own", () => {
  it.effect("stops at its time limit with what it has, and says where to go on", () =>
    Effect.gen(function* () {
      const reading = yield* Deferred.make<void>()
      const stuck = Stream.fromEffect(Effect.andThen(Deferred.succeed(reading, undefined), Effect.never))
      const source = {
        mimeType: "text/plain",
        bytes: 100,
        lines: 3,
        read: () => Stream.concat(Stream.make(Buffer.from("no\nneedle\nrest")), stuck)
      }
      const found: Array<OutputStore.Match> = []
      const fiber = yield* Effect.forkChild(
        Effect.flip(
          Stream.runForEach(searchSource(source, { pattern: "needle" }), (match: OutputStore.Match) =>
            Effect.sync(() => found.push(match))
          )
        )
      )
      yield* Deferred.await(reading)
      yield* TestClock.adjust(searchMillis)
      const stopped = yield* Fiber.join(fiber)
      assert.deepInclude(stopped, { _tag: "OutputStore.SearchStoppedError", limitMs: searchMillis, offset: 10 })
      assert.deepStrictEqual(
        found.map(({ line }) => line),
        [2]
      )
    })
  )
})
