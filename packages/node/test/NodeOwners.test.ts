import { assert, describe, it } from "@effect/vitest"
import * as NodeOwners from "@haft/node/NodeOwners"
import { Deferred, Effect, Exit, Scope } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const directory = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-owners-"))),
    (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
  ),
  (path) => join(path, "owners")
)

const ownerProgram = fileURLToPath(new URL("fixtures/owner.ts", import.meta.url))

/** An owner in a process of its own. */
const startOwner = Effect.fnUntraced(function* (directory: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [ownerProgram, directory], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const exited = yield* Deferred.make<void>()
  child.once("exit", () => Deferred.doneUnsafe(exited, Effect.void))
  const id = yield* Deferred.make<string>()
  child.stdout.setEncoding("utf8").once("data", (text: string) => Deferred.doneUnsafe(id, Effect.succeed(text.trim())))
  const kill = Effect.andThen(
    Effect.sync(() => child.kill("SIGKILL")),
    Deferred.await(exited)
  )
  return { id: yield* Deferred.await(id), kill }
})

describe("NodeOwners", () => {
  it.effect("calls an owner alive until its Scope closes, and leaves no file", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const owners = NodeOwners.make({ directory: path })
      const scope = yield* Scope.make()
      const owner = yield* Scope.provide(owners.acquire, scope)
      assert.isTrue(yield* owners.isAlive(owner))
      assert.isTrue(yield* NodeOwners.make({ directory: path }).isAlive(owner))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(yield* owners.isAlive(owner))
      assert.deepStrictEqual(Fs.readdirSync(path), [])
    })
  )

  it.effect("calls an owner alive until its process is killed, and sweeps what it left", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const owners = NodeOwners.make({ directory: path })
      const other = yield* startOwner(path)
      const own = yield* owners.acquire
      assert.isTrue(yield* owners.isAlive(other.id))
      assert.strictEqual(Fs.readdirSync(path).length, 2)
      yield* other.kill
      assert.isFalse(yield* owners.isAlive(other.id))
      const another = yield* owners.acquire
      assert.deepStrictEqual(Fs.readdirSync(path).toSorted(), [`${another}.lock`, `${own}.lock`].toSorted())
      assert.isTrue(yield* owners.isAlive(own))
    })
  )

  it.effect("gives many owners of one process different ids that are alive independently", () =>
    Effect.gen(function* () {
      const owners = NodeOwners.make({ directory: yield* directory })
      const stays = yield* owners.acquire
      const ids = yield* Effect.scoped(Effect.all(Array.from({ length: 20 }, () => owners.acquire)))
      assert.strictEqual(new Set([stays, ...ids]).size, 21)
      assert.deepStrictEqual(yield* Effect.filter(ids, owners.isAlive), [])
      assert.isTrue(yield* owners.isAlive(stays))
    })
  )

  it.effect("keeps its directory from other users", () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* NodeOwners.make({ directory: path }).acquire
      assert.strictEqual(Fs.statSync(path).mode & 0o777, 0o700)
    })
  )

  it.effect("calls an owner dead that nobody ever was, and alive when its lock cannot be read", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const owners = NodeOwners.make({ directory: path })
      assert.isFalse(yield* owners.isAlive("nobody"))
      yield* owners.acquire
      Fs.writeFileSync(join(path, "strange.lock"), "no database".repeat(100))
      assert.isTrue(yield* owners.isAlive("strange"))
      yield* owners.acquire
      assert.isTrue(Fs.existsSync(join(path, "strange.lock")))
    })
  )

  it.effect("fails where no directory can be made", () =>
    Effect.gen(function* () {
      const path = yield* directory
      Fs.writeFileSync(path, "a file")
      const error = yield* Effect.flip(NodeOwners.make({ directory: path }).acquire)
      assert.strictEqual(error.reason._tag, "ConnectionError")
    })
  )
})
