import { assert, describe, it } from "@effect/vitest"
import { ManagedOutput, OutputStore, type Settlement, ToolContent, ToolFailure } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import { Effect, Layer } from "effect"
import * as Sentences from "../src/internal/sentences.ts"
import * as Bounds from "./support/bounds.ts"
import { readOf, textsOf } from "./support/read.ts"
import { failed, rejected, succeeded } from "./support/settlements.ts"

const text = (value: string) => succeeded(value, [ToolContent.text(value)])

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n")

const shownText = (settlement: Settlement.Settlement): string => {
  assert(settlement._tag === "Succeeded")
  return textsOf(settlement.output.content)
}

describe("what is within the limits", () => {
  const { bytes, lines: maxLines } = OutputBounds.defaults
  const fitting: ReadonlyArray<readonly [string, Settlement.Settlement]> = [
    ["a text of as many bytes as there may be", text("x".repeat(bytes))],
    ["a text of as many lines as there may be", text("\n".repeat(maxLines))],
    ["a text and a value that fit together", succeeded(["x"], [ToolContent.text("x".repeat(bytes - 5))])],
    ["a text of wide characters", text("😀".repeat(bytes / 4))],
    ["a failure", failed(ToolFailure.notFound({ message: "x", candidates: ["y"] }))],
    ["a rejection", rejected({ _tag: "StaleCall" }, "x")]
  ]

  it.effect.each(fitting)("is not touched: %s", ([, settlement]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Bounds.bound(settlement), settlement)
      assert.deepStrictEqual(yield* Bounds.keptTexts, [])
    }).pipe(Effect.provide(Bounds.layer))
  )

  const beyond: ReadonlyArray<readonly [string, Settlement.Settlement]> = [
    ["a text of one byte more", text("x".repeat(bytes + 1))],
    ["a text of one line more", text(`${"\n".repeat(maxLines)}x`)],
    ["a text and a value that fit only one by one", succeeded(["x"], [ToolContent.text("x".repeat(bytes - 4))])],
    ["a text with one wide character too many", text(`${"😀".repeat(bytes / 4)}x`)],
    ["texts that fit without the line feed between", succeeded("x", ["x", "x".repeat(bytes - 1)].map(ToolContent.text))]
  ]

  it.effect.each(beyond)("is nothing beyond them: %s", ([, settlement]) =>
    Effect.gen(function* () {
      const shown = yield* Bounds.bound(settlement)
      assert.strictEqual(shown.managed.length, 1)
      assert.isAtMost(readOf(shown).bytes, bytes)
      assert.isAtMost(readOf(shown).lines, maxLines)
    }).pipe(Effect.provide(Bounds.layer))
  )
})

