import { assert, describe, it } from "@effect/vitest"
import { ManagedOutput, OutputStore, Session } from "@haft/core"
import * as NodeFileSystem from "@haft/node/NodeFileSystem"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Files from "@haft/registry/files"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import * as Fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { begun, layerFiles, placesIn, temporary } from "./support/outputFiles.ts"

const session = Session.ID.make("session")

const text = (content: string | Uint8Array): OutputStore.Content => ({
  mimeType: "text/plain",
  bytes: Stream.make(Buffer.from(content))
})

const readAll = (store: OutputStore.Interface, ref: OutputStore.Retained["ref"]) =>
  Effect.scoped(
    Effect.flatMap(store.open(session, ref, OutputStore.bytes(0, 2 ** 40)), ({ content }) =>
      Effect.map(Stream.runCollect(content), (chunks) => Buffer.concat([...chunks]).toString())
    )
  )

/** The reason why an output cannot be read, or its text. */
const readOr = (store: OutputStore.Interface, ref: OutputStore.Retained["ref"]) =>
  Effect.catchTag(readAll(store, ref), "OutputStore.UnavailableError", ({ reason }) => Effect.succeed(reason))

const hashOf = (content: string): string => createHash("sha256").update(content).digest("hex")

/** Files of contents, without the mark of the store. */
const contentsIn = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync(directory).filter((name) => name !== "haft-outputs")

const modeOf = (path: string): number => Fs.statSync(path).mode & 0o777

/** Opens a store in a new place for as long as `use` lasts. */
const inStore = <A, E>(use: (store: OutputStore.Interface, root: string) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const root = yield* temporary
    return yield* Effect.provide(
      Effect.flatMap(OutputStore.Service, (store) => use(store, root)),
      layerFiles(root)
    )
  })

/** Why a store does not open. */
const refusal = (layer: ReturnType<typeof layerFiles>) =>
  Effect.provide(OutputStore.Service, layer).pipe(
    Effect.flip,
    Effect.map((error) => (error instanceof Files.RefusedError ? error.reason : error._tag))
  )

