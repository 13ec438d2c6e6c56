import { assert } from "@effect/vitest"
import { Agent, SettlementStore, Tool, ToolContent, Tools } from "@haft/core"
import { Audit, Catalog, Gateway, Redaction, Scrubber, Secrets } from "@haft/gateway"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Rendering } from "@haft/wire"
import { Arbitrary, Effect, Layer, Logger, Redacted, Schema } from "effect"
import { law } from "./law.ts"

/** Long enough to be kept secret, of any characters, and like no word that is written anyway. */
const Value = Arbitrary.map(
  Arbitrary.schema(Schema.String.check(Schema.isMinLength(6), Schema.isMaxLength(40))),
  (text) => `${text.toWellFormed().trim()}§${text.length}§`
)

const spellings = (value: string): ReadonlyArray<string> => [
  value,
  JSON.stringify(value),
  encodeURIComponent(value),
  Buffer.from(value).toString("hex"),
  `Basic ${Buffer.from(`user:${value}`).toString("base64")}`
]

/** Reads every way of writing that a tool below uses. */
const reveals = (text: string, value: string): boolean => {
  const lower = text.toLowerCase()
  const cores = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString("hex")
  ]
  const encoded = Buffer.from(`user:${value}`).toString("base64").slice(8, -4)
  return [...cores, encoded].some((core) => core.length >= 4 && lower.includes(core.toLowerCase()))
}

const leaky = (secrets: Secrets.Interface) =>
  Tool.make({
    description: "Says what it should not",
    input: Schema.Struct({}),
    output: Schema.Array(Schema.String),
    execute: () =>
      secrets.resolve("value").pipe(
        Effect.orDie,
        Effect.map((value) => spellings(Redacted.value(value))),
        Effect.tap((said) => Effect.logInfo(...said))
      ),
    toModelOutput: ({ output }) => output.map(ToolContent.text)
  })

law("secrets-never-leave", "whatever a tool says, settlements, records, logs and messages hold no secret", () =>
  Arbitrary.checkEffect(
    Value,
    Effect.fnUntraced(function* (value) {
      const lines: Array<string> = []
      const ended: Array<SettlementStore.Ended> = []
      const secrets = Secrets.make(() => Effect.succeedSome(Redacted.make(value)))
      const recorded = Layer.effect(
        SettlementStore.Service,
        Effect.map(SettlementStore.Service, (store) => ({
          ...store,
          complete: (identity, end) =>
            Effect.andThen(
              Effect.sync(() => ended.push(end)),
              store.complete(identity, end)
            )
        }))
      ).pipe(Layer.provide(SettlementStores.layerMemory))
      const registry = ToolRegistry.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            ApplicationTools.layer,
            OutputBounds.layer(),
            Redaction.layerSettlementStore.pipe(Layer.provide(recorded))
          )
        ),
        Layer.provide(OutputStores.layerMemory())
      )
      const catalog = Layer.unwrap(Effect.map(ToolRegistry.Service, (tools) => Catalog.layer(tools.materialize())))
      const logger = Logger.map(Redaction.logger(secrets, Logger.formatLogFmt), (line) => lines.push(line))
      yield* Effect.gen(function* () {
        const tools = yield* Tools.Service
        yield* tools.register({ leaky: leaky(secrets) })
        const gateway = yield* Gateway.Service
        const outcome = yield* gateway.call({
          callId: "call",
          toolName: "leaky",
          fn: "invoke",
          input: {},
          agent: Agent.ID.make("agent"),
          scopes: [],
          principalChain: [],
          evidenceRefs: [],
          dryRun: false,
          attempt: 1
        })
        const entries = yield* Effect.flatMap(Audit.Service, (audit) => audit.find("call"))
        const told = [outcome, Rendering.render("orloj", outcome), entries, ended, lines].map((each) =>
          JSON.stringify(each)
        )
        assert.strictEqual(outcome.leaf._tag, "Success.Read")
        assert.isTrue(told.some((text) => text.includes(Scrubber.mark)))
        for (const text of told) assert.isFalse(reveals(text, value), text)
      }).pipe(
        Effect.scoped,
        Effect.provide(
          Gateway.layerMemory().pipe(
            Layer.provideMerge(catalog),
            Layer.provideMerge(registry),
            Layer.provideMerge(Layer.succeed(Secrets.Service, secrets)),
            Layer.provideMerge(Logger.layer([logger]))
          )
        )
      )
      return true
    }),
    { runs: 40 }
  ).pipe(Effect.map((result) => assert.isUndefined(Arbitrary.formatCheckFailure(result))))
)
