import { Location, Permission, Tool, ToolFailure, Tools } from "@haft/core"
import { Approvals, Display, Permissions, PolicyStore } from "@haft/policy"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer, Schema, Stream } from "effect"

const makeWrite = Effect.gen(function* () {
  const permission = yield* Permission.Service
  return Tool.make({
    description: "Write a file",
    input: Schema.Struct({ path: Schema.String, text: Schema.String }),
    output: Schema.String,
    execute: Effect.fn("Write.execute")(
      function* ({ path }, context) {
        const save = [Permission.literal(path)]
        yield* permission.assert({ action: "edit", resources: [path], save, metadata: {} }, context)
        return `${path} was written`
      },
      Effect.catchTags({ "Permission.DeniedError": ToolFailure.denied })
    )
  })
})

/** A person who is careful with what runs by itself later. */
const person = Effect.gen(function* () {
  const approvals = yield* Approvals.Service
  yield* Stream.runForEach(approvals.changes, (change) => {
    if (change._tag === "Ended") return Effect.void
    console.log(Display.prompt(change.pending))
    const isHarmless = change.pending.protectedPaths.length === 0
    return approvals.reply(change.pending, isHarmless ? Approvals.always : Approvals.reject("Leave the hooks alone"))
  })
})

const program = Effect.gen(function* () {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* tools.register({ write: yield* makeWrite })
  yield* Effect.forkScoped(person, { startImmediately: true })
  const { settle } = yield* registry.materialize()
  const paths = ["src/a.ts", "notes.md", "notes.md", ".git/hooks/pre-commit", "secret/key"]
  for (const [index, path] of paths.entries()) {
    const settlement = yield* settle(Testing.request("write", { path, text: "hello" }, { id: `${index}` }))
    if (settlement._tag === "Succeeded") console.log("=>", settlement.output.structured)
    if (settlement._tag === "Failed") console.log("=>", settlement.failure.reason)
  }
})

const Policy = Permissions.layer({
  location: Location.Ref.make("/project"),
  rules: [
    { action: "edit", resource: "src/*", effect: "allow" },
    { action: "*", resource: "secret/*", effect: "deny" }
  ]
})

const Live = Layer.merge(Testing.layer, Policy.pipe(Layer.provide(PolicyStore.layerMemory)))

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Live)))
