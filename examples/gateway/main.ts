import { Tool, ToolFailure, Tools } from "@haft/core"
import { Audit, Catalog, Front, Gateway } from "@haft/gateway"
import { ToolRegistry } from "@haft/registry"
import * as Registry from "@haft/registry/testing"
import { Effect, Layer, Logger, Schema } from "effect"

let sent = 0
const send = Tool.make({
  description: "Send a message",
  input: Schema.Struct({ to: Schema.String, text: Schema.String }),
  output: Schema.Struct({ messages: Schema.Int }),
  execute: ({ to }) =>
    to === "nobody"
      ? Effect.fail(ToolFailure.notFound({ message: "There is no such person" }))
      : Effect.sync(() => ({ messages: ++sent }))
})

const program = Effect.gen(function* () {
  const tools = yield* Tools.Service
  yield* tools.register({ send: Tool.annotate(send, { determinism: "side_effectful", operations: ["write"] }) })

  const orloj = Front.orloj(yield* Gateway.Service)
  const ask = (id: string, input: object) =>
    orloj({ request_id: id, tool: { name: "send" }, input, haft: { v: 1, idempotencyKey: `order-${id}` } })

  for (const [id, input] of [
    ["1", { to: "ada", text: "hello" }],
    ["1", { to: "ada", text: "hello" }],
    ["1", { to: "bob", text: "hello" }],
    ["2", { to: "nobody", text: "hello" }],
    ["3", { to: 7 }]
  ] as const) {
    const answer = yield* ask(id, input)
    const { error, output, status }: { error?: { code: string }; output?: object; status?: string } =
      answer._tag === "Envelope" ? answer.envelope : {}
    console.log(id, status, error?.code ?? JSON.stringify(output))
  }
  console.log("sent", sent, yield* Effect.flatMap(Audit.Service, (audit) => audit.counts))
})

const catalog = Layer.unwrap(Effect.map(ToolRegistry.Service, (registry) => Catalog.layer(registry.materialize())))

const live = Gateway.layerMemory().pipe(Layer.provideMerge(catalog), Layer.provideMerge(Registry.layer))

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(live), Effect.provide(Logger.layer([]))))
