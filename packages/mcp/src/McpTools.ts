/**
 * The tools of a Location as an MCP server: what it lists is what can be called at that moment, and every call is settled
 * by Haft, with its guard, its repairs, its limits and its record.
 */
import * as Agent from "@haft/core/Agent"
import type { Materialization, SettleError } from "@haft/core/Materialization"
import * as Session from "@haft/core/Session"
import * as ToolCall from "@haft/core/ToolCall"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { registerOutputs } from "./internal/outputs.ts"
import { reporting } from "./internal/reporting.ts"
import { resultOf } from "./internal/result.ts"
import * as Sentences from "./internal/sentences.ts"
import { Sessions } from "./internal/sessions.ts"
import { toolOf } from "./internal/tool.ts"
import * as McpClients from "./McpClients.ts"
import type { Source } from "./Source.ts"

/** For the `registrations` of a server of `effect/ai`. `McpStdio` and `McpHttp` are such servers, with their own limits. */
export const layer = (
  source: Source,
  sessions: Sessions = new Sessions()
): Layer.Layer<never, never, McpServer.McpServer | McpClients.Service> =>
  Layer.effectDiscard(register(source, sessions)).pipe(Layer.merge(visible(source)))

interface Served {
  readonly source: Source
  readonly server: McpServer.McpServer["Service"]
  readonly clients: McpClients.Interface
  readonly sessions: Sessions
}

const register = Effect.fnUntraced(function* (source: Source, sessions: Sessions) {
  const server = yield* McpServer.McpServer
  const served: Served = { source, server, clients: yield* McpClients.Service, sessions }
  yield* server.addTool(placeholder)
  const listed = new Map<string, ToolDefinition>()
  yield* follow(served, listed)
  yield* Effect.forkScoped(Stream.runForEach(source.changes, () => follow(served, listed)))
  if (source.outputs !== undefined) yield* registerOutputs(server, source.outputs, served.sessions)
})

/** Adding a tool replaces one of the same name and tells the clients; one that is gone is hidden, and they are told. */
const follow = Effect.fnUntraced(function* (served: Served, listed: Map<string, ToolDefinition>) {
  const { definitions } = yield* served.source.materialize
  const names = new Set<string>(definitions.map(({ name }) => name))
  const added = definitions.filter((definition) => listed.get(definition.name) !== definition)
  const gone = [...listed.keys()].filter((name) => !names.has(name))
  for (const name of gone) listed.delete(name)
  for (const definition of added) {
    listed.set(definition.name, definition)
    yield* served.server.addTool({
      tool: toolOf(definition),
      annotations: Context.empty(),
      handle: (input) => handle(served, definition.name, input)
    })
  }
  if (gone.length > 0) yield* served.server.notifications["notifications/tools/list_changed"]({})
})

const visible = ({ materialize }: Source) =>
  McpServer.visibility(
    ({ method, target }) =>
      method === "tools/list" || method === "tools/call"
        ? Effect.map(materialize, ({ definitions }) => definitions.some(({ name }) => name === target))
        : Effect.succeed(true),
    { global: true }
  )

type AddTool = Parameters<McpServer.McpServer["Service"]["addTool"]>[0]

/** A server offers tools only if it has one when a client connects, so there is always one, and nobody sees it. */
const placeholder: AddTool = {
  tool: new McpSchema.Tool({ name: "_", inputSchema: { type: "object" } }),
  annotations: Context.make(McpSchema.EnabledWhen, () => false),
  handle: () => Effect.succeed(new McpSchema.CallToolResult({ content: [] }))
}

/** Cancelling the request, or losing the client, interrupts this and with it the call. */
const handle = Effect.fnUntraced(function* (served: Served, name: string, input: unknown) {
  const { clients, server, sessions, source } = served
  const turn = yield* source.materialize
  const request = yield* requestOf(yield* sessions.current, name, input)
  const settled = yield* turn.settle(request).pipe(
    (call) => clients.during(request, call),
    (call) => reporting(server, call),
    Effect.catchTags(unsettled)
  )
  return resultOf(settled, definitionOf(turn, name), source.outputs !== undefined)
})

const definitionOf = ({ definitions }: Materialization, name: string): ToolDefinition | undefined =>
  definitions.find((definition) => definition.name === name)

/** Ids of JSON-RPC come again, and a call's identity is for ever: every request is a message of its own, and a call that the log can tell. */
const requestOf = Effect.fnUntraced(function* (sessionID: Session.ID, name: string, input: unknown) {
  const { clientInfo } = yield* McpSchema.McpRequestContext
  const id = SecureRandom.uuidV4Unsafe()
  return {
    sessionID,
    agent: agentOf(clientInfo?.name),
    assistantMessageID: Session.MessageID.make(id),
    call: { id: ToolCall.ID.make(id), name, input: input ?? {} }
  }
})

/** As the client calls itself, as far as that can be an id. */
const agentOf = (name = ""): Agent.ID => {
  const id = name.replaceAll(/[\s\p{C}]+/gu, "-").slice(0, maxAgentLength)
  return Agent.ID.make(id === "" ? "mcp-client" : id)
}

const maxAgentLength = 64

/** Our side failed. What it was is for the operator, and in the record of the call. */
const internal = (error: SettleError) =>
  Effect.fail(new McpSchema.InternalError({ message: Sentences.unsettled(error._tag) }))

const unsettled = {
  InvalidOutput: internal,
  "OutputStore.StorageError": internal,
  "SettlementStore.StorageError": internal,
  "Materialization.CallAlreadyEnded": internal,
  "Materialization.CallInProgress": internal,
  "Materialization.SelfInterrupted": internal
}
