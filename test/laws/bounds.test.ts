import { assert } from "@effect/vitest"
import { type ManagedOutput, OutputStore, SettlementStore, Tool, ToolContent, ToolFailure, Tools } from "@haft/core"
import { OutputBounds, OutputStores, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Context, Effect, Exit, Layer, Option, Schema, Stream } from "effect"
import { law } from "./law.ts"

/** What a store was given to keep, by the reference that it gave for it. */
class Kept extends Context.Service<
  Kept,
  Map<ManagedOutput.Ref, { readonly mimeType: string; readonly bytes: Uint8Array }>
>()("test/Kept") {}

const watched = (store: OutputStore.Interface, kept: Kept["Service"]): OutputStore.Interface => ({
  ...store,
  retain: (sessionID, { bytes, mimeType }) => {
    const chunks: Array<Uint8Array> = []
    const seen = Stream.tap(bytes, (chunk) => Effect.sync(() => chunks.push(chunk.slice())))
    return Effect.tap(store.retain(sessionID, { mimeType, bytes: seen }), ({ ref }) =>
      Effect.sync(() => kept.set(ref, { mimeType, bytes: Buffer.concat(chunks) }))
    )
  }
})

const Watched = Layer.effectContext(
  Effect.gen(function* () {
    const kept: Kept["Service"] = new Map()
    const store = watched(yield* OutputStore.Service, kept)
    return Context.make(OutputStore.Service, store).pipe(Context.add(Kept, kept))
  })
).pipe(Layer.provide(OutputStores.layerMemory()))

const registryOn = <A>(outputs: Layer.Layer<A | OutputStore.Service>) =>
  Layer.fresh(
    ToolRegistry.layer.pipe(
      Layer.provideMerge(OutputBounds.layer()),
      Layer.provideMerge(outputs),
      Layer.provideMerge(Testing.layer)
    )
  )

const executing = (
  effect: Effect.Effect<Schema.Json, ToolFailure.ToolFailure>,
  toModelOutput?: () => ReadonlyArray<ToolContent.ToolContent>
): Tool.Any =>
  Tool.make({
    description: "Test",
    input: Schema.Struct({}),
    output: Schema.Json,
    execute: () => effect,
    ...(toModelOutput === undefined ? {} : { toModelOutput })
  })

const offering = Effect.fnUntraced(function* (
  record: Readonly<Record<string, Tool.Any>>,
  options?: ToolRegistry.TurnOptions
) {
  yield* (yield* Tools.Service).register(record)
  return yield* (yield* ToolRegistry.Service).materialize(options)
})

const long = "long 😀 \ud83d\r\n".repeat(20_000)
const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, text: "row" }))
const image = ToolContent.media({ mimeType: "image/png", data: Uint8Array.of(1, 2, 3), name: "image.png" })

law("every-model-visible-text-is-bounded", "outputs, failures and rejections that are too long are cut", () => {
  const limit = 1_000
  const failure = ToolFailure.notFound({ message: long, hint: long, candidates: [long, long], details: { rows } })
  const tools = {
    text: executing(Effect.succeed(long)),
    value: executing(Effect.succeed(rows)),
    parts: executing(Effect.succeed(rows), () => [ToolContent.text(long), image, ToolContent.text(long)]),
    failure: executing(Effect.fail(failure)),
    partial: executing(Effect.fail(ToolFailure.unavailable({ message: "", partial: long }))),
    invalid: executing(Effect.succeed(null))
  }
  const input = (name: string) =>
    name === "invalid" ? Object.fromEntries(rows.map(({ id }) => [`key-${id}`, id])) : {}
  return Effect.gen(function* () {
    const { settle } = yield* offering(tools, { output: { bytes: limit, lines: 10 } })
    const read = yield* Effect.forEach([...Object.keys(tools), long], (name, index) =>
      settle(Testing.request(name, input(name), { id: `${index}` }))
    )
    assert.deepStrictEqual(
      read.map(({ _tag }) => _tag),
      ["Succeeded", "Succeeded", "Succeeded", "Failed", "Failed", "Rejected", "Rejected"]
    )
    // The ids, the references and what a text costs as JSON come on top.
    for (const settlement of read) assert.isAtMost(JSON.stringify(settlement).length, 3 * limit)
    for (const { managed } of read.slice(0, -1)) assert.isNotEmpty(managed)
  }).pipe(Effect.scoped, Effect.provide(registryOn(Watched)))
})