describe("outputs in a directory", () => {
  it.effect("are files that only their owner can read, named by their content, equal ones once", () =>
    inStore((store, root) =>
      Effect.gen(function* () {
        const { directory } = placesIn(root)
        const [one, two] = [yield* store.retain(session, text("same")), yield* store.retain(session, text("same"))]
        assert.deepStrictEqual(contentsIn(directory), [hashOf("same")])
        assert.strictEqual(Fs.readFileSync(join(directory, hashOf("same")), "utf8"), "same")
        assert.strictEqual(modeOf(directory), 0o700)
        for (const name of Fs.readdirSync(directory)) assert.strictEqual(modeOf(join(directory, name)), 0o600)
        for (const { ref } of [one, two]) assert.match(ref, /^out_[0-9a-f]{32}$/)
        assert.notInclude(hashOf("same"), one.ref.slice(4))
      })
    )
  )

  it.effect("leave nothing when they fail, are interrupted or are not wanted after all", () =>
    inStore((store, root) =>
      Effect.gen(function* () {
        const { directory } = placesIn(root)
        const started = yield* Deferred.make<void>()
        const waits = Stream.fromEffect(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
        // More than is gathered before it is written, so that there is a file when the next part is asked for.
        const parts = Stream.make(new Uint8Array(4 * 1024 * 1024), new Uint8Array(4 * 1024 * 1024))
        const endless = { mimeType: "text/plain", bytes: Stream.concat(parts, waits) }
        const fiber = yield* Effect.forkChild(store.retain(session, endless))
        yield* Deferred.await(started)
        assert.strictEqual(contentsIn(directory).length, 1)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(contentsIn(directory), [])
        const dying = { mimeType: "text/plain", bytes: Stream.concat(text("part").bytes, Stream.die("bug")) }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(store.retain(session, dying))))
        assert.deepStrictEqual(contentsIn(directory), [])
        const { ref } = yield* store.retain(session, text("kept"))
        yield* store.release(session, [ref])
        assert.deepStrictEqual(contentsIn(directory), [])
      })
    )
  )

  it.effect("of any size leave the event loop free while they are written", () =>
    inStore((store) =>
      Effect.gen(function* () {
        let turns = 0
        let immediate = setImmediate(function turn() {
          turns++
          immediate = setImmediate(turn)
        })
        yield* store.retain(session, text(new Uint8Array(16 * 1024 * 1024)))
        clearImmediate(immediate)
        assert.isAtLeast(turns, 16)
      })
    )
  )

  it.effect("that are damaged or missing are lost, are reported, and are whole again once they are kept again", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(message))])
      const root = yield* temporary
      const file = join(placesIn(root).directory, hashOf("precious"))
      const damages: ReadonlyArray<() => void> = [
        () => Fs.writeFileSync(file, "PRECIOUS"),
        () => Fs.truncateSync(file, 3),
        () => Fs.rmSync(file),
        () => {
          Fs.renameSync(file, join(root, "elsewhere"))
          Fs.symlinkSync(join(root, "elsewhere"), file)
        }
      ]
      const program = Effect.gen(function* () {
        const store = yield* OutputStore.Service
        for (const [index, damage] of damages.entries()) {
          const { ref } = yield* store.retain(session, text("precious"))
          assert.strictEqual(yield* readOr(store, ref), "precious")
          damage()
          assert.strictEqual(yield* readOr(store, ref), "Lost")
          assert.strictEqual(logged.length, index + 1)
        }
        const { ref } = yield* store.retain(session, text("precious"))
        assert.strictEqual(yield* readOr(store, ref), "precious")
      })
      yield* Effect.provide(program, [layerFiles(root), logger])
    })
  )

  it.effect("do not touch what else is in the directory", () =>
    inStore((store, root) =>
      Effect.gen(function* () {
        const { directory } = placesIn(root)
        const foreign = ["notes.txt", ".hidden", `${hashOf("x")}.bak`, `${hashOf("x").toUpperCase()}`, "a.tmp"]
        for (const name of foreign) Fs.writeFileSync(join(directory, name), "foreign")
        Fs.mkdirSync(join(directory, hashOf("a directory")))
        Fs.symlinkSync(join(root, "nowhere"), join(directory, hashOf("a link")))
        Fs.writeFileSync(join(directory, hashOf("ours, without a row")), "ours, without a row")
        assert.strictEqual(yield* store.sweep, "ours, without a row".length)
        assert.sameMembers(Array.from(contentsIn(directory)), [...foreign, hashOf("a directory"), hashOf("a link")])
      })
    )
  )
})

