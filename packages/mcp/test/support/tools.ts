/** A registry with a few tools that show what a client can see. */
import { OutputStore, Progress, Tool, ToolContent, ToolFailure, Tools } from "@haft/core"
import { McpClients, type Source } from "@haft/mcp"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Deferred, Effect, Exit, Layer, Schema, Scope } from "effect"

export const add = Tool.annotate(
  Tool.make({
    description: "Add two numbers",
    input: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
    output: Schema.Struct({ sum: Schema.Finite }),
    execute: ({ a, b }) => Effect.succeed({ sum: a + b })
  }),
  { title: "Addition", determinism: "pure", operations: ["read"] }
)

const picture = Tool.make({
  description: "A picture",
  input: Schema.Struct({}),
  output: Schema.String,
  execute: () => Effect.succeed("a picture"),
  toModelOutput: () => [
    ToolContent.text("Here it is."),
    ToolContent.media({ mimeType: "image/png", data: new Uint8Array([137, 80, 78, 71]) })
  ]
})

const lines = Tool.make({
  description: "Many lines",
  input: Schema.Struct({ count: Schema.Int }),
  output: Schema.Struct({ lines: Schema.Array(Schema.String) }),
  execute: ({ count }) => Effect.succeed({ lines: Array.from({ length: count }, (_, index) => `line ${index + 1} ✓`) })
})

const refuse = Tool.make({
  description: "Always refuses",
  input: Schema.Struct({}),
  output: Schema.String,
  execute: () => Effect.fail(ToolFailure.precondition({ message: "Not today.", hint: "Try tomorrow." }))
})

/** Counts to three, and ends when `release` is called. */
const counting = (released: Deferred.Deferred<void>) => ({
  count: Tool.make({
    description: "Counts to three",
    input: Schema.Struct({}),
    output: Schema.String,
    execute: () =>
      Effect.gen(function* () {
        const progress = yield* Progress.Service
        for (const completed of [1, 2, 3]) yield* progress.report({ message: "counting", completed, total: 3 })
        yield* Deferred.await(released)
        return "three"
      })
  }),
  release: Tool.make({
    description: "Lets the counting end",
    input: Schema.Struct({}),
    output: Schema.Boolean,
    execute: () => Deferred.succeed(released, undefined)
  })
})

/** What the tools did, for a test to look at. */
export interface Watched {
  readonly started: Deferred.Deferred<void>
  readonly interrupted: Deferred.Deferred<void>
}

const hang = ({ interrupted, started }: Watched) =>
  Tool.make({
    description: "Never ends by itself",
    input: Schema.Struct({}),
    output: Schema.String,
    execute: () =>
      Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
  })

const ask = (clients: McpClients.Interface) =>
  Tool.make({
    description: "Asks whoever called it",
    input: Schema.Struct({}),
    output: Schema.String,
    execute: (_, context) =>
      Effect.map(
        clients.ask(context, {
          message: "May I?",
          fields: {
            answer: { _tag: "Choice", title: "Answer", options: ["yes", "no"], isRequired: true },
            feedback: { _tag: "Text", title: "Why" }
          }
        }),
        (reply) => (reply._tag === "Filled" ? `${reply.values["answer"]} ${reply.values["feedback"]}` : reply._tag)
      )
  })

/** Registers another tool, or takes it away again. */
const extend = (tools: Tools.Interface, scope: Scope.Scope) => {
  let extra: Scope.Closeable | undefined
  return Tool.make({
    description: "Changes what there is to call",
    input: Schema.Struct({ present: Schema.Boolean }),
    output: Schema.Boolean,
    execute: ({ present }) =>
      Effect.gen(function* () {
        if (extra !== undefined) yield* Scope.close(extra, Exit.void)
        extra = present ? yield* Scope.fork(scope) : undefined
        if (extra !== undefined) yield* Effect.orDie(Scope.provide(tools.register({ extra: add }), extra))
        return present
      })
  })
}

export const layer = ToolRegistry.layer.pipe(
  Layer.provide([
    ApplicationTools.layer,
    SettlementStores.layerMemory,
    OutputBounds.layer({ lines: 50, bytes: 4_000 })
  ]),
  Layer.provideMerge(Layer.merge(OutputStores.layerMemory(), McpClients.layer))
)

/** Registers the tools in the current Scope. */
export const source = Effect.gen(function* () {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  const clients = yield* McpClients.Service
  const watched: Watched = { started: yield* Deferred.make<void>(), interrupted: yield* Deferred.make<void>() }
  yield* tools.register({
    add,
    picture,
    lines,
    refuse,
    ...counting(yield* Deferred.make<void>()),
    hang: hang(watched),
    ask: ask(clients),
    extend: extend(tools, yield* Effect.scope)
  })
  const served: Source.Source = {
    materialize: registry.materialize(),
    changes: registry.changes,
    outputs: yield* OutputStore.Service
  }
  return { served, tools, watched }
})
