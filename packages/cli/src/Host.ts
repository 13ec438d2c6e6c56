/** The composition root: every part of Haft on this machine, for one project. */
import * as BuiltInTools from "@haft/builtins/BuiltInTools"
import * as LocationFetch from "@haft/builtins/LocationFetch"
import * as LocationFiles from "@haft/builtins/LocationFiles"
import * as LocationJobs from "@haft/builtins/LocationJobs"
import * as LocationSearch from "@haft/builtins/LocationSearch"
import * as LocationShell from "@haft/builtins/LocationShell"
import * as Questions from "@haft/builtins/Questions"
import * as Todos from "@haft/builtins/Todos"
import * as Location from "@haft/core/Location"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Permissions from "@haft/policy/Permissions"
import * as Protected from "@haft/policy/Protected"
import type * as Rule from "@haft/policy/Rule"
import * as PolicySql from "@haft/policy/sql"
import * as ApplicationTools from "@haft/registry/ApplicationTools"
import * as RegistryFiles from "@haft/registry/files"
import * as OutputBounds from "@haft/registry/OutputBounds"
import * as PluginHost from "@haft/registry/PluginHost"
import * as Plugins from "@haft/registry/plugins"
import * as Recovery from "@haft/registry/Recovery"
import * as RegistrySql from "@haft/registry/sql"
import * as ToolRegistry from "@haft/registry/ToolRegistry"
import * as RunnerSql from "@haft/runner/sql"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Project from "./Project.ts"

/** Which processes on this machine are at work in the project. */
export const owners = (state: Project.State): NodeOwners.NodeOwners => NodeOwners.make({ directory: state.owners })

/** Whatever only looks inside the project is allowed, and everything else is asked about. */
export const defaultRules: ReadonlyArray<Rule.Rule> = [
  { action: "read", resource: "*", effect: "allow" },
  { action: "list", resource: "*", effect: "allow" },
  { action: "glob", resource: "*", effect: "allow" },
  { action: "grep", resource: "*", effect: "allow" }
]

/** Nobody else may look into what is recorded. */
const layerState = Layer.effectDiscard(
  Effect.gen(function* () {
    const { state } = yield* Project.Service
    const fileSystem = yield* FileSystem.FileSystem
    yield* fileSystem.makeDirectory(state.directory, { recursive: true, mode: 0o700 })
  })
)

/** The database of the project, made when it is missing. */
export const layerDatabase = Layer.unwrap(
  Effect.map(Project.Service, ({ state }) => NodeSqlClient.layer({ filename: state.database }))
).pipe(Layer.provide(layerState))

const layerOutputs = Layer.unwrap(
  Effect.map(Project.Service, ({ state }) =>
    RegistryFiles.layerFileSystem({ directory: state.outputs, owners: owners(state) })
  )
)

const layerSettlements = Layer.unwrap(
  Effect.map(Project.Service, ({ state }) => RegistrySql.layerSql({ owners: owners(state) }))
)

/** The record of calls, the kept outputs, what people allowed and the sessions, in one database and a directory beside it. */
export const layerStores = Layer.mergeAll(layerSettlements, layerOutputs, PolicySql.layerSql, RunnerSql.layerSql).pipe(
  Layer.provideMerge(layerDatabase)
)

/** Who decides about permissions in the project. */
export const layerPolicy = Layer.unwrap(
  Effect.map(Project.Service, ({ config, root }) =>
    Permissions.layer({
      location: Location.Ref.make(root),
      rules: [...defaultRules, ...(config.permissions ?? [])]
    })
  )
)

const layerFiles = Layer.unwrap(
  Effect.map(Project.Service, ({ root, state }) =>
    LocationFiles.layer({
      root,
      protect: [state.directory],
      journal: { directory: state.journal, owners: owners(state) }
    })
  )
)

/** What a person has to approve by itself, a command cannot change either. */
const layerShell = Layer.unwrap(
  Effect.map(Project.Service, ({ config }) => {
    const protection = Protected.make()
    return LocationShell.layer({ ...config.shell, protectedPaths: (path) => protection("edit", path) !== undefined })
  })
)

const layerBounds = Layer.unwrap(Effect.map(Project.Service, ({ config }) => OutputBounds.layer(config.output)))

/** Calls that a process left behind when it died get their end before anything is called. */
const layerRecovery = Layer.effectDiscard(Recovery.recover)

/** Follows the folders, so that a file dropped into one is a plugin a moment later. */
const layerPlugins = Layer.unwrap(
  Effect.gen(function* () {
    const { config, root } = yield* Project.Service
    const path = yield* Path.Path
    const folders = config.plugins ?? [Plugins.defaultFolder]
    return Layer.mergeAll(
      Layer.empty,
      ...folders.map((folder) => Plugins.layerFolder({ folder: path.resolve(root, folder), watch: true }))
    )
  })
).pipe(Layer.provideMerge(PluginHost.layer()))

/** What is tried out on this machine before it is relied on: isolation of commands and of searches, one beside the other. */
const layerMachine = Layer.merge(LocationSearch.layer(), Layer.provideMerge(LocationJobs.layer(), layerShell)).pipe(
  Layer.provideMerge(layerFiles),
  Layer.provide(layerState)
)

/** The tools of the project, ready to be called. Plugins come after the built-in ones. */
export const layer = layerPlugins.pipe(
  Layer.provideMerge(Layer.merge(BuiltInTools.layer, layerRecovery)),
  Layer.provideMerge(Layer.mergeAll(layerPolicy, LocationFetch.layer(), Questions.layer(), Todos.layerMemory)),
  Layer.provideMerge(ToolRegistry.layer),
  Layer.provide([ApplicationTools.layer, layerBounds]),
  // A database opens while programs start.
  Layer.provideMerge(Layer.merge(layerStores, layerMachine))
)
