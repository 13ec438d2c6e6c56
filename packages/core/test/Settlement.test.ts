import { assert, describe, it } from "@effect/vitest"
import { ManagedOutput, Settlement, SettlementStore, SideEffect, ToolCall, ToolContent, ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Schema } from "effect"

const shared = {
  context: Testing.context,
  name: "read",
  effect: SideEffect.committed([{ kind: "write", target: "a.txt", bytes: 3 }]),
  warnings: [{ code: "repaired", message: 'The text "1" was read as the number 1.', path: "limit" }],
  timing: { startedAt: 1, endedAt: 2 },
  managed: [ManagedOutput.Ref.make("out_0123456789abcdef")]
}

const settlements: ReadonlyArray<Settlement.Settlement> = [
  Settlement.succeeded({
    ...shared,
    output: {
      structured: { size: 3 },
      content: [
        ToolContent.text("three bytes"),
        ToolContent.media({ mimeType: "image/png", data: new Uint8Array([0, 255, 3]), name: "a.png" })
      ]
    }
  }),
  Settlement.failed({ ...shared, failure: ToolFailure.notFound({ message: "No such file", hint: "List first" }) }),
  Settlement.rejected({
    ...shared,
    effect: SideEffect.notStarted,
    rejection: { _tag: "InvalidInput", violations: [], violationsOmitted: 0 },
    message: "No"
  })
]

describe("Settlement", () => {
  it.effect.each(settlements)("$_tag is the same after it was stored as JSON", (settlement) =>
    Effect.gen(function* () {
      const ended: SettlementStore.Ended = { _tag: "Settled", settlement }
      const stored = JSON.stringify(yield* Schema.encodeEffect(SettlementStore.Ended)(ended))
      const loaded = yield* Schema.decodeUnknownEffect(SettlementStore.Ended)(JSON.parse(stored))
      assert.deepStrictEqual(loaded, ended)
    })
  )

  it("encodes to JSON by itself, so that no store needs a second codec", () => {
    for (const schema of [Settlement.Settlement, SettlementStore.Ended, SettlementStore.Begun]) {
      assert.strictEqual(Schema.toCodecJson(schema).ast, schema.ast)
    }
  })

  it("refuses a reference and a mime type that are none", () => {
    assert.throws(() => ManagedOutput.Ref.make("/var/out_0123456789abcdef"))
    assert.throws(() => ToolContent.media({ mimeType: "png", data: new Uint8Array() }))
  })
})

describe("an id", () => {
  it.each(["", " ", "a b", "a\nb", "a\u200bb", "x".repeat(257)])("may not be %j", (text) => {
    assert.throws(() => ToolCall.ID.make(text))
  })

  it.each(["call_1", "functions.read:0", "größe", "x".repeat(256)])("may be %j", (text) => {
    assert.strictEqual(ToolCall.ID.make(text), text)
  })
})
