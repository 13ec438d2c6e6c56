/** Opens output stores on files, as the processes of one machine do. */
import * as NodeFileSystem from "@haft/node/NodeFileSystem"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Files from "@haft/registry/files"
import { Effect, Layer } from "effect"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A directory that is gone after the test. */
export const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-outputs-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

/** Where a store in `root` has what. */
export const placesIn = (root: string) => ({
  directory: join(root, "outputs"),
  database: join(root, "outputs.db"),
  owners: join(root, "owners")
})

/** Two of the pieces that are written at a time: what is shorter waits in memory for the rest of its piece. */
export const begun = "begun...".repeat(256 * 1024)

/** What a test chooses; the rest is in its usual place. */
type Options = Partial<Files.Options> & { readonly database?: string }

export const layerFiles = (root: string, options?: Options) => {
  const { database, directory, owners } = placesIn(root)
  const usual = { directory, owners: NodeOwners.make({ directory: owners }) }
  return Files.layerFileSystem({ ...usual, ...options }).pipe(
    Layer.provide([NodeFileSystem.layer, NodeSqlClient.layer({ filename: options?.database ?? database })])
  )
}
