import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { assert, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as NodeHttpServer from "@haft/node/NodeHttpServer"
import * as Testing from "@haft/registry/testing"
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http"
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { BatchLogRecordProcessor } from "@opentelemetry/sdk-logs"
import { PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Context, Effect, Layer, Metric, Ref, References, Schema } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { offering } from "./support/tools.ts"

/** What a collector received, by the path it was posted to. */
class Received extends Context.Service<Received, Ref.Ref<ReadonlyMap<string, string>>>()("test/Received") {}

const receive = (path: `/v1/${string}`) =>
  HttpRouter.add(
    "POST",
    path,
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const body = yield* request.text
      yield* Ref.update(yield* Received, (before) => new Map(before).set(path, `${before.get(path) ?? ""}${body}\n`))
      return HttpServerResponse.jsonUnsafe({})
    })
  )

/** A collector on this machine that accepts the three signals as JSON. */
const Collector = HttpRouter.serve(Layer.mergeAll(receive("/v1/traces"), receive("/v1/metrics"), receive("/v1/logs")), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(NodeHttpServer.layer({ port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(Layer.effect(Received, Ref.make<ReadonlyMap<string, string>>(new Map())))
)

/** Sends everything when it closes. */
const sdk = (baseUrl: string) =>
  NodeSdk.layer(() => ({
    resource: { serviceName: "haft" },
    spanProcessor: new BatchSpanProcessor(new OTLPTraceExporter({ url: `${baseUrl}/v1/traces` })),
    metricReader: new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter({ url: `${baseUrl}/v1/metrics` })
    }),
    logRecordProcessor: new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url: `${baseUrl}/v1/logs` }) }),
    loggerMergeWithExisting: false
  }))

const secret = "s3cr3t-canary"

const echo = Tool.make({
  description: "Echo",
  input: Schema.Struct({ text: Schema.String }),
  output: Schema.String,
  execute: ({ text }) => (text === secret ? Effect.succeed(text) : Effect.die(new Error(`${secret} ${text}`)))
})

/** One call that succeeds, one that dies, both with the secret. */
const program = Effect.gen(function* () {
  const turn = yield* offering({ echo })
  const settlement = yield* turn.settle(Testing.request("echo", { text: secret }, { id: "1" }))
  assert.deepNestedInclude(settlement, { "output.structured": secret })
  yield* Effect.exit(turn.settle(Testing.request("echo", { text: "other" }, { id: "2" })))
})

const Attributes = Schema.Array(
  Schema.Struct({
    key: Schema.String,
    value: Schema.Struct({
      stringValue: Schema.optionalKey(Schema.String),
      intValue: Schema.optionalKey(Schema.Unknown)
    })
  })
)

const Span = Schema.Struct({
  name: Schema.String,
  attributes: Attributes,
  events: Schema.Array(Schema.Struct({ name: Schema.String, attributes: Attributes })),
  status: Schema.Struct({ code: Schema.Int, message: Schema.optionalKey(Schema.String) })
})

const Traces = Schema.fromJsonString(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({ scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) })) })
    )
  })
)

const textOf = (attributes: typeof Attributes.Type, key: string) =>
  attributes.find((attribute) => attribute.key === key)?.value.stringValue

it.live("a collector gets spans, metrics and log lines of settlements, and no secret", () =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    yield* program.pipe(
      Effect.provide(Testing.layer),
      Effect.scoped,
      Effect.provide(sdk(HttpServer.formatAddress(address))),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideService(References.MinimumLogLevel, "Debug")
    )
    const received = yield* Ref.get(yield* Received)
    assert.sameMembers([...received.keys()], ["/v1/logs", "/v1/metrics", "/v1/traces"])
    assert.notInclude([...received.values()].join(), secret)
    for (const word of ["haft.settlements", "haft.settlement.duration", "haft.settlements.in_flight"]) {
      assert.include(received.get("/v1/metrics"), `"${word}"`)
    }
    for (const word of ["a call was settled", "a call died"]) assert.include(received.get("/v1/logs"), word)
    const { resourceSpans } = yield* Schema.decodeEffect(Traces)(received.get("/v1/traces") ?? "")
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    const settlements = spans.filter(({ name }) => name === "Materialization.settle")
    const [ok, error] = [1, 2]
    assert.deepStrictEqual(
      settlements.map(({ attributes, status }) => [
        textOf(attributes, "haft.call.id"),
        textOf(attributes, "haft.outcome"),
        status
      ]),
      [
        ["1", "Succeeded", { code: ok }],
        ["2", "Died", { code: error, message: "Died" }]
      ]
    )
  }).pipe(Effect.provide(Collector))
)
