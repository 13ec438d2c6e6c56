import { assert } from "@effect/vitest"
import { OutputStore, Session, Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { NodeFileSystem, NodeOwners, NodeSqlClient } from "@haft/node"
import { OutputStores } from "@haft/registry"
import * as Files from "@haft/registry/files"
import { Effect, Layer, Schema, Stream } from "effect"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { law } from "./law.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-laws-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

const layerFiles = (root: string) =>
  Files.layerFileSystem({
    directory: join(root, "outputs"),
    owners: NodeOwners.make({ directory: join(root, "owners") })
  }).pipe(Layer.provide([NodeFileSystem.layer, NodeSqlClient.layer({ filename: join(root, "outputs.db") })]))

const session = Session.ID.make("session")

const retain = (store: OutputStore.Interface, bytes: Uint8Array) =>
  store.retain(session, { mimeType: "text/plain", bytes: Stream.make(bytes) })

const readBack = (store: OutputStore.Interface, { bytes, ref }: OutputStore.Retained) =>
  Effect.scoped(
    Effect.flatMap(store.open(session, ref, OutputStore.bytes(0, bytes)), ({ content }) =>
      Effect.map(Stream.runCollect(content), (chunks) => Buffer.concat([...chunks]))
    )
  )

const everyByte = Uint8Array.from({ length: 3_000_001 }, (_, index) => (index * 31) >> (index % 7))

law("retained-is-complete", "a store gives back every byte of what it said it kept, and the next store does too", () =>
  Effect.gen(function* () {
    const root = yield* temporary
    const keep = Effect.flatMap(OutputStore.Service, (store) => retain(store, everyByte))
    const retained = yield* Effect.provide(keep, layerFiles(root))
    assert.strictEqual(retained.bytes, everyByte.length)
    const read = Effect.flatMap(OutputStore.Service, (store) => readBack(store, retained))
    assert.isTrue((yield* Effect.provide(read, layerFiles(root))).equals(everyByte))
  })
)

law("storage-encapsulation", "what a tool returned is the same wherever it was kept", () =>
  Effect.gen(function* () {
    const text = "Zürich 東京 🛠\r\n".repeat(20_000)
    const tool = Tool.make({
      description: "Says a lot",
      input: Schema.Struct({}),
      output: Schema.String,
      execute: () => Effect.succeed(text)
    })
    const { output } = yield* Testing.call(tool, {})
    const bytes = Buffer.from(Schema.decodeUnknownSync(Schema.String)(output.structured))
    const root = yield* temporary
    for (const layer of [OutputStores.layerMemory(), layerFiles(root)]) {
      const through = Effect.flatMap(OutputStore.Service, (store) =>
        Effect.flatMap(retain(store, bytes), (retained) => readBack(store, retained))
      )
      assert.strictEqual((yield* Effect.provide(through, layer)).toString(), text)
    }
  })
)
