import { assert, describe, it } from "@effect/vitest"
import { EffectSignal, OutputStore, SettlementStore, Tool, ToolContent, ToolFailure, Tools } from "@haft/core"
import { Audit, Gateway, Redaction, Scrubber, Secrets } from "@haft/gateway"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Effect, Layer, Logger, Metric, Option, Redacted, Schema, Stream, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { layerCatalog, request } from "./support/governing.ts"

const secret = "correct-horse-battery"
const basic = Buffer.from(`user:${secret}`).toString("base64")
const inner = basic.slice(8, -4)

/** A process with one secret, and everything that it wrote anywhere. */
const watch = () => {
  const state = { vault: new Map([["db", secret]]), lookups: 0 }
  const secrets = Secrets.make((ref) =>
    Effect.sync(() => {
      state.lookups++
      return Option.map(Option.fromUndefinedOr(state.vault.get(ref)), (value) => Redacted.make(value))
    })
  )
  const lines: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const ended: Array<SettlementStore.Ended> = []
  const retained: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const seenStore = Layer.effect(
    SettlementStore.Service,
    Effect.map(SettlementStore.Service, (store) => ({
      ...store,
      complete: (identity, end) =>
        Effect.suspend(() => {
          ended.push(end)
          return store.complete(identity, end)
        })
    }))
  ).pipe(Layer.provide(SettlementStores.layerMemory))
  const seenOutputs = Layer.effect(
    OutputStore.Service,
    Effect.map(OutputStore.Service, (store) => ({
      ...store,
      retain: (session, content) =>
        store.retain(session, {
          ...content,
          bytes: Stream.tap(content.bytes, (chunk) => Effect.sync(() => retained.push(Buffer.from(chunk).toString())))
        })
    }))
  ).pipe(Layer.provide(OutputStores.layerMemory()))
  const outputs = Redaction.layerOutputStore.pipe(Layer.provide(seenOutputs))
  const store = Redaction.layerSettlementStore.pipe(Layer.provide(seenStore))
  const registry = ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), store)),
    Layer.provideMerge(outputs)
  )
  const layer = Gateway.layerMemory().pipe(
    Layer.provideMerge(layerCatalog),
    Layer.provideMerge(registry),
    Layer.provideMerge(Layer.succeed(Secrets.Service, secrets)),
    Layer.provideMerge(
      Logger.layer([Logger.map(Redaction.logger(secrets, Logger.formatLogFmt), (line) => lines.push(line))])
    ),
    Layer.provideMerge(Layer.succeed(Tracer.Tracer, Redaction.tracer(secrets, tracer)))
  )
  return { state, secrets, lines, spans, ended, retained, layer }
}

type Echo = (value: string) => Effect.Effect<string, ToolFailure.ToolFailure>

const calling = (watched: ReturnType<typeof watch>, echo: Echo) =>
  Effect.gen(function* () {
    const tools = yield* Tools.Service
    const secrets = yield* Secrets.Service
    const gateway = yield* Gateway.Service
    const audit = yield* Audit.Service
    const tool = Tool.make({
      description: "Uses a secret",
      input: Schema.Struct({ text: Schema.String }),
      output: Schema.String,
      execute: () =>
        secrets.resolve("db").pipe(
          Effect.catchTag("Secrets.UnresolvedError", ({ secretRef }) =>
            Effect.fail(ToolFailure.authInvalid({ message: "no secret", secretRef }))
          ),
          Effect.flatMap((value) => echo(Redacted.value(value)))
        ),
      toModelOutput: ({ output }) => [
        ToolContent.text(output),
        ToolContent.media({ mimeType: "application/octet-stream", data: Buffer.from(`\u0000${secret}`) })
      ]
    })
    yield* tools.register({ tool: Tool.annotate(tool, { determinism: "side_effectful" }) })
    const outcome = yield* gateway.call(request({ idempotencyKey: "k" }))
    const replay = yield* gateway.call(request({ idempotencyKey: "k" }))
    const metrics = (yield* Metric.snapshot).map(({ attributes, id }) => ({ id, attributes }))
    assert.isNotEmpty(metrics)
    return { outcome, replay, entries: yield* audit.find("call"), metrics }
  }).pipe(Effect.scoped, Effect.provide(watched.layer))

/** Everything that left the process or was kept, as text. */
const shown = (watched: ReturnType<typeof watch>, found: unknown): string =>
  [
    JSON.stringify(found),
    ...watched.lines,
    ...watched.retained,
    JSON.stringify(watched.ended, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value
    ),
    ...watched.spans.map((span) =>
      JSON.stringify([span.name, [...span.attributes], span.events, span.status], (_, value) =>
        typeof value === "bigint" ? String(value) : value
      )
    )
  ].join("\n")

const assertClean = (text: string) => {
  assert.notInclude(text, secret)
  assert.notInclude(text, inner)
  assert.include(text, Scrubber.mark)
}

