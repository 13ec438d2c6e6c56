/**
 * A host as it is on one machine: a registry whose calls are recorded in a database and whose long outputs are kept in
 * files. Its tools do everything that tools do, and it notes outside its stores what it was told and what really happened.
 * It loads no barrel: most of what a short process costs is loading.
 */
import * as Agent from "@haft/core/Agent"
import * as EffectSignal from "@haft/core/EffectSignal"
import type * as Materialization from "@haft/core/Materialization"
import * as Session from "@haft/core/Session"
import type * as Settlement from "@haft/core/Settlement"
import * as Tool from "@haft/core/Tool"
import * as ToolCall from "@haft/core/ToolCall"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Tools from "@haft/core/Tools"
import * as NodeFileSystem from "@haft/node/NodeFileSystem"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as ApplicationTools from "@haft/registry/ApplicationTools"
import * as FileStore from "@haft/registry/files"
import * as OutputBounds from "@haft/registry/OutputBounds"
import * as RegistrySql from "@haft/registry/sql"
import * as ToolRegistry from "@haft/registry/ToolRegistry"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import { join } from "node:path"

/** What a host has in its directory. Only `state` is its own; the rest is written by who watches it. */
export const files = (directory: string) => {
  const state = join(directory, "state")
  return {
    state,
    database: join(state, "calls.db"),
    owners: join(state, "owners"),
    outputs: join(state, "outputs"),
    /** A line for each time that an executor was entered: the id of its call. */
    entered: join(directory, "entered"),
    /** A line for each time that a call had its effect. */
    effects: join(directory, "effects"),
    /** A line for each call that came back to its caller: what it was told. */
    told: join(directory, "told")
  }
}

/** A host whose state lies in a directory, with whatever the system lets it have. */
export const layer = (directory: string) => {
  const { database, outputs, owners } = files(directory)
  const alive = NodeOwners.make({ directory: owners })
  const stores = Layer.merge(
    RegistrySql.layerSql({ owners: alive }),
    FileStore.layerFileSystem({ directory: outputs, owners: alive }).pipe(Layer.provide(NodeFileSystem.layer))
  ).pipe(Layer.provideMerge(NodeSqlClient.layer({ filename: database })))
  return ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.merge(ApplicationTools.layer, OutputBounds.layer())),
    Layer.provideMerge(stores)
  )
}

export const sessionID = Session.ID.make("session")

export const identityOf = (id: string): Tool.Context => ({
  sessionID,
  agent: Agent.ID.make("agent"),
  assistantMessageID: Session.MessageID.make("message"),
  toolCallID: ToolCall.ID.make(id)
})

/** More than a model is shown of one call, so that the whole is kept. */
export const printedLength = 60_000

/** The same text for the same call, and another one for every other. */
export const printed = (id: string): string =>
  `${id} ${"0123456789abcdef".repeat(printedLength / 16)}`.slice(0, printedLength)

/** What a call can do. */
export const kinds = ["act", "print", "fail", "die", "hang", "wait", "hoard"] as const
export type Kind = (typeof kinds)[number]

/** What was noted about a call that came back. */
export const Told = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** The tag of its settlement, of the error, `Died` or `Interrupted`. */
  end: Schema.String,
  managed: Schema.Array(Schema.String),
  millis: Schema.Finite
})
export type Told = typeof Told.Type

/** What a host tells about itself goes here, to whoever launched it. */
const notesDescriptor = 3

/**
 * Notes go to the one who launched the host and not to files of its own: no limit, no full disk and no kill cuts them off.
 * A line is the file that it belongs to and the note.
 */
export const makeNotes = (directory: string) => {
  const { effects, entered, told } = files(directory)
  const line = (path: string) => (text: string) => void Fs.writeSync(notesDescriptor, `${path}\t${text}\n`)
  const tell = line(told)
  return { entered: line(entered), effect: line(effects), told: (one: Told) => tell(JSON.stringify(one)) }
}
export type Notes = ReturnType<typeof makeNotes>

export const linesOf = (path: string): ReadonlyArray<string> =>
  Fs.existsSync(path) ? Fs.readFileSync(path, "utf8").split("\n").slice(0, -1) : []

const none = Schema.Struct({})

/** Time for a call that never returns. */
const hangMillis = 50

const toolsOf = (notes: Notes): Readonly<Record<Kind, Tool.Any>> => {
  const make = (
    execute: (id: string) => Effect.Effect<string, ToolFailure.ToolFailure>,
    given: Tool.Annotations = {}
  ) =>
    Tool.annotate(
      Tool.make({
        description: "One of the things that tools do",
        input: none,
        output: Schema.String,
        execute: (_, { toolCallID }) =>
          Effect.suspend(() => {
            notes.entered(toolCallID)
            return execute(toolCallID)
          })
      }),
      given
    )
  return {
    act: make(
      (id) =>
        Effect.gen(function* () {
          const signal = yield* EffectSignal.Service
          yield* signal.starting
          notes.effect(id)
          yield* signal.committed([{ kind: "line", target: id }])
          return "acted"
        }),
      { determinism: "side_effectful" }
    ),
    print: make((id) => Effect.succeed(printed(id)), { determinism: "pure" }),
    fail: make(() => Effect.fail(ToolFailure.unavailable({ message: "not today" })), { determinism: "pure" }),
    die: make(() => Effect.die(new Error("bug")), { determinism: "pure" }),
    hang: make(() => Effect.never, { determinism: "pure", limits: { timeoutMs: hangMillis } }),
    hoard: make(() => Effect.sync(hoard), { determinism: "side_effectful" }),
    wait: make(() => Effect.andThen(Effect.sleep(5), Effect.succeed("waited")), { determinism: "idempotent" })
  }
}

/** Never comes back: the process has no memory left before. */
const hoard = (): string => {
  const kept: Array<Array<number>> = []
  for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => index))
}

/** Registers the tools until the Scope closes, and gives the way to make one call, which is noted when it comes back. */
export const calling = Effect.fnUntraced(function* (notes: Notes) {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* tools.register(toolsOf(notes))
  return (id: string, name: Kind, timeoutMs?: number) =>
    Effect.gen(function* () {
      const { toolCallID, ...context } = identityOf(id)
      const turn = yield* registry.materialize()
      const limit = timeoutMs === undefined ? {} : { timeoutMs }
      const began = performance.now()
      const exit = yield* Effect.exit(turn.settle({ ...context, call: { id: toolCallID, name, input: {} }, ...limit }))
      notes.told({ id, name, ...ending(exit), millis: performance.now() - began })
      return exit
    })
})

const ending = (
  exit: Exit.Exit<Settlement.Settlement, Materialization.SettleError>
): { readonly end: string; readonly managed: ReadonlyArray<string> } => {
  if (Exit.isSuccess(exit)) return { end: exit.value._tag, managed: exit.value.managed }
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return { end: failure.error._tag, managed: [] }
  return { end: Cause.hasInterruptsOnly(exit.cause) ? "Interrupted" : "Died", managed: [] }
}

/** Makes the directory of a host that has not run yet. */
export const prepare = (directory: string): string => {
  Fs.mkdirSync(files(directory).state, { recursive: true, mode: 0o700 })
  return directory
}
