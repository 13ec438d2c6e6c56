import { assert, describe, it } from "@effect/vitest"
import { type Settlement, ToolContent } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import { Effect } from "effect"
import * as Arbitraries from "./support/arbitraries.ts"
import * as Bounds from "./support/bounds.ts"
import { readOf } from "./support/read.ts"
import { succeeded } from "./support/settlements.ts"

const answer = (text: string): Settlement.Succeeded => ({
  ...succeeded(text, [ToolContent.text(text)]),
  name: "read_output"
})

const textOf = (settlement: Settlement.Settlement): string => {
  assert(settlement._tag === "Succeeded")
  const { content, structured } = settlement.output
  assert.deepStrictEqual(content, [ToolContent.text(String(structured))])
  return String(structured)
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

const page = `[lines 1 to 300 of 9000, bytes 0 to 2592 of 90000]\n${lines(300)}[To read on, give line 301.]`

const ending = (shown: string) =>
  `[This answer ends here, ${shown} after its first line: there is no room for more in this turn. ` +
  "Read the same reference again from this point, or with a smaller limit.]"

describe("an answer of read_output for which there is no room", () => {
  it.effect("ends early with whole lines, says where, and is not kept a second time", () =>
    Effect.gen(function* () {
      const shown = yield* Bounds.bound(answer(page), { lines: 12 })
      const [header] = page.split("\n")
      assert.strictEqual(textOf(shown), `${header}\n${lines(10)}${ending("10 lines, 71 bytes")}`)
      assert.deepStrictEqual(shown.managed, [])
      assert.deepStrictEqual(yield* Bounds.keptTexts, [])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("because the turn's budget is used up is short and not kept either, unlike that of any other tool", () =>
    Effect.gen(function* () {
      const { bound } = (yield* OutputBounds.Service).forTurn(new Map(), { turnBytes: 2_000 })
      yield* bound(answer(page))
      yield* bound(answer(page))
      const last = yield* bound(answer(page))
      assert.isAtMost(readOf(last).bytes, OutputBounds.smallest.bytes)
      assert.match(textOf(last), /^\[lines 1 to 300 .+\n(line \d+\n)+\[This answer ends here, /)
      assert.deepStrictEqual(yield* Bounds.keptTexts, [])
      yield* bound(succeeded(page, [ToolContent.text(page)]))
      assert.deepStrictEqual(yield* Bounds.keptTexts, [["text/plain", page]])
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("shows the beginning of a line that is longer than the room, so that reading moves on", () =>
    Effect.gen(function* () {
      const shown = yield* Bounds.bound(answer(`[bytes 0 to 40000 of 90000]\n${"é".repeat(20_000)}\n[more]`), {
        bytes: 600
      })
      const [header, part = "", end] = textOf(shown).split("\n")
      assert.strictEqual(header, "[bytes 0 to 40000 of 90000]")
      assert.match(part, /^é{50,}$/)
      assert.strictEqual(end, ending(`${2 * part.length} bytes`))
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect.prop(
    "is within the limits whatever it is, and begins as it did",
    { text: Arbitraries.text, limits: Arbitraries.limits },
    ({ limits, text }) =>
      Effect.gen(function* () {
        const settlement = answer(text)
        const shown = yield* Bounds.bound(settlement, limits)
        assert.isAtMost(readOf(shown).bytes, Math.max(limits.bytes, OutputBounds.smallest.bytes))
        assert.isAtMost(readOf(shown).lines, Math.max(limits.lines, OutputBounds.smallest.lines))
        assert.deepStrictEqual(yield* Bounds.keptTexts, [])
        if (shown === settlement) return
        const [head = ""] = textOf(shown).split(/\n?\[This answer ends here, /)
        assert.isTrue(text.toWellFormed().startsWith(head))
      }).pipe(Effect.provide(Bounds.layer)),
    { arbitrary: { runs: 300 } }
  )

  it.effect("that is not one text is bounded as that of any other tool", () =>
    Effect.gen(function* () {
      const foreign = { ...succeeded([page], [ToolContent.text(page)]), name: "read_output" }
      assert.strictEqual((yield* Bounds.bound(foreign, { bytes: 1_000 })).managed.length, 2)
    }).pipe(Effect.provide(Bounds.layer))
  )
})