describe("a preview of a text", () => {
  it.effect("begins and ends as the text does, and says between what is missing and where it is", () =>
    Effect.gen(function* () {
      const whole = lines(100)
      const shown = yield* Bounds.bound(text(whole), { lines: 8 })
      assert.strictEqual(
        shownText(shown),
        [
          lines(4),
          `[93 lines, 738 bytes left out here. The complete output was kept as ${shown.managed[0]}.]`,
          "line 97\nline 98\nline 99"
        ].join("\n")
      )
      assert.deepStrictEqual(yield* Bounds.keptTexts, [["text/plain", whole]])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("names the tool that reads what is kept in turns that offer it, and in no others", () =>
    Effect.gen(function* () {
      const reader = yield* Bounds.offered("read_output")
      const shown = yield* Bounds.bound(text(lines(100)), { lines: 8 }, reader)
      assert.include(shownText(shown), `was kept as ${shown.managed[0]}: read it with read_output.]`)
      const other = yield* Bounds.bound(text(lines(100)), { lines: 8 }, yield* Bounds.offered("another"))
      assert.notInclude(shownText(other), "read_output")
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("of one long line has its beginning and its end", () =>
    Effect.gen(function* () {
      const whole = `begin ${"x".repeat(2_000_000)} end`
      const shown = yield* Bounds.bound(text(whole))
      const { bytes } = OutputBounds.defaults
      assert.isAtMost(readOf(shown).bytes, bytes)
      assert.isAtLeast(readOf(shown).bytes, bytes - 100, "most of the room is used")
      assert.match(shownText(shown), /^begin x+\n\[\d+ bytes left out here\. .+\]\nx+ end$/)
      assert.deepStrictEqual(yield* Bounds.keptTexts, [["text/plain", whole]])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("has the reference even where the limits leave room for nothing", () =>
    Effect.gen(function* () {
      const shown = yield* Bounds.bound(text("x".repeat(1_000)), { bytes: 1, lines: 1 })
      assert.include(shownText(shown), `${shown.managed[0]}`)
      assert.isAtMost(readOf(shown).bytes, OutputBounds.smallest.bytes)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("leaves media at their places, and texts in their order", () =>
    Effect.gen(function* () {
      const image = ToolContent.media({ mimeType: "image/png", data: Uint8Array.of(1), name: "one.png" })
      const other = ToolContent.media({ mimeType: "image/png", data: Uint8Array.of(2) })
      const content = [
        ToolContent.text("first"),
        image,
        ToolContent.text(lines(1_000)),
        other,
        ToolContent.text("last")
      ]
      const shown = yield* Bounds.bound(succeeded(null, content), { bytes: 1_000 })
      assert(shown._tag === "Succeeded")
      const [first, firstImage, cut, lastImage, last] = shown.output.content
      assert.deepStrictEqual([first, firstImage, lastImage, last], [content[0], image, other, content[4]])
      assert(cut?._tag === "Text")
      assert.match(
        cut.text,
        /^line 0\n(?:line \d+\n)+\[\d+ lines, \d+ bytes left out here\. .+\]\n(?:line \d+\n)+line 999$/
      )
      assert.deepStrictEqual(yield* Bounds.keptTexts, [["text/plain", `first\none.png\n${lines(1_000)}\nlast`]])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("drops texts between, and keeps the media among them", () =>
    Effect.gen(function* () {
      const image = ToolContent.media({ mimeType: "image/png", data: Uint8Array.of(1), name: "x".repeat(5_000) })
      const content = [ToolContent.text(lines(500)), ToolContent.text("gone"), image, ToolContent.text(lines(500))]
      const shown = yield* Bounds.bound(succeeded(null, content), { bytes: 1_000 })
      assert(shown._tag === "Succeeded")
      assert.deepStrictEqual(
        shown.output.content.map(({ _tag }) => _tag),
        ["Text", "Media", "Text"]
      )
      assert.notProperty(shown.output.content[1], "name")
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("of a text among others that is also the structured value is the structured value", () =>
    Effect.gen(function* () {
      const whole = lines(1_000)
      const shown = yield* Bounds.bound(succeeded(whole, [ToolContent.text("head"), ToolContent.text(whole)]), {
        bytes: 600
      })
      assert(shown._tag === "Succeeded")
      assert.strictEqual(`head\n${String(shown.output.structured)}`, shownText(shown))
      assert.deepStrictEqual(yield* Bounds.keptTexts, [["text/plain", `head\n${whole}`]])
    }).pipe(Effect.provide(Bounds.layer))
  )
})

describe("a preview of a structured value", () => {
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `name ${id}` }))

  it.effect("has its shape, with the first and the last entries and how many are missing", () =>
    Effect.gen(function* () {
      const value = { total: rows.length, rows }
      const shown = yield* Bounds.bound(succeeded(value), { bytes: 512 })
      assert(shown._tag === "Succeeded")
      assert.deepStrictEqual(shown.output.structured, {
        preview: `This is shortened from 28803 bytes. The complete value was kept as ${shown.managed[0]}.`,
        value: {
          total: 1_000,
          rows: [...rows.slice(0, 5), "… 990 items left out", ...rows.slice(-5)]
        }
      })
      assert.deepStrictEqual(yield* Bounds.keptTexts, [["application/json", JSON.stringify(value)]])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("cuts long texts in it, and leaves out keys", () =>
    Effect.gen(function* () {
      const value = {
        text: "x".repeat(1_000),
        deep: { deeper: { list: rows } },
        keys: Object.fromEntries(rows.map(({ id, name }) => [name, id]))
      }
      const shown = yield* Bounds.bound(succeeded(value), { bytes: 700 })
      assert(shown._tag === "Succeeded")
      assert.match(
        JSON.stringify(shown.output.structured),
        /"text":"x+… \[\d+ characters left out\] …x+",.*"list":\[.*"… \d+ items left out",.*"keys":\{.*"…":"\d+ keys left out",.*"name 999":999\}/
      )
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("says how many keys are missing under a key that the object does not have", () =>
    Effect.gen(function* () {
      const value = { "…": "mine", ...Object.fromEntries(rows.map(({ id, name }) => [name, id])) }
      const shown = yield* Bounds.bound(succeeded(value), { bytes: 512 })
      assert(shown._tag === "Succeeded")
      assert.match(
        JSON.stringify(shown.output.structured),
        /"value":\{"…":"mine","name 0":0,.*"……":"\d+ keys left out",.*"name 999":999\}/
      )
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("says between which keys some are missing, where numbers as keys come before it", () =>
    Effect.gen(function* () {
      const value = Object.fromEntries(rows.map(({ id }) => [id, "x"]))
      const shown = yield* Bounds.bound(succeeded(value), { bytes: 512 })
      assert(shown._tag === "Succeeded")
      const keys = [...rows.slice(0, 16), ...rows.slice(-15)].map(({ id }) => [id, "x"])
      assert.deepNestedInclude(shown.output.structured, {
        value: { ...Object.fromEntries(keys), "…": "969 keys left out between the first 16 and the last 15" }
      })
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("speaks of one item, one key and one byte in the singular", () =>
    Effect.gen(function* () {
      const huge = "x".repeat(300)
      const value = { list: [1, 2, huge.repeat(9), 3], keys: { a: 1, [huge]: 2, b: huge.repeat(9) } }
      const shown = yield* Bounds.bound(succeeded(value), { bytes: 600 })
      assert(shown._tag === "Succeeded")
      assert.include(JSON.stringify(shown.output.structured), '"…":"1 key left out"')
      assert.strictEqual(Sentences.itemsLeftOut(1), "… 1 item left out")
      assert.strictEqual(Sentences.charactersLeftOut(1), "… [1 character left out] …")
      const kept = { ref: "out_x", reader: undefined }
      assert.strictEqual(
        Sentences.leftOut({ bytes: 1, lines: 1 }, kept),
        "[1 line, 1 byte left out here. The complete output was kept as out_x.]"
      )
      assert.strictEqual(
        Sentences.mediaKept("image/png", 1, "out_x"),
        "[image/png: not shown here. Its 1 byte was kept as out_x.]"
      )
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("beside a text that is too long is kept by itself, and what fits is not touched", () =>
    Effect.gen(function* () {
      const both = yield* Bounds.bound(succeeded(rows, [ToolContent.text(lines(1_000))]), { bytes: 1_000 })
      assert.strictEqual(both.managed.length, 2)
      const onlyValue = yield* Bounds.bound(succeeded(rows, [ToolContent.text("short")]), { bytes: 1_000 })
      assert.strictEqual(shownText(onlyValue), "short")
      const onlyText = yield* Bounds.bound(succeeded([1], [ToolContent.text(lines(1_000))]), { bytes: 1_000 })
      assert.deepNestedInclude(onlyText, { "output.structured": [1] })
      assert.deepStrictEqual(
        (yield* Bounds.keptTexts).map(([type]) => type),
        ["text/plain", "application/json", "application/json", "text/plain"]
      )
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("looks at no more of a list than it shows", () =>
    Effect.gen(function* () {
      let looks = 0
      const endless = new Proxy<Array<number>>([], {
        get: (target, key) => {
          if (key === "length") return 2 ** 32 - 1
          if (typeof key === "symbol") return Reflect.get(target, key)
          looks++
          return 7
        }
      })
      const ref = ManagedOutput.Ref.make("out_0123456789abcdef")
      const forgetful = Layer.mock(OutputStore.Service, { retain: () => Effect.succeed({ ref, bytes: 1, lines: 1 }) })
      const shown = yield* Bounds.bound(succeeded(endless)).pipe(
        Effect.provide(OutputBounds.layer().pipe(Layer.provide(forgetful)))
      )
      assert.strictEqual(shown.managed.length, 1)
      assert.isAtMost(looks, 10 * OutputBounds.defaults.bytes)
    })
  )
})
