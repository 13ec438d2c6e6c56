import { assert, describe, it } from "@effect/vitest"
import { OutputStore, Session } from "@haft/core"
import * as NodeFileSystem from "@haft/node/NodeFileSystem"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Files from "@haft/registry/files"
import { Context, Deferred, Effect, Exit, Fiber, FileSystem, Layer, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import { placesIn, temporary } from "./support/outputFiles.ts"

const session = Session.ID.make("session")

const text = (content: string): OutputStore.Content => ({
  mimeType: "text/plain",
  bytes: Stream.make(Buffer.from(content))
})

const read = (store: OutputStore.Interface, ref: OutputStore.Retained["ref"]) =>
  Effect.scoped(
    Effect.flatMap(store.open(session, ref, OutputStore.bytes(0, 2 ** 40)), ({ content }) =>
      Effect.map(Stream.runCollect(content), (chunks) => Buffer.concat([...chunks]).toString())
    )
  )

/** A client of a host whose transactions begin without a lock, as those of most clients do. */
const layerLazy = (filename: string) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const client = yield* SqlClient.SqlClient
      // Who finds the database locked is told at once, so that no test has to wait for it.
      yield* client`PRAGMA busy_timeout = 0`
      return yield* SqlClient.make({
        acquirer: client.reserve,
        compiler: Statement.makeCompilerSqlite(),
        driver: "lazy",
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide([NodeSqlClient.layer({ filename }), Reactivity.layer]), Layer.fresh)

/** A file system that stops after the first `operation` until it is let go on. */
const makeHeld = Effect.fnUntraced(function* (operation: "rename" | "remove") {
  const [reached, proceed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const wait = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(proceed))
  const layer = Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (files) => ({
      ...files,
      rename: (from: string, to: string) => Effect.tap(files.rename(from, to), () => held("rename", to)),
      remove: (path: string, options?: Parameters<typeof files.remove>[1]) =>
        Effect.tap(files.remove(path, options), () => held("remove", path))
    }))
  ).pipe(Layer.provide(NodeFileSystem.layer))
  const isContent = /\/[0-9a-f]{64}$/
  const held = (done: typeof operation, path: string) =>
    done === operation && isContent.test(path) ? Effect.uninterruptible(wait) : Effect.void
  return { layer, reached: Deferred.await(reached), proceed: Deferred.succeed(proceed, undefined) }
})

interface Parts {
  readonly files?: Layer.Layer<FileSystem.FileSystem>
  readonly limits?: Files.Options["limits"]
}

/** The store with the client it is on. */
const open = (root: string, { files = NodeFileSystem.layer, limits = {} }: Parts = {}) => {
  const { database, directory } = placesIn(root)
  const layer = Files.layerFileSystem({ directory, limits }).pipe(
    Layer.provide(files),
    Layer.provideMerge(layerLazy(database))
  )
  return Effect.map(Layer.build(Layer.fresh(layer)), (context) => ({
    store: Context.get(context, OutputStore.Service),
    sql: Context.get(context, SqlClient.SqlClient)
  }))
}

const reservedIn = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly reserved: number }>`SELECT sum(reserved) AS reserved FROM haft_output_writers`,
    ([row]) => row?.reserved
  )

describe("a store in a directory, on a client whose transactions begin without a lock", () => {
  it.effect("removes nothing that another is about to keep", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const held = yield* makeHeld("rename")
      const [one, two] = [yield* open(root, { files: held.layer }), yield* open(root)]
      const fiber = yield* Effect.forkChild(one.store.retain(session, text("kept")))
      yield* held.reached
      const early = yield* Effect.exit(two.store.sweep)
      yield* held.proceed
      const { ref } = yield* Fiber.join(fiber)
      assert.strictEqual(yield* read(two.store, ref), "kept")
      assert.isTrue(Exit.isFailure(early))
      assert.strictEqual(yield* two.store.sweep, 0)
      assert.strictEqual(yield* read(one.store, ref), "kept")
    })
  )
})

describe("a store in a directory", () => {
  it.effect("says that it cannot be used inside a transaction of the host, and stays as it is", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const { sql, store } = yield* open(root)
      const { ref } = yield* store.retain(session, text("before"))
      const reserved = yield* reservedIn(sql)
      const attempts = [
        store.retain(session, text("inside")),
        store.release(session),
        store.release(session, [ref]),
        store.sweep,
        read(store, ref),
        Stream.runDrain(store.search(session, ref, { pattern: "before" }))
      ]
      for (const attempt of attempts) {
        const error = yield* Effect.flip(sql.withTransaction(attempt))
        assert(error._tag === "OutputStore.StorageError")
        assert.include(String(error.cause), "outside sql.withTransaction")
      }
      assert.strictEqual(yield* reservedIn(sql), reserved)
      assert.strictEqual(yield* read(store, ref), "before")
      yield* store.retain(session, text("after"))
    })
  )

  it.effect("cannot be opened inside a transaction of the host", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const { database, directory } = placesIn(root)
      const opening = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const layer = Files.layerFileSystem({ directory }).pipe(Layer.provide(NodeFileSystem.layer))
        const error = yield* Effect.flip(sql.withTransaction(Effect.scoped(Layer.build(layer))))
        assert(error._tag === "OutputStore.StorageError")
        assert.include(String(error.cause), "outside sql.withTransaction")
        yield* Effect.scoped(Layer.build(layer))
      })
      yield* Effect.provide(opening, layerLazy(database))
    })
  )

  it.effect("has all of its room again after a retention was interrupted while room was made for it", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const held = yield* makeHeld("remove")
      const { sql, store } = yield* open(root, { files: held.layer, limits: { maxStoreBytes: 1000 } })
      yield* store.retain(session, text("x".repeat(1000)))
      yield* store.release(session)
      const other = Session.ID.make("other")
      const fiber = yield* Effect.forkChild(store.retain(other, text("y".repeat(1000))))
      yield* held.reached
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      yield* held.proceed
      yield* Fiber.join(interrupting)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      assert.strictEqual(yield* reservedIn(sql), 0)
      yield* store.retain(other, text("z".repeat(1000)))
    })
  )
})
