/** A gateway around a real registry, with tools that count how often they are entered. */
import { Tool, type ToolFailure, Tools } from "@haft/core"
import { Audit, Budgets, Catalog, Gateway, IdempotencyStore } from "@haft/gateway"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import type { CallRequest, RunContext } from "@haft/wire"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

export type Executor = (
  input: { readonly text: string },
  attempt: number
) => Effect.Effect<string, ToolFailure.ToolFailure>

/** A tool, and how often it was entered. */
export interface Counted {
  readonly tool: Tool.Any
  readonly calls: () => number
  /** The ids under which it was entered. */
  readonly ids: Array<string>
}

export const Input = Schema.Struct({ text: Schema.String })

export const counted = (annotations: Tool.Annotations, execute: Executor): Counted => {
  const ids: Array<string> = []
  const tool = Tool.make({
    description: "A tool",
    input: Input,
    output: Schema.String,
    execute: (input, { toolCallID }) => Effect.suspend(() => execute(input, ids.push(toolCallID)))
  })
  return { tool: Tool.annotate(tool, annotations), calls: () => ids.length, ids }
}

const empty = { scopes: [], principalChain: [], evidenceRefs: [], dryRun: false, attempt: 1 }

export const request = (more: Partial<CallRequest.CallRequest> = {}): CallRequest.CallRequest => ({
  callId: "call",
  toolName: "tool",
  fn: "invoke",
  input: { text: "x" },
  actor: "agent-1",
  tenantId: "tenant-1",
  ...empty,
  ...more
})

export const run = (budget: RunContext.RunBudget = {}): RunContext.RunContext => ({
  run_id: "run-1",
  trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
  tenant_id: "tenant-1",
  user: { user_id: "user-1" },
  agent: {
    agent_id: "agent-1",
    agent_urn: "agent:acme/helper@1.0.0",
    workload_identity: "spiffe://acme/helper",
    principal_chain: [{ kind: "user", id: "user-1" }]
  },
  safety_mode: "network",
  run_budget: budget
})

/** What belongs to the run. */
export const chain: CallRequest.CallRequest["principalChain"] = [
  { kind: "user", id: "user-1" },
  { kind: "agent", id: "agent-1", tenant_id: "tenant-1" }
]

/** Everything that a test may look at afterwards. */
export interface Governing {
  readonly gateway: Gateway.Interface
  readonly audit: Audit.Interface
  readonly budgets: Budgets.Interface
  readonly keys: IdempotencyStore.Interface
  readonly tools: Tools.Interface
}

/** A catalog of what the registry offers at the moment of each call. */
export const layerCatalog = Layer.unwrap(
  Effect.map(ToolRegistry.Service, (registry) => Catalog.layer(registry.materialize()))
)

/** Runs a test against a gateway that offers `tool`. */
export const governing = <A, E, R>(
  tool: Tool.Any,
  test: (governing: Governing) => Effect.Effect<A, E, R>,
  options: Gateway.Options = {}
) =>
  Effect.gen(function* () {
    const tools = yield* Tools.Service
    yield* tools.register({ tool })
    return yield* test({
      gateway: yield* Gateway.Service,
      audit: yield* Audit.Service,
      budgets: yield* Budgets.Service,
      keys: yield* IdempotencyStore.Service,
      tools
    })
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Gateway.layerMemory(options).pipe(Layer.provideMerge(layerCatalog), Layer.provideMerge(Testing.layer))
    )
  )

/** Lets everything happen that happens within a time. */
export const passing = <A, E, R>(effect: Effect.Effect<A, E, R>, time: number) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust(time)
    return yield* Fiber.join(fiber)
  })
