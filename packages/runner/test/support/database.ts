/** A runner whose history and settlements are in a SQLite file, as a host has it. */
import { ApplicationTools, OutputBounds, OutputStores, ToolRegistry } from "@haft/registry"
import * as RegistrySql from "@haft/registry/sql"
import { Runner, ScriptedModel } from "@haft/runner"
import * as RunnerSql from "@haft/runner/sql"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A file that is gone with the Scope. */
export const temporary = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "haft-runner-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  ),
  (directory) => join(directory, "session.db")
)

/** Both stores, each build with a connection of its own, as another process has. */
export const stores = (filename: string) =>
  Layer.fresh(
    Layer.merge(RunnerSql.layerSql, RegistrySql.layerSql()).pipe(Layer.provideMerge(NodeSqlClient.layer({ filename })))
  )

/** One process. What it leaves behind when it closes is unfinished. */
export const layer = (filename: string, script: ScriptedModel.Script) =>
  Layer.fresh(
    Layer.merge(Runner.layer, ToolRegistry.layer).pipe(
      Layer.provideMerge(Layer.mergeAll(ScriptedModel.layer(script), ApplicationTools.layer, OutputBounds.layer())),
      Layer.provideMerge(Layer.mergeAll(OutputStores.layerMemory(), stores(filename)))
    )
  )
