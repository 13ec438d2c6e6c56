import { assert, describe, it } from "@effect/vitest"
import { SettlementStore, SideEffect } from "@haft/core"
import { Approvals } from "@haft/policy"
import { Recovery } from "@haft/registry"
import { Deferred, Effect, Queue } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { join } from "node:path"
import * as Readline from "node:readline"
import { fileURLToPath } from "node:url"
import * as Asking from "./support/asking.ts"
import { reply } from "./support/asking.ts"
import { directory } from "./support/policyStore.ts"
import * as Project from "./support/project.ts"

const waiterProgram = fileURLToPath(new URL("fixtures/waiter.ts", import.meta.url))

const input = { path: "a.txt", find: "old", replace: "new" }

/** A project in which a process was killed while it waited for a person. Gives its directory and the request's id. */
const abandoned = Effect.gen(function* () {
  const path = yield* directory
  Fs.mkdirSync(join(path, "root"))
  Fs.writeFileSync(join(path, "root", "a.txt"), "old text")
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [waiterProgram, path], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const lines = yield* Queue.unbounded<string>()
  Readline.createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
  const exited = yield* Deferred.make<void>()
  child.once("exit", () => Deferred.doneUnsafe(exited, Effect.void))
  const id = yield* Queue.take(lines)
  child.kill("SIGKILL")
  yield* Deferred.await(exited)
  return { path, id }
})

const textIn = (path: string) => Fs.readFileSync(join(path, "root", "a.txt"), "utf8")

/** What a host sees of the request after the restart. */
const shownAgain = Effect.flatMap(Asking.listen, Asking.nextAsked)

describe("a process that is killed while it waits for an approval", () => {
  it.live("has changed nothing, says so, and leaves the question for the next process", () =>
    Effect.gen(function* () {
      const { id, path } = yield* abandoned
      const check = Effect.gen(function* () {
        const store = yield* SettlementStore.Service
        const unfinished = yield* store.unfinished
        assert.deepStrictEqual(
          unfinished.map(({ begun: { effectPossible, name } }) => ({ effectPossible, name })),
          [{ effectPossible: false, name: "edit" }]
        )
        const [recovered] = yield* Recovery.recover
        assert.deepStrictEqual(recovered?.ended, { _tag: "Interrupted", effect: SideEffect.none })
        assert.strictEqual(textIn(path), "old text")
        const pending = yield* shownAgain
        assert.strictEqual(pending.id, id)
        assert.deepInclude(pending, { isWaiting: false, tool: "edit" })
        assert.deepStrictEqual(pending.request.metadata, { find: "old", replace: "new" })
      })
      yield* Effect.provide(check, Project.layer(path))
    })
  )

  it.live("is followed by one that uses the approval once, for the same call alone", () =>
    Effect.gen(function* () {
      const { path } = yield* abandoned
      yield* Effect.provide(
        Effect.flatMap(shownAgain, (pending) => reply(pending, Approvals.once)),
        Project.layer(path)
      )
      assert.strictEqual(textIn(path), "old text")
      const check = Effect.gen(function* () {
        const another = yield* Project.settle(input, { id: "another" })
        assert.deepNestedInclude(another, { _tag: "Failed", "failure.reason._tag": "Denied" })
        assert.strictEqual(textIn(path), "old text")
        const settled = yield* Project.settle(input, { repeat: true })
        assert.strictEqual(settled._tag, "Succeeded")
        assert.strictEqual(textIn(path), "new text")
        Fs.writeFileSync(join(path, "root", "a.txt"), "old text")
        assert.deepStrictEqual(yield* Project.settle(input, { repeat: true }), settled)
        assert.strictEqual(textIn(path), "old text")
        const third = yield* Project.settle(input, { id: "third" })
        assert.deepNestedInclude(third, { "failure.reason.by": "policy" })
      })
      yield* Effect.provide(check, Project.layer(path))
    })
  )

  it.live("is followed by one that asks again if the file is not what it was", () =>
    Effect.gen(function* () {
      const { path } = yield* abandoned
      const check = Effect.gen(function* () {
        yield* reply(yield* shownAgain, Approvals.once)
        Fs.writeFileSync(join(path, "root", "a.txt"), "old and changed text")
      })
      yield* Effect.provide(Effect.scoped(check), Project.layer(path))
      const settled = yield* Effect.provide(Project.settle(input, { repeat: true }), Project.layer(path))
      assert.deepNestedInclude(settled, { _tag: "Failed", "failure.reason.by": "policy" })
      assert.strictEqual(textIn(path), "old and changed text")
    })
  )
})