law(
  "retention-failure-is-operational",
  "a call whose output cannot be kept ends in an error, and others settle",
  () => {
    const error = new OutputStore.StorageError({ operation: "retain" })
    const Full = Layer.mock(OutputStore.Service, { retain: () => Effect.fail(error), release: () => Effect.void })
    return Effect.gen(function* () {
      const { settle } = yield* offering({
        long: executing(Effect.succeed(long)),
        failure: executing(Effect.fail(ToolFailure.unavailable({ message: long }))),
        short: executing(Effect.succeed("short"))
      })
      const exits = yield* Effect.forEach(
        ["long", "failure", "short"],
        (name) => Effect.exit(settle(Testing.request(name, {}, { id: name }))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.slice(0, 2), [Exit.fail(error), Exit.fail(error)])
      assert.isTrue(exits[2] !== undefined && Exit.isSuccess(exits[2]))
      const { assistantMessageID, call, sessionID } = Testing.request("long", {}, { id: "long" })
      const store = yield* SettlementStore.Service
      const record = Option.getOrThrow(yield* store.find({ sessionID, assistantMessageID, toolCallID: call.id }))
      assert(record._tag === "Ended")
      assert.deepInclude(record.ended, { _tag: "Operational", code: "OutputStore.StorageError" })
    }).pipe(Effect.scoped, Effect.provide(registryOn(Full)))
  }
)

law("media-stays-native", "media keeps its bytes and its place, and no text ever has them", () => {
  const base64 = Buffer.from(new Uint8Array(9_000).fill(7)).toString("base64")
  const large = ToolContent.media({ mimeType: "image/png", data: new Uint8Array(9_000).fill(7) })
  const tools = {
    native: executing(Effect.succeed({ image: base64 }), () => [ToolContent.text(long), large, image]),
    kept: executing(Effect.succeed(base64), () => [image, large, ToolContent.text("after")])
  }
  return Effect.gen(function* () {
    const settled = Effect.fnUntraced(function* (name: string, output: Partial<OutputBounds.Limits>) {
      const { settle } = yield* offering(tools, { output })
      const settlement = yield* settle(Testing.request(name, {}, { id: name }))
      assert(settlement._tag === "Succeeded")
      const { content, structured } = settlement.output
      const texts = content.flatMap((part) => (part._tag === "Text" ? [part.text] : []))
      assert.notInclude(JSON.stringify([structured, texts]), base64.slice(0, 100))
      return { settlement, content }
    })
    const native = yield* settled("native", {})
    assert.deepStrictEqual(native.content.slice(1), [large, ToolContent.media({ ...image })])
    const kept = yield* settled("kept", { mediaBytes: 1_000 })
    assert.deepStrictEqual([kept.content[0], kept.content[2]], [image, ToolContent.text("after")])
    const outputs = yield* Kept
    const [ref] = kept.settlement.managed
    assert(ref !== undefined && kept.content[1]?._tag === "Text")
    assert.include(kept.content[1].text, ref)
    assert.deepStrictEqual(outputs.get(ref), { mimeType: "image/png", bytes: Buffer.from(large.data) })
  }).pipe(Effect.scoped, Effect.provide(registryOn(Watched)))
})

law("retained-is-complete", "what a settlement refers to is the output, to the last byte", () =>
  Effect.gen(function* () {
    const { settle } = yield* offering({
      text: executing(Effect.succeed(long)),
      value: executing(Effect.succeed(rows)),
      both: executing(Effect.succeed(rows), () => [ToolContent.text(long), image, ToolContent.text(long)])
    })
    const outputs = yield* Kept
    const keptBy = Effect.fnUntraced(function* (name: string) {
      const { managed } = yield* settle(Testing.request(name, {}, { id: name }))
      return managed.map((ref) => {
        const { bytes, mimeType } = outputs.get(ref) ?? { bytes: [], mimeType: "" }
        return [mimeType, Buffer.from(bytes).toString()]
      })
    })
    const text = ["text/plain", long.toWellFormed()]
    const value = ["application/json", JSON.stringify(rows)]
    assert.deepStrictEqual(yield* keptBy("text"), [text])
    assert.deepStrictEqual(yield* keptBy("value"), [value])
    const parts = `${long}\n${"image.png"}\n${long}`.toWellFormed()
    assert.deepStrictEqual(yield* keptBy("both"), [["text/plain", parts], value])
  }).pipe(Effect.scoped, Effect.provide(registryOn(Watched)))
)
