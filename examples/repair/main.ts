import { Agent, ArgumentRepair, Session, Settlement, Tool, ToolCall, Tools } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Effect, Layer, Result, Schema } from "effect"

const Search = Schema.Struct({
  query: Schema.String.annotate({ aliases: ["q"], description: "What to look for" }),
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))),
  scope: Schema.optionalKey(Schema.Literals(["pinned", "recent"])),
  tags: Schema.optionalKey(Schema.Array(Schema.String))
})

const search = Tool.make({
  description: "Search notes",
  input: Search,
  output: Schema.String,
  execute: (input) => Effect.succeed(JSON.stringify(input))
})

/** What a small model sends, as its text. */
const texts = [
  `{"query": "salt", "limit": 5}`,
  `{"q": "salt", "limit": "5", "scope": "Pinned", "tags": "['a', 'b']", }`,
  `{"arguments": {"query": "salt", "scope": "", "tags": null}}`,
  `{"query": "salt", "limit": "many", "scop": "recent"}`,
  `{"query": "a long text that the provider cu`
]

const turn = Effect.gen(function* () {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* tools.register({ search })
  const { settle } = yield* registry.materialize()
  const message = {
    sessionID: Session.ID.make("session"),
    agent: Agent.ID.make("main"),
    assistantMessageID: Session.MessageID.make("message")
  }
  return yield* Effect.forEach(texts, (input, index) =>
    settle({ ...message, call: { id: ToolCall.ID.make(`${index}`), name: "search", input } })
  )
})

const Live = ToolRegistry.layer.pipe(
  Layer.provide([ApplicationTools.layer, SettlementStores.layerMemory, OutputBounds.layer()]),
  Layer.provide(OutputStores.layerMemory())
)

for (const settlement of await Effect.runPromise(turn.pipe(Effect.scoped, Effect.provide(Live)))) {
  console.log(`--- ${settlement._tag}`)
  if (settlement._tag === "Rejected") console.log(settlement.message)
  if (settlement._tag !== "Succeeded") continue
  console.log(settlement.output.structured)
  for (const line of Settlement.warningLines(settlement.warnings)) console.log(line)
}

/** Without a registry: a plan for a schema, made once. */
const careful = ArgumentRepair.plan(Search, { level: "contract" })
const repaired = ArgumentRepair.repair(careful, "search", { query: "salt", limit: "5" })
console.log("---", Result.isSuccess(repaired) ? repaired.success.warnings : repaired.failure.message)
