/**
 * The services most programs need, in one layer: the same five as `NodeServices.layer` of `@effect/platform-node`, so
 * that a host can swap one for the other.
 */
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import * as NodeChildProcessSpawner from "./NodeChildProcessSpawner.ts"
import * as NodeFileSystem from "./NodeFileSystem.ts"
import * as NodePath from "./NodePath.ts"
import * as NodeStdio from "./NodeStdio.ts"
import * as NodeTerminal from "./NodeTerminal.ts"

/** What `layer` provides. */
export type NodeServices =
  | ChildProcessSpawner.ChildProcessSpawner
  | FileSystem.FileSystem
  | Path.Path
  | Stdio.Stdio
  | Terminal.Terminal

/** Files, paths, processes, standard streams and the terminal of this machine and process. */
export const layer: Layer.Layer<NodeServices> = Layer.mergeAll(
  NodeChildProcessSpawner.layer,
  NodeFileSystem.layer,
  NodePath.layer,
  NodeStdio.layer,
  NodeTerminal.layer
)
