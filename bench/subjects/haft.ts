/** A registry of Haft, with a turn for each offer: bare, with a deadline, watched by one span, and on stores on disk. */
import * as Agent from "@haft/core/Agent"
import type * as Materialization from "@haft/core/Materialization"
import * as Session from "@haft/core/Session"
import type { Settlement } from "@haft/core/Settlement"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Tool from "@haft/core/Tool"
import * as ToolCall from "@haft/core/ToolCall"
import * as Tools from "@haft/core/Tools"
import * as NodeFileSystem from "@haft/node/NodeFileSystem"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as ApplicationTools from "@haft/registry/ApplicationTools"
import * as Files from "@haft/registry/files"
import * as Observability from "@haft/registry/Observability"
import * as OutputBounds from "@haft/registry/OutputBounds"
import * as OutputStores from "@haft/registry/OutputStores"
import * as SettlementStores from "@haft/registry/SettlementStores"
import * as Sql from "@haft/registry/sql"
import * as ToolRegistry from "@haft/registry/ToolRegistry"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { join } from "node:path"
import { effectOf, inputOf, Sum } from "../effectWorks.ts"
import type { Offered, Subject } from "../subject.ts"
import { temporaryDirectory } from "../temporary.ts"
import { description, sumOf, type Work } from "../works.ts"

/** The same tool, whose schemas are known only here. */
export const toolOf = ({ kind }: Work): Tool.Any =>
  Tool.make({
    description,
    input: inputOf(kind),
    output: kind === "large" ? Schema.String : Sum,
    execute: effectOf(kind) as never
  })

const registry = ToolRegistry.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer()))
)

export const inMemory = Layer.fresh(
  registry.pipe(Layer.provideMerge(Layer.merge(SettlementStores.layerMemory, OutputStores.layerMemory())))
)

/** Calls and outputs that survive their process. */
export const durable = (root: string) => {
  const database = NodeSqlClient.layer({ filename: join(root, "haft.db") })
  const outputs = Files.layerFileSystem({
    directory: join(root, "outputs"),
    owners: NodeOwners.make({ directory: join(root, "owners") })
  }).pipe(Layer.provide([NodeFileSystem.layer, database]))
  const settlements = Sql.layerSql().pipe(Layer.provide(database))
  return Layer.fresh(registry.pipe(Layer.provideMerge(Layer.merge(settlements, outputs))))
}

const message = {
  sessionID: Session.ID.make("session"),
  agent: Agent.ID.make("bench"),
  assistantMessageID: Session.MessageID.make("message")
}

let calls = 0

/** Under a new id: the settlement of an old one would be given again. */
export const requestOf = (name: string, input: unknown, timeoutMs?: number): Materialization.Request => {
  const call = { id: ToolCall.ID.make(`call-${calls++}`), name, input }
  return timeoutMs === undefined ? { ...message, call } : { ...message, call, timeoutMs }
}

const lastCall = (): ToolCall.Identity => ({ ...message, toolCallID: ToolCall.ID.make(`call-${calls - 1}`) })

const knownOf = Option.match({
  onNone: () => "nothing",
  onSome: (record: SettlementStore.CallRecord) => {
    if (record._tag !== "Ended") return record._tag
    const { ended } = record
    const { effect } = ended._tag === "Settled" ? ended.settlement : ended
    return `${ended._tag}, effect ${effect._tag}`
  }
})

const sumOfSettlement = (settlement: Settlement): number =>
  settlement._tag === "Succeeded" ? sumOf(settlement.output.structured) : Number.NaN

const textOf = (settlement: Settlement): string => {
  if (settlement._tag !== "Succeeded") return ""
  return settlement.output.content.map((part) => (part._tag === "Text" ? part.text : "")).join("")
}

interface Options {
  readonly level?: Observability.Level
  readonly timeoutMs?: number
}

const offering = Effect.fnUntraced(function* (works: ReadonlyArray<Work>, { timeoutMs }: Options) {
  const tools = yield* Tools.Service
  const turns = yield* ToolRegistry.Service
  yield* tools.register(Object.fromEntries(works.map((work) => [work.name, toolOf(work)])))
  const turn = yield* turns.materialize()
  const store = yield* SettlementStore.Service
  const offered: Omit<Offered, "close"> = {
    calls: {
      manner: "effect",
      call: (name, input) => Effect.map(turn.settle(requestOf(name, input, timeoutMs)), sumOfSettlement)
    },
    definitions: () =>
      Effect.runPromise(
        Effect.map(turns.materialize(), ({ definitions }) =>
          definitions.map(({ inputSchema, name }) => ({ name, parameters: inputSchema }))
        )
      ),
    // A turn for each: what a turn may show in all is not what is compared.
    read: (name, input) =>
      Effect.runPromise(
        Effect.flatMap(turns.materialize(), ({ settle }) => Effect.map(settle(requestOf(name, input)), textOf))
      ),
    known: () => Effect.runPromise(Effect.map(store.find(lastCall()), knownOf))
  }
  return offered
})

const subjectOf = <E>(
  layer: () => Layer.Layer<Layer.Success<typeof inMemory>, E>,
  { level = "none", ...options }: Options = {}
): Subject => ({
  offer: (works) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const services = yield* Layer.buildWithScope(layer(), scope)
        const offered = yield* offering(works, options).pipe(
          Effect.provide(services),
          Effect.provideService(Observability.Level, level),
          Scope.provide(scope)
        )
        return { ...offered, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
      })
    )
})

/** More than any call of the comparison takes. */
const deadlineMillis = 60_000

export const bare = subjectOf(() => inMemory)
export const withDeadline = subjectOf(() => inMemory, { timeoutMs: deadlineMillis })
export const withSpan = subjectOf(() => inMemory, { level: "full" })
export const onDisk = subjectOf(() => durable(temporaryDirectory()))
