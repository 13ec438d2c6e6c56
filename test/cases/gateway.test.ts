import { assert, describe, it } from "@effect/vitest"
import { Tool, Tools } from "@haft/core"
import { Catalog, Front, Gateway, Secrets } from "@haft/gateway"
import { ToolRegistry } from "@haft/registry"
import * as Registry from "@haft/registry/testing"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { badInputs, isGatewayCase } from "./corpus.ts"
import { expand } from "./expand.ts"

const Case = Schema.Struct({
  constraints: Schema.Struct({
    timeout_ms: Schema.optionalKey(Schema.Number),
    idempotency_key: Schema.optionalKey(Schema.String),
    _tenant: Schema.optionalKey(Schema.String)
  })
})

const catalog = Layer.unwrap(Effect.map(ToolRegistry.Service, (registry) => Catalog.layer(registry.materialize())))

const layer = Gateway.layerMemory().pipe(Layer.provideMerge(catalog), Layer.provideMerge(Registry.layer))

/** A complete request around what the entry is about. */
const requestOf = ({ constraints: { _tenant, ...constraints } }: typeof Case.Type) => ({
  call_id: "a8f124c2-918f-59f1-9e47-b7bc59d34893",
  tool_id: "any",
  tool_version: "*",
  fn: "invoke",
  input: {},
  context: { actor_id: "a", timezone: "UTC", env: "dev", trace_id: "4bf92f35-77b3-4da6-a3ce-929d0e0e4736" },
  constraints: { timeout_ms: 1000, deadline_unix_ms: 1000, idempotency_key: "0123456789abcdef", ...constraints },
  ...(_tenant === undefined ? {} : { provenance: { haft: { v: 1, tenantId: _tenant } } })
})

const calls = badInputs.filter((entry) => isGatewayCase(entry) && entry.tool !== "secret")

describe("governed calls of the corpus", () => {
  it.effect.each(calls.map((entry) => [entry.id, entry.why, entry] as const))("%s: %s", ([, , { input, must }]) =>
    Effect.gen(function* () {
      let runs = 0
      const tools = yield* Tools.Service
      const tool = Tool.make({
        description: "Anything",
        input: Schema.Record(Schema.String, Schema.Never),
        output: Schema.Null,
        execute: () =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => (runs++, null))
          )
      })
      yield* tools.register({ any: Tool.annotate(tool, { operations: ["write"] }) })
      const front = Front.uicp(yield* Gateway.Service)
      const entry = Schema.decodeUnknownSync(Case)(expand(input))
      const request = requestOf(entry)
      const { _tenant, ...others } = entry.constraints
      if (_tenant !== undefined) yield* front(requestOf({ constraints: others }))
      const before = runs
      const answers = yield* Effect.all([front(request), front(request)], { concurrency: "unbounded" })
      const expected = must === "reject" ? "invalid_request" : "success"
      for (const answer of answers) assert.deepNestedInclude(answer, { "envelope.status": expected })
      assert.strictEqual(runs - before, must === "reject" ? 0 : 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

const Value = Schema.Struct({ value: Schema.String })
const secrets = badInputs.filter(({ tool }) => tool === "secret")

describe("secrets of the corpus", () => {
  it.effect.each(secrets.map((entry) => [entry.id, entry.why, entry] as const))("%s: %s", ([, , { input }]) =>
    Effect.gen(function* () {
      const { value } = Schema.decodeUnknownSync(Value)(expand(input))
      const { resolve, scrubber } = Secrets.make(() => Effect.succeedSome(Redacted.make(value)))
      const resolved = yield* Effect.result(resolve("name"))
      assert(Result.isFailure(resolved))
      const { reason, secretRef, ...rest } = Schema.encodeSync(Secrets.UnresolvedError)(resolved.failure)
      assert.deepStrictEqual([secretRef, rest], ["name", { _tag: "Secrets.UnresolvedError" }])
      assert.notStrictEqual(reason, value)
      assert.strictEqual(scrubber().text("a banana"), "a banana")
    })
  )
})
