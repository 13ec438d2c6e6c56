/** An output store in a directory, and beside it one for what is kept by hand. Both are gone when the process ends. */
import { NodeFileSystem, NodeOwners, NodeSqlClient } from "@haft/node"
import * as Files from "@haft/registry/files"
import { Layer } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../temporary.ts"

const root = temporaryDirectory()

/** For what is kept by hand. */
export const directory = join(root, "bare")
Fs.mkdirSync(directory)

export const Database = NodeSqlClient.layer({ filename: join(root, "haft.db") })

export const Outputs = Files.layerFileSystem({
  directory: join(root, "outputs"),
  owners: NodeOwners.make({ directory: join(root, "owners") })
}).pipe(Layer.provide([NodeFileSystem.layer, Database]))
