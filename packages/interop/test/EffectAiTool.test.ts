import { assert, describe, it } from "@effect/vitest"
import * as Testing from "@haft/core/testing"
import { EffectAiTool } from "@haft/interop"
import { Context, Effect, Schema } from "effect"
import { Prompt, Tool as AiTool } from "effect/ai"

class Thermometer extends Context.Service<Thermometer, { readonly celsius: number }>()("test/Thermometer") {}

const weather = AiTool.make("weather", {
  description: "Tells the weather",
  parameters: Schema.Struct({ city: Schema.String, at: Schema.optionalKey(Schema.Date) }),
  success: Schema.Finite,
  failure: Schema.Struct({ city: Schema.String }),
  dependencies: [Thermometer]
})

const mounted = EffectAiTool.make(weather, ({ city }) =>
  city === "Atlantis" ? Effect.fail({ city }) : Effect.map(Thermometer, ({ celsius }) => celsius)
).pipe(Effect.provideService(Thermometer, { celsius: 21 }))

describe("a mounted tool of effect/ai", () => {
  it.effect("runs with the services that were there when it was mounted", () =>
    Effect.gen(function* () {
      const { definition, output } = yield* Testing.call(yield* mounted, {
        city: "Rome",
        at: "2026-01-01T00:00:00.000Z"
      })
      assert.strictEqual(output.structured, 21)
      assert.strictEqual(definition.description, "Tells the weather")
    })
  )

  it.effect("fails with what its author declared as a failure", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Testing.call(yield* mounted, { city: "Atlantis" }))
      assert(error._tag === "ToolFailure")
      assert.strictEqual(error.message, '{"city":"Atlantis"}')
      assert.deepStrictEqual(error.details, { city: "Atlantis" })
    })
  )

  it.effect("says the message of a failure that has one", () =>
    Effect.gen(function* () {
      class Broken extends Schema.TaggedError<Broken>()("Broken", { message: Schema.String }) {}
      const tool = AiTool.make("broken", { failure: Broken, success: Schema.Null })
      const broken = yield* EffectAiTool.make(tool, () => Effect.fail(new Broken({ message: "It is broken" })))
      const error = yield* Effect.flip(Testing.call(broken, {}))
      assert(error._tag === "ToolFailure")
      assert.strictEqual(error.message, "It is broken")
    })
  )

  it.effect("rejects arguments that do not fit, before its handler", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Testing.call(yield* mounted, { city: 7 }))
      assert.strictEqual(error._tag, "InvalidInput")
    })
  )

  it.effect("shows its output as its author chose to", () =>
    Effect.gen(function* () {
      const tool = AiTool.make("draw", {
        success: Schema.Date,
        toModelOutput: (date) => [
          Prompt.textPart({ text: String(date.getUTCFullYear()) }),
          Prompt.filePart({ mediaType: "image/png", data: "AQI=", fileName: "dot.png" }),
          Prompt.filePart({ mediaType: "image/png", data: new URL("https://example.com/dot.png") })
        ]
      })
      const draw = yield* EffectAiTool.make(tool, () => Effect.succeed(new Date(0)))
      const { output } = yield* Testing.call(draw, {})
      assert.deepStrictEqual(output.content, [
        { _tag: "Text", text: "1970" },
        { _tag: "Media", mimeType: "image/png", data: new Uint8Array([1, 2]), name: "dot.png" },
        { _tag: "Text", text: "https://example.com/dot.png" }
      ])
    })
  )

  it.effect("stays known by JSON Schema if it was", () =>
    Effect.gen(function* () {
      const inputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
      const tool = AiTool.dynamic("dynamic", { parameters: inputSchema, success: Schema.Date })
      const dynamic = yield* EffectAiTool.make(tool, () => Effect.succeed(new Date(0)))
      const { definition, output } = yield* Testing.call(dynamic, { a: "x" })
      assert.deepStrictEqual(definition.inputSchema, inputSchema)
      assert.strictEqual(output.structured, "1970-01-01T00:00:00.000Z")
      assert.strictEqual((yield* Effect.flip(Testing.call(dynamic, {})))._tag, "InvalidInput")
    })
  )

  it.effect("reports what comes before its result as progress", () =>
    Effect.gen(function* () {
      const tool = AiTool.make("slow", { success: Schema.String })
      const slow = yield* EffectAiTool.make(tool, (_, { preliminary }) => Effect.as(preliminary("half"), "whole"))
      const { progress } = yield* Testing.observe(slow, {})
      assert.deepStrictEqual(progress, [{}])
    })
  )

  it.effect("declares what its author declared", () =>
    Effect.gen(function* () {
      const tool = weather.annotate(AiTool.Title, "Weather").annotate(AiTool.Readonly, true)
      const titled = yield* EffectAiTool.make(tool, () => Effect.succeed(1)).pipe(
        Effect.provideService(Thermometer, { celsius: 21 })
      )
      const { definition } = yield* Testing.call(titled, { city: "Rome" })
      assert.deepStrictEqual(definition.annotations, { title: "Weather", determinism: "pure", operations: ["read"] })
      const plain = yield* Testing.call(yield* mounted, { city: "Rome" })
      assert.deepStrictEqual(plain.definition.annotations, {})
    })
  )

  it.effect("is not mounted if it would run without the approval that it asks for", () =>
    Effect.gen(function* () {
      const tool = AiTool.make("danger", { success: Schema.Null, needsApproval: true })
      const handler = () => Effect.succeed(null)
      const error = yield* Effect.flip(EffectAiTool.make(tool, handler))
      assert.strictEqual(error._tag, "EffectAiTool.NeedsApprovalError")
      const free = yield* EffectAiTool.make(tool.setNeedsApproval(false), handler)
      assert.strictEqual((yield* Testing.call(free, {})).output.structured, null)
    })
  )
})
