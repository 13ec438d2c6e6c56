import { assert, describe, it } from "@effect/vitest"
import { ToolFailure } from "@haft/core"
import { Deferred, Effect, Fiber, Logger, Metric, References, Tracer } from "effect"
import { counted, governing, passing, request } from "./support/governing.ts"

/** Everything that a host sees of what runs inside. */
const watching = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return effect.pipe(
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.provide(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => lines.push(line))])),
    Effect.map((value) => ({ value, lines, spans: spans.filter(({ name }) => name.startsWith("Gateway.")) }))
  )
}

const seriesOf = (name: string) => Effect.map(Metric.snapshot, (all) => all.filter((metric) => metric.id === name))

const secretInput = { text: "the input of the call" }

describe("a governed call", () => {
  it.effect("M42: has one log line, one span, and one span for each attempt, without what was sent or returned", () => {
    const { tool } = counted({ determinism: "pure", version: "1.2.3" }, (_, attempt) =>
      attempt === 1 ? Effect.fail(ToolFailure.upstream({ message: "down", status: 503 })) : Effect.succeed("the output")
    )
    return Effect.gen(function* () {
      const retryPolicy = { maxAttempts: 2, baseMs: 100, capMs: 100, jitter: "none" } as const
      const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "b9c7c989f97918e1" }
      const given = request({ retryPolicy, trace, input: secretInput, idempotencyKey: "0123456789abcdef" })
      const { lines, spans } = yield* watching(governing(tool, ({ gateway }) => passing(gateway.call(given), 100)))
      const own = lines.filter((line) => line.includes("a call was governed"))
      assert.strictEqual(own.length, 1)
      for (const part of ["tool_id=tool", "fn=invoke", "call_id=call", "status=Success.Read", "duration_ms=100"]) {
        assert.include(own[0], part)
      }
      const [call, ...attempts] = spans
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["Gateway.call", "Gateway.attempt", "Gateway.attempt"]
      )
      assert.strictEqual(call?.traceId, trace.traceId)
      assert.deepNestedInclude(call?.parent, { "value.spanId": trace.spanId })
      assert.strictEqual(call?.attributes.get("idempotency_key_prefix"), "01234567")
      const told = { outcome: "Success.Read", tool_contract_version: "v1", tool_status: "ok", tool_attempt: 2 }
      assert.deepInclude(Object.fromEntries(call?.attributes ?? []), { ...told, tool_request_id: "call" })
      assert.deepStrictEqual(
        attempts.map(({ attributes }) => [
          attributes.get("attempt"),
          attributes.get("version"),
          attributes.get("outcome")
        ]),
        [
          [1, "1.2.3", "Failed"],
          [2, "1.2.3", "Succeeded"]
        ]
      )
      for (const { parent } of attempts) assert.deepNestedInclude(parent, { "value.spanId": call?.spanId })
      const shown = [...lines, ...spans.map((span) => JSON.stringify([...span.attributes]))].join("\n")
      for (const text of [secretInput.text, "the output"]) assert.notInclude(shown, text)
    })
  })

  it.effect("M42: that fails tells its code and reason, and what its input was like only to who debugs", () => {
    const { tool } = counted({ determinism: "pure" }, () =>
      Effect.fail(ToolFailure.upstream({ message: "down", status: 503 }))
    )
    return Effect.gen(function* () {
      const calling = governing(tool, ({ gateway }) =>
        gateway.call(request({ input: secretInput, authRef: "vault/key" }))
      )
      const { lines, spans } = yield* watching(calling)
      assert.deepInclude(Object.fromEntries(spans[0]?.attributes ?? []), {
        tool_status: "error",
        tool_code: "execution_failed",
        tool_reason: "tool_backend_failure",
        error_code: "execution_failed",
        error_reason: "tool_backend_failure",
        tool_auth_secret_ref: "vault/key"
      })
      assert.isFalse(lines.some((line) => line.includes("its input")))
      const debugged = yield* watching(Effect.provideService(calling, References.MinimumLogLevel, "Debug"))
      const line = debugged.lines.find((line) => line.includes("its input"))
      assert.include(line, `${secretInput.text.length} characters`)
      assert.notInclude(debugged.lines.join("\n"), secretInput.text)
    })
  })

  it.effect("M42: is counted and timed by tool, version and class of error", () => {
    const { tool } = counted({ determinism: "pure", version: "9.9.9" }, () =>
      Effect.fail(ToolFailure.upstream({ message: "down", status: 503 }))
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        yield* gateway.call(request())
        yield* gateway.call(request({ toolName: "made-up" }))
        const series = yield* seriesOf("haft.gateway.calls")
        const labels = series.map(({ attributes }) => attributes)
        assert.deepInclude(labels, { tool: "tool", version: "9.9.9", error_class: "R-UPSTREAM" })
        assert.deepInclude(labels, { tool: "unknown", version: "none", error_class: "I-REQ" })
        assert.isFalse(labels.some((attributes) => JSON.stringify(attributes).includes("made-up")))
        assert.isNotEmpty(yield* seriesOf("haft.gateway.duration"))
      })
    ).pipe(
      Effect.provideServiceEffect(
        Metric.MetricRegistry,
        Effect.sync(() => new Map())
      )
    )
  })

  it.effect("M42: is in flight until it has ended, also if it is interrupted", () =>
    Effect.gen(function* () {
      const entered = yield* Deferred.make<void>()
      const { tool } = counted({ determinism: "pure" }, () =>
        Effect.andThen(Deferred.succeed(entered, undefined), Effect.never)
      )
      yield* governing(tool, ({ gateway }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(gateway.call(request()))
          yield* Deferred.await(entered)
          const during = yield* seriesOf("haft.gateway.in_flight")
          assert.deepNestedInclude(during[0], { "state.value": 1 })
          yield* Fiber.interrupt(fiber)
          const after = yield* seriesOf("haft.gateway.in_flight")
          assert.deepNestedInclude(after[0], { "state.value": 0 })
        })
      )
    }).pipe(
      Effect.provideServiceEffect(
        Metric.MetricRegistry,
        Effect.sync(() => new Map())
      )
    )
  )

  it.effect("is not watched where the host does not want that", () => {
    const { tool } = counted({ determinism: "pure" }, () => Effect.succeed("x"))
    return Effect.gen(function* () {
      const calling = governing(tool, ({ gateway }) => gateway.call(request()), { observability: "none" })
      const { lines, spans } = yield* watching(calling)
      assert.deepStrictEqual([lines.filter((line) => line.includes("governed")), spans], [[], []])
    })
  })
})
