import {
  BuiltInTools,
  LocationFetch,
  LocationFiles,
  LocationJobs,
  LocationSearch,
  LocationShell,
  Questions,
  Todos
} from "@haft/builtins"
import { Agent, Permission, Session, ToolCall } from "@haft/core"
import { NodeOwners, NodeServices } from "@haft/node"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Effect, Layer } from "effect"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const directory = mkdtempSync(join(tmpdir(), "haft-example-"))
const root = join(directory, "project")
mkdirSync(root)

const turn = Effect.gen(function* () {
  const { settle } = yield* (yield* ToolRegistry.Service).materialize()
  const message = {
    sessionID: Session.ID.make("session"),
    agent: Agent.ID.make("main"),
    assistantMessageID: Session.MessageID.make("message")
  }
  const calls = [
    { name: "write", input: { path: "notes/today.md", content: "- wake up\n- read\n" } },
    { name: "edit", input: { path: "notes/today.md", edits: [{ old: "- read", new: "- read a book" }] } },
    { name: "read", input: { path: "notes/today.md" } },
    { name: "glob", input: { pattern: "**/*.md" } },
    { name: "grep", input: { pattern: "\\bbook", context: 1 } },
    { name: "shell", input: { command: "wc -l notes/*.md; exit 3" } },
    { name: "read", input: { path: "notes/today.txt" } },
    { name: "read", input: { path: "../secret" } }
  ]
  return yield* Effect.forEach(calls, (call, index) =>
    settle({ ...message, call: { id: ToolCall.ID.make(`${index}`), ...call } })
  )
})

/** A real host asks rules or a person here. */
const allowAll = Layer.succeed(Permission.Service, { assert: () => Effect.void, stops: () => Effect.succeed(false) })

/** Beside the project and not in it: at the next start, what a crash cut short is finished or undone. */
const journal = {
  directory: join(directory, "journal"),
  owners: NodeOwners.make({ directory: join(directory, "owners") })
}

const Live = BuiltInTools.layer.pipe(
  Layer.provide([LocationSearch.layer(), LocationJobs.layer()]),
  Layer.provide([LocationShell.layer(), LocationFetch.layer(), Questions.layer(), Todos.layerMemory]),
  Layer.provide([LocationFiles.layer({ root, journal }), allowAll, NodeServices.layer]),
  Layer.provideMerge(ToolRegistry.layer),
  Layer.provide([ApplicationTools.layer, SettlementStores.layerMemory, OutputBounds.layer()]),
  Layer.provide(OutputStores.layerMemory())
)

for (const settlement of await Effect.runPromise(turn.pipe(Effect.provide(Live)))) {
  if (settlement._tag === "Succeeded")
    for (const part of settlement.output.content) if (part._tag === "Text") console.log(part.text)
  if (settlement._tag === "Failed") console.log(settlement.failure.message, settlement.failure.hint)
}
rmSync(directory, { recursive: true })
