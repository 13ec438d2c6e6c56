/** Keeps a few outputs in a directory, and notes outside the store which of them it was told are kept. */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import * as Session from "@haft/core/Session"
import * as NodeFileSystem from "@haft/node/NodeFileSystem"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as FileStore from "@haft/registry/files"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { join } from "node:path"

/** What one run leaves in its directory. */
export const files = (directory: string) => ({
  database: join(directory, "outputs.db"),
  owners: join(directory, "owners"),
  outputs: join(directory, "outputs"),
  /** A line for each output that was acknowledged: its reference, its seed and its length. */
  kept: join(directory, "kept")
})

/** What a run may choose. */
type Options = Partial<FileStore.Options>

/** The store as a host on one machine has it. */
export const layer = (directory: string, options?: Options) => {
  const { database, outputs, owners } = files(directory)
  return FileStore.layerFileSystem({
    directory: outputs,
    owners: NodeOwners.make({ directory: owners }),
    ...options
  }).pipe(Layer.provide([NodeFileSystem.layer, NodeSqlClient.layer({ filename: database })]))
}

export const session = Session.ID.make("session")

/** The same bytes for the same seed, and others for every other. */
export const bytesOf = (seed: number, length: number): Uint8Array =>
  Buffer.alloc(length, createHash("sha512").update(String(seed)).digest("base64"))

export const contentOf = (seed: number, length: number): OutputStore.Content => ({
  mimeType: "text/plain",
  bytes: Stream.make(bytesOf(seed, length))
})

/** Outputs of these seeds, one after the other; the second and the third have the same content. */
const seeds = [1, 2, 2]

/** Each fails for itself. Afterwards one is not wanted any more, and something is swept. */
export const retainAll = Effect.fnUntraced(function* (directory: string, length: number) {
  const store = yield* OutputStore.Service
  for (const seed of seeds) yield* Effect.ignore(retain(directory, store, seed, length))
  const unwanted = yield* Effect.option(store.retain(session, contentOf(3, length)))
  if (unwanted._tag === "Some") yield* Effect.ignore(store.release(session, [unwanted.value.ref]))
  yield* Effect.ignore(store.sweep)
})

const retain = Effect.fnUntraced(function* (
  directory: string,
  store: OutputStore.Interface,
  seed: number,
  length: number
) {
  const { ref } = yield* store.retain(session, contentOf(seed, length))
  append(files(directory).kept, `${ref} ${seed} ${length}`)
})

/** With other system calls than the store's, so that a kill aimed at the store never hits it. */
const append = (path: string, line: string): void => {
  const file = Fs.openSync(path, "a")
  Fs.writeSync(file, `${line}\n`)
  Fs.fdatasyncSync(file)
  Fs.closeSync(file)
}

/** An output that was acknowledged. */
export interface Kept {
  readonly ref: ManagedOutput.Ref
  readonly seed: number
  readonly length: number
}

export const keptIn = (directory: string): ReadonlyArray<Kept> => {
  const { kept } = files(directory)
  if (!Fs.existsSync(kept)) return []
  return Fs.readFileSync(kept, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const [ref = "", seed, length] = line.split(" ")
      return { ref: ManagedOutput.Ref.make(ref), seed: Number(seed), length: Number(length) }
    })
}

/** Whether an output is there to the last byte, as far as its owner can tell. */
export const isWhole = (store: OutputStore.Interface, owner: Session.ID, { length, ref, seed }: Kept) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { content } = yield* store.open(owner, ref, OutputStore.bytes(0, 2 ** 40))
      const chunks = yield* Stream.runCollect(content)
      return Buffer.concat([...chunks]).equals(bytesOf(seed, length))
    })
  )
