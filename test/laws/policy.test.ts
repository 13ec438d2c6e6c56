import { assert } from "@effect/vitest"
import { Location, Permission, type Settlement, SideEffect, Tool, ToolFailure, Tools } from "@haft/core"
import { Approvals, Permissions, PolicyStore, type Rule } from "@haft/policy"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { law } from "./law.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-denied-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

/** Asks first, then replaces the file or says that it is not there. */
const makeReplace = (root: string) =>
  Effect.map(Permission.Service, (permission) =>
    Tool.make({
      description: "Replace a file",
      input: Schema.Struct({ path: Schema.String }),
      output: Schema.String,
      execute: Effect.fnUntraced(
        function* ({ path }, context) {
          yield* permission.assert({ action: "edit", resources: [path], save: [], metadata: {} }, context)
          if (!Fs.existsSync(join(root, path))) return yield* ToolFailure.notFound({ message: "no such file" })
          Fs.writeFileSync(join(root, path), "changed")
          return "changed"
        },
        Effect.catchTags({ "Permission.DeniedError": ToolFailure.denied })
      )
    })
  )

const layer = (rules: ReadonlyArray<Rule.Rule>) =>
  Permissions.layer({ location: Location.Ref.make("/project"), rules, timeLimit: "1 minute" }).pipe(
    Layer.provide(PolicyStore.layerMemory),
    Layer.merge(Testing.layer)
  )

/** Somebody who answers everything in the same way. */
const answering = (reply: Approvals.Reply) =>
  Effect.flatMap(Approvals.Service, (approvals) =>
    Stream.runForEach(approvals.changes, (change) =>
      change._tag === "Asked" ? Effect.orDie(approvals.reply(change.pending, reply)) : Effect.void
    )
  )

/** Somebody who looks and says nothing until the time is over. */
const silent = Effect.flatMap(Approvals.Service, (approvals) =>
  Stream.runForEach(approvals.changes, () => TestClock.adjust("1 minute"))
)

/** The settlements of a call about a file that is there and of one about a file that is not. */
const attempts = Effect.fnUntraced(function* (root: string, person: typeof silent) {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* tools.register({ replace: yield* makeReplace(root) })
  const listener = yield* Effect.forkChild(person, { startImmediately: true })
  const { settle } = yield* registry.materialize()
  const settlements = yield* Effect.forEach(["there.txt", "missing.txt"], (path) =>
    settle(Testing.request("replace", { path }, { id: path }))
  )
  yield* Fiber.interrupt(listener)
  return settlements
})

const told = (settlement: Settlement.Settlement | undefined) =>
  settlement?._tag === "Failed" ? { ...settlement.failure, effect: settlement.effect } : settlement?._tag

const deny: Rule.Rule = { action: "edit", resource: "*", effect: "deny" }
const allow: Rule.Rule = { action: "edit", resource: "*", effect: "allow" }

const refusals = [
  { by: "policy", rules: [deny], person: silent },
  { by: "policy", rules: [], person: silent },
  { by: "user", rules: [], person: answering(Approvals.reject("No")) },
  { by: "user", rules: [], person: answering(Approvals.rejectAndStop()) }
]

law("denied-means-untouched", "whoever refuses, the file stays as it is and nobody learns whether there is one", () =>
  Effect.gen(function* () {
    const root = yield* directory
    const file = join(root, "there.txt")
    Fs.writeFileSync(file, "as it was")
    const before = Fs.statSync(file, { bigint: true })
    for (const { by, person, rules } of refusals) {
      const settled = attempts(root, person).pipe(Effect.scoped, Effect.provide(Layer.fresh(layer(rules))))
      const [there, missing] = yield* settled
      assert.deepNestedInclude(there, {
        "failure.reason._tag": "Denied",
        "failure.reason.by": by,
        effect: SideEffect.none
      })
      assert.deepStrictEqual(told(there), told(missing))
      assert.strictEqual(Fs.readFileSync(file, "utf8"), "as it was")
      assert.strictEqual(Fs.statSync(file, { bigint: true }).ctimeNs, before.ctimeNs)
    }
    const granted = attempts(root, silent).pipe(Effect.scoped, Effect.provide(Layer.fresh(layer([allow]))))
    const [there, missing] = yield* granted
    assert.strictEqual(there?._tag, "Succeeded")
    assert.deepNestedInclude(missing, { "failure.reason._tag": "NotFound" })
    assert.strictEqual(Fs.readFileSync(file, "utf8"), "changed")
  })
)
