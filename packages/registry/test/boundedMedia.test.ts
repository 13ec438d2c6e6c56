import { assert, describe, it } from "@effect/vitest"
import { type Settlement, ToolContent } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import { Deferred, Effect, Fiber, Ref, Schema } from "effect"
import { Keys } from "../src/internal/keys.ts"
import { withoutCopies } from "../src/internal/mediaCopies.ts"
import { inSteps } from "../src/internal/steps.ts"
import * as Bounds from "./support/bounds.ts"
import * as KeptOutputs from "./support/keptOutputs.ts"
import { readOf } from "./support/read.ts"
import { succeeded } from "./support/settlements.ts"

const image = (bytes: number, name?: string): ToolContent.Media =>
  ToolContent.media({
    mimeType: "image/png",
    data: new Uint8Array(bytes).fill(bytes % 251),
    ...(name === undefined ? {} : { name })
  })

const contentOf = (settlement: Settlement.Settlement) => {
  assert(settlement._tag === "Succeeded")
  return settlement.output.content
}

const base64 = ({ data }: ToolContent.Media): string => Buffer.from(data).toString("base64")

const withCopies = (part: ToolContent.Media, value: Schema.Json) =>
  inSteps(() => withoutCopies(value, [part], () => "pointer", new Keys()))

describe("media", () => {
  it.effect("within the limits is sent as it is, whatever happens to the texts around it", () =>
    Effect.gen(function* () {
      const content = [image(1_000_000), ToolContent.text("short"), image(OutputBounds.defaults.mediaBytes)]
      const settlement = succeeded(null, content)
      assert.strictEqual(yield* Bounds.bound(settlement), settlement)
      const texts = [content[0] ?? image(0), ToolContent.text("x".repeat(60_000)), content[2] ?? image(0)]
      const cut = contentOf(yield* Bounds.bound(succeeded(null, texts)))
      assert.deepStrictEqual([cut[0], cut[2]], [content[0], content[2]])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("that is too large is kept, and a note takes its place", () =>
    Effect.gen(function* () {
      const large = image(OutputBounds.defaults.mediaBytes + 1, "large.png")
      const small = image(10, "small.png")
      const shown = yield* Bounds.bound(succeeded(null, [ToolContent.text("before"), large, small]))
      assert.deepStrictEqual(contentOf(shown), [
        ToolContent.text("before"),
        ToolContent.text(`[large.png, image/png: not shown here. Its 3750001 bytes were kept as ${shown.managed[0]}.]`),
        small
      ])
      const [kept] = yield* (yield* KeptOutputs.Outputs).outputs
      assert.strictEqual(kept?.mimeType, "image/png")
      assert.strictEqual(Buffer.compare(kept?.bytes ?? new Uint8Array(), large.data), 0)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("that is too much together, or too many, is sent as far as it goes", () =>
    Effect.gen(function* () {
      const tags = (settlement: Settlement.Settlement) => contentOf(settlement).map(({ _tag }) => _tag)
      const together = succeeded(null, [image(60), image(50), image(40)])
      assert.deepStrictEqual(tags(yield* Bounds.bound(together, { mediaTotalBytes: 100 })), ["Media", "Text", "Media"])
      const many = succeeded(null, [image(1), image(2), image(3)])
      assert.deepStrictEqual(tags(yield* Bounds.bound(many, { mediaParts: 2 })), ["Media", "Media", "Text"])
      assert.deepStrictEqual(tags(yield* Bounds.bound(many, { mediaBytes: 0 })), ["Text", "Text", "Text"])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("of all calls of a turn together is sent as far as the turn has room, also of calls side by side", () =>
    Effect.gen(function* () {
      const { before } = yield* KeptOutputs.Outputs
      const gate = yield* Deferred.make<void>()
      yield* Ref.set(before, () => Deferred.await(gate))
      const { bound } = (yield* OutputBounds.Service).forTurn(new Map())
      const two = succeeded(null, [image(3_700_000), image(3_700_000)])
      const calls = Effect.all(
        Array.from({ length: 10 }, () => bound(two)),
        { concurrency: "unbounded" }
      )
      const all = yield* Effect.forkChild(calls, { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      const sent = (yield* Fiber.join(all)).map(contentOf)
      assert.deepStrictEqual(sent[0], contentOf(two))
      const bytes = sent.flat().reduce((sum, part) => sum + (part._tag === "Media" ? part.data.length : 0), 0)
      assert.strictEqual(bytes, 7_400_000)
      assert.strictEqual((yield* (yield* KeptOutputs.Outputs).outputs).length, 18)
      assert.match(JSON.stringify(sent[9]), /not shown here\. Its 3700000 bytes were kept as out_/)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("of all calls of a turn together is sent in no larger number than that of the turn", () =>
    Effect.gen(function* () {
      const { bound } = (yield* OutputBounds.Service).forTurn(new Map())
      const three = succeeded(null, [image(1), image(2), image(3)])
      const shown = yield* Effect.all(
        Array.from({ length: 10 }, () => bound(three)),
        { concurrency: "unbounded" }
      )
      const sent = shown.flatMap((settlement) => contentOf(settlement).filter(({ _tag }) => _tag === "Media"))
      assert.strictEqual(sent.length, OutputBounds.defaults.turnMediaParts)
      assert.strictEqual((yield* (yield* KeptOutputs.Outputs).outputs).length, 30 - sent.length)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect.each([{ turnMediaBytes: 100 }, { turnMediaParts: 1 }])(
    "of a call that could not be kept leaves its room to the next: %o",
    (limits) =>
      Effect.gen(function* () {
        const { before } = yield* KeptOutputs.Outputs
        const { bound } = (yield* OutputBounds.Service).forTurn(new Map(), limits)
        yield* Ref.set(before, () => Effect.fail(KeptOutputs.storageError))
        yield* Effect.flip(bound(succeeded(null, [image(80), image(90)])))
        const settlement = succeeded(null, [image(100)])
        assert.strictEqual(yield* bound(settlement), settlement)
      }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("in such numbers that the notes are too long leaves a bounded text that leads to all of it", () =>
    Effect.gen(function* () {
      const many = succeeded(
        null,
        Array.from({ length: 200 }, () => image(5, "x".repeat(1_000)))
      )
      const shown = yield* Bounds.bound(many, { mediaParts: 1, bytes: 4_000 })
      assert.isAtMost(readOf(shown).bytes, 4_000)
      assert.strictEqual(shown.managed.length, 200)
      const [type, notes = ""] = (yield* Bounds.keptTexts).at(-1) ?? []
      assert.strictEqual(type, "text/plain")
      for (const ref of shown.managed.slice(0, -1)) assert.include(notes, ref)
    }).pipe(Effect.provide(Bounds.layer))
  )
})

describe("a structured text that repeats a media part", () => {
  const photo = image(500_000)
  const small = image(200)

  it.effect.each([
    ["in the alphabet of addresses", (text: string) => text.replaceAll("+", "-").replaceAll("/", "_")],
    ["without what fills it up", (text: string) => text.replace(/=+$/, "")],
    ["as a data URL in capitals", (text: string) => `DATA:image/png;BASE64,${text}`],
    ["in lines of 76 as in mail", (text: string) => text.replaceAll(/.{76}/g, "$&\r\n")],
    ["in lines of 64 with one at the end", (text: string) => `${text.replaceAll(/.{64}(?!$)/g, "$&\n")}\n`],
    ["in lines of 77, as a data URL", (text: string) => `data:;base64,${text.replaceAll(/.{77}/g, "$&\n")}`],
    ["in one line that has an end", (text: string) => `${text}\n`]
  ] as const)("is replaced by a pointer %s too, and a text that differs in one place is not", ([, written]) =>
    Effect.gen(function* () {
      const data = new Uint8Array(100_000).map((_, index) => (index * 37) % 251)
      const part = ToolContent.media({ mimeType: "image/png", data })
      const other = ToolContent.media({ mimeType: "image/png", data: data.with(99_999, 7) })
      assert.deepStrictEqual(yield* withCopies(part, [written(base64(part)), written(base64(other))]), [
        "pointer",
        written(base64(other))
      ])
    })
  )

  it.effect("is replaced by a pointer wherever it is, as base64 and as a data URL", () =>
    Effect.gen(function* () {
      const structured = {
        size: [1, 2],
        image: base64(photo),
        nested: [{ url: `data:image/png;base64,${base64(small)}`, other: base64(image(201)) }]
      }
      const shown = yield* Bounds.bound(succeeded(structured, [ToolContent.text("x"), photo, small]))
      assert(shown._tag === "Succeeded")
      assert.deepStrictEqual(shown.output.structured, {
        size: [1, 2],
        image: "[the same bytes as media part 1 of this output]",
        nested: [{ url: "[the same bytes as media part 2 of this output]", other: base64(image(201)) }]
      })
      assert.deepStrictEqual(shown.output.content, [ToolContent.text("x"), photo, small])
      assert.deepStrictEqual(yield* Bounds.keptTexts, [])
      assert.strictEqual(structured.image, base64(photo), "the domain's value is untouched")
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("is replaced among the texts as well, and stays the same there and in the value", () =>
    Effect.gen(function* () {
      const url = `data:image/png;base64,${base64(photo)}`
      const shown = yield* Bounds.bound(succeeded(url, [ToolContent.text(url), photo, ToolContent.text("caption")]))
      assert(shown._tag === "Succeeded")
      const pointer = "[the same bytes as media part 1 of this output]"
      assert.strictEqual(shown.output.structured, pointer)
      assert.deepStrictEqual(shown.output.content, [ToolContent.text(pointer), photo, ToolContent.text("caption")])
      assert.deepStrictEqual(yield* Bounds.keptTexts, [])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("is found however deep it is", () =>
    Effect.gen(function* () {
      let value: Schema.Json = base64(photo)
      for (let level = 0; level < 20_000; level++) value = level % 2 === 0 ? [value] : { ["__proto__"]: value }
      const shown = yield* Bounds.bound(succeeded(value, [photo]))
      assert.strictEqual(shown.managed.length, 1)
      const [kept] = yield* Bounds.keptTexts
      assert.include(kept?.[1], '{"__proto__":["[the same bytes as media part 1 of this output]"]}')
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("of a part that is kept leads there", () =>
    Effect.gen(function* () {
      const shown = yield* Bounds.bound(succeeded(base64(photo), [photo]), { mediaBytes: 100 })
      assert(shown._tag === "Succeeded")
      assert.strictEqual(shown.output.structured, `[the same bytes were kept as ${shown.managed[0]}]`)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.prop(
    "is found in lines of any length, and not if a character of it differs or is missing",
    {
      bytes: Schema.Int.check(Schema.isBetween({ minimum: 96, maximum: 400 })),
      columns: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 })),
      lineBreak: Schema.Literals(["\n", "\r\n"]),
      at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120 }))
    },
    ({ at, bytes, columns, lineBreak }) =>
      Effect.gen(function* () {
        const part = image(bytes)
        const lines = (text: string) => text.match(new RegExp(`.{1,${columns}}`, "g"))?.join(lineBreak) ?? ""
        const text = base64(part)
        const different = `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`
        const shorter = text.slice(0, at) + text.slice(at + 1)
        assert.deepStrictEqual(
          yield* withCopies(part, [lines(text), lines(different), lines(shorter.replace(/=+$/, ""))]),
          ["pointer", lines(different), lines(shorter.replace(/=+$/, ""))]
        )
      })
  )

  it.effect("is not mistaken for one that differs in a byte, or that is short", () =>
    Effect.gen(function* () {
      const other = image(500_000)
      other.data[499_999] = 1
      const tiny = image(12)
      const settlement = succeeded([base64(other).slice(0, 400), base64(tiny)], [photo, tiny])
      assert.strictEqual(yield* Bounds.bound(settlement), settlement)
      const shown = yield* Bounds.bound(succeeded(base64(other), [photo]))
      assert.strictEqual(shown.managed.length, 1, "it is too large, and no copy")
    }).pipe(Effect.provide(Bounds.layer))
  )

  const searched: ReadonlyArray<readonly [string, Schema.Json, ToolContent.Media]> = [
    ["a value of a million entries", Array.from({ length: 1_000_000 }, () => 1), small],
    ["a text of as many megabytes as the part has", base64(image(24 * 2 ** 20)), image(24 * 2 ** 20)]
  ]

  it.effect.each(searched)("is looked for in steps, so that others work in between: in %s", ([, value, part]) =>
    Effect.gen(function* () {
      let rounds = 0
      const round = Effect.sync(() => void rounds++).pipe(Effect.andThen(Effect.yieldNow))
      const others = yield* Effect.forkChild(Effect.forever(round, { disableYield: true }))
      yield* inSteps(() => withoutCopies(value, [part], String, new Keys()))
      yield* Fiber.interrupt(others)
      assert.isAtLeast(rounds, 30)
    })
  )
})