describe("a store in a directory", () => {
  it.effect("refuses a directory that others could look into, that is a link, or that is none", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      Fs.mkdirSync(join(root, "open"), { mode: 0o755 })
      Fs.mkdirSync(join(root, "real"), { mode: 0o700 })
      Fs.symlinkSync(join(root, "real"), join(root, "link"))
      assert.strictEqual(yield* refusal(layerFiles(root, { directory: join(root, "open") })), "NotPrivate")
      assert.strictEqual(yield* refusal(layerFiles(root, { directory: join(root, "link") })), "NoDirectory")
      Fs.writeFileSync(join(root, "file"), "")
      assert.strictEqual(yield* refusal(layerFiles(root, { directory: join(root, "file") })), "NoDirectory")
      yield* Effect.provide(OutputStore.Service, layerFiles(root, { directory: join(root, "real") }))
    })
  )

  it.effect("refuses a directory of another user", (context) =>
    Effect.gen(function* () {
      if (process.getuid?.() !== 0) return context.skip("only root can give a directory away")
      const root = yield* temporary
      Fs.mkdirSync(join(root, "theirs"), { mode: 0o700 })
      Fs.chownSync(join(root, "theirs"), 12_345, 12_345)
      assert.strictEqual(yield* refusal(layerFiles(root, { directory: join(root, "theirs") })), "ForeignOwner")
    })
  )

  it.effect("refuses the directory of another database, and a database whose directory is gone", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const { directory } = placesIn(root)
      const keep = Effect.flatMap(OutputStore.Service, (store) => store.retain(session, text("kept")))
      const { ref } = yield* Effect.provide(keep, layerFiles(root))
      const other = join(root, "other.db")
      assert.strictEqual(yield* refusal(layerFiles(root, { database: other })), "OtherDatabase")
      Fs.renameSync(directory, join(root, "moved"))
      assert.strictEqual(yield* refusal(layerFiles(root)), "DirectoryLost")
      const moved = layerFiles(root, { directory: join(root, "moved") })
      const found = yield* Effect.provide(
        Effect.flatMap(OutputStore.Service, (store) => readOr(store, ref)),
        moved
      )
      assert.strictEqual(found, "kept")
    })
  )

  it.effect("refuses a database of a later release, and leaves it as it is", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      yield* Effect.provide(OutputStore.Service, layerFiles(root))
      const later = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO haft_output_migrations (migration_id, name) VALUES (99, 'later')`
      })
      yield* Effect.provide(later, NodeSqlClient.layer({ filename: placesIn(root).database }))
      assert.strictEqual(yield* refusal(layerFiles(root)), "NewerVersion")
    })
  )

  it.effect("that was made before sessions could be idle is opened, and takes each for used at that time", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const keep = Effect.flatMap(OutputStore.Service, (store) => store.retain(session, text("kept")))
      const { ref } = yield* Effect.provide(keep, layerFiles(root))
      const earlier = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DROP TABLE haft_output_sessions`
        yield* sql`DELETE FROM haft_output_migrations WHERE migration_id = 2`
      })
      const database = NodeSqlClient.layer({ filename: placesIn(root).database })
      yield* Effect.provide(earlier, database)
      yield* TestClock.adjust("60 days")
      const reopened = Effect.gen(function* () {
        const store = yield* OutputStore.Service
        assert.strictEqual(yield* store.sweep, 0)
        yield* TestClock.adjust("36 days")
        assert.strictEqual(yield* store.sweep, 0)
        yield* TestClock.adjust("2 days")
        assert.strictEqual(yield* store.sweep, "kept".length)
        assert.strictEqual(yield* readOr(store, ref), "Expired")
      })
      yield* Effect.provide(reopened, layerFiles(root))
    })
  )

  it.effect("shares its limit with every other that has it open", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const open = Effect.map(
        Layer.build(Layer.fresh(layerFiles(root, { limits: { maxStoreBytes: begun.length + 100 } }))),
        Context.get(OutputStore.Service)
      )
      const [one, two] = [yield* open, yield* open]
      const started = yield* Deferred.make<void>()
      const waits = Stream.fromEffect(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
      const bytes = Stream.concat(text(begun).bytes, waits)
      const fiber = yield* Effect.forkChild(one.retain(session, { mimeType: "text/plain", bytes }))
      yield* Deferred.await(started)
      const refused = yield* Effect.flip(two.retain(session, text("x".repeat(101))))
      assert.strictEqual(refused.limit, "store")
      yield* two.retain(session, text("x".repeat(100)))
      yield* Fiber.interrupt(fiber)
      yield* two.retain(session, text(begun))
    })
  )

  it.live("keeps what a killed process kept, and sweeps what it had begun, but not while it lives", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const { directory } = placesIn(root)
      const child = spawn(
        process.execPath,
        [fileURLToPath(new URL("fixtures/outputWriter.ts", import.meta.url)), root],
        {
          stdio: ["ignore", "pipe", "inherit"]
        }
      )
      const [told] = yield* Effect.promise(() => once(child.stdout, "data"))
      const program = Effect.gen(function* () {
        const store = yield* OutputStore.Service
        assert.strictEqual(yield* store.sweep, 0)
        assert.strictEqual(contentsIn(directory).length, 2)
        const exited = once(child, "exit")
        child.kill("SIGKILL")
        yield* Effect.promise(() => exited)
        assert.strictEqual(yield* store.sweep, begun.length)
        assert.deepStrictEqual(contentsIn(directory), [hashOf("kept")])
        assert.strictEqual(yield* readOr(store, ManagedOutput.Ref.make(String(told).trim())), "kept")
      })
      yield* Effect.provide(program, layerFiles(root))
    })
  )

  it.effect("needs no owners, and then takes every writer for alive", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const { database, directory } = placesIn(root)
      const layer = Files.layerFileSystem({ directory }).pipe(
        Layer.provide([NodeFileSystem.layer, NodeSqlClient.layer({ filename: database })])
      )
      const program = Effect.gen(function* () {
        const store = yield* OutputStore.Service
        const { ref } = yield* store.retain(session, text("kept"))
        assert.strictEqual(yield* store.sweep, 0)
        assert.strictEqual(yield* readOr(store, ref), "kept")
      })
      yield* Effect.provide(program, layer)
    })
  )
})