describe("secrets", () => {
  it.effect("M30: do not come back in outputs, mutations, logs, spans, metrics, settlements or records", () => {
    const watched = watch()
    return Effect.gen(function* () {
      const found = yield* calling(watched, (value) =>
        Effect.gen(function* () {
          yield* Effect.logInfo("signing in", { header: `Basic ${basic}` }).pipe(Effect.annotateLogs("value", value))
          yield* Effect.annotateCurrentSpan("value", value)
          const signal = yield* EffectSignal.Service
          yield* signal.committed([{ kind: "row", target: `users/${value}` }])
          return `echo ${value} and ${basic}`
        }).pipe(Effect.withSpan(`connect ${value}`))
      )
      assert.strictEqual(found.outcome.leaf._tag, "Success.Effect")
      assert.isTrue(found.replay.idempotency.replayed)
      assert.isNotEmpty(watched.lines)
      assert.isNotEmpty(watched.spans)
      assert.isNotEmpty(watched.ended)
      assertClean(shown(watched, found))
    })
  })

  it.effect("M30: do not come back in failures and defects", () => {
    const watched = watch()
    return Effect.gen(function* () {
      const failed = yield* calling(watched, (value) =>
        Effect.fail(
          ToolFailure.upstream({
            message: `refused ${value} with token=abcdefgh`,
            hint: encodeURIComponent(value),
            details: { request: JSON.stringify({ value }) },
            partial: [value]
          })
        )
      )
      assert.strictEqual(failed.outcome.leaf._tag, "Failure.Upstream")
      const died = yield* calling(watched, (value) =>
        Effect.die(new Error(`bug at ${value}`)).pipe(Effect.tapCause(Effect.logError), Effect.withSpan("dying"))
      )
      assert.strictEqual(died.outcome.leaf._tag, "Operational.Defect")
      const text = shown(watched, [failed, died])
      assertClean(text)
      assert.notInclude(text, "abcdefgh")
    })
  })

  it.effect("M30: do not come back in outputs that are too large to be shown, wherever they are cut", () => {
    const watched = watch()
    return Effect.gen(function* () {
      const found = yield* calling(watched, (value) => Effect.succeed(`0123456 ${value}\n`.repeat(20_000)))
      assert.strictEqual(found.outcome.leaf._tag, "Success.Effect")
      assert.isAbove(watched.retained.join("").length, 100_000)
      assertClean(watched.retained.join(""))
      assertClean(shown(watched, found))
    })
  })

  it.effect("M30: do not come back on the account when a caller writes them into ids, names and reasons", () => {
    const watched = watch()
    return Effect.gen(function* () {
      yield* watched.secrets.resolve("db")
      const gateway = yield* Gateway.Service
      const audit = yield* Audit.Service
      const given = request({ callId: secret, toolName: basic, actor: `a ${secret}`, runId: secret })
      yield* gateway.call(given)
      yield* gateway.skip(given, { reason_code: "host", reason: `it says ${secret}` })
      const entries = yield* audit.find(Scrubber.mark)
      assert.strictEqual(entries.length, 2)
      assertClean(JSON.stringify(entries))
      assert.deepStrictEqual(yield* audit.counts, { requested: 2, settled: 1, skipped: 1 })
    }).pipe(Effect.scoped, Effect.provide(watched.layer))
  })

  it.effect("that are as short as a number of ours leave the times of a call as they are", () => {
    const watched = watch()
    return Effect.gen(function* () {
      yield* TestClock.adjust(1763_345_678_901)
      watched.state.vault.set("pin", "1763").set("year", "2025")
      for (const ref of ["pin", "year"]) yield* watched.secrets.resolve(ref)
      const { outcome } = yield* calling(watched, () => Effect.succeed("done"))
      assert.deepStrictEqual([outcome.leaf._tag, outcome.timing.startedAt], ["Success.Effect", 1763_345_678_901])
    })
  })

  it.effect("are looked up each time, and those that were rotated stay secret", () => {
    const watched = watch()
    return Effect.gen(function* () {
      yield* watched.secrets.resolve("db")
      watched.state.vault.set("db", "another-long-value")
      assert.strictEqual(Redacted.value(yield* watched.secrets.resolve("db")), "another-long-value")
      assert.strictEqual(watched.state.lookups, 2)
      const { text } = watched.secrets.scrubber()
      assert.strictEqual(text(`${secret} another-long-value`), `${Scrubber.mark} ${Scrubber.mark}`)
    })
  })

  it.effect("that are missing, empty or too short to be kept secret are not handed out", () => {
    const watched = watch()
    return Effect.gen(function* () {
      watched.state.vault.set("blank", "  ").set("short", "abc")
      const reasonOf = (ref: string) => Effect.map(Effect.flip(watched.secrets.resolve(ref)), ({ reason }) => reason)
      assert.deepStrictEqual(yield* Effect.forEach(["none", "blank", "short"], reasonOf), [
        "missing",
        "empty",
        "too_short"
      ])
    })
  })
})
