import { assert, describe, it } from "@effect/vitest"
import {
  BuiltInTools,
  LocationFetch,
  LocationFiles,
  LocationJobs,
  LocationSearch,
  LocationShell,
  Questions,
  Read,
  Todos
} from "@haft/builtins"
import { Permission, type Settlement, Tools } from "@haft/core"
import { NodeChildProcessSpawner } from "@haft/node"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer } from "effect"
import { allowAll, makePlace } from "./support/place.ts"

const layerPrograms = Layer.mergeAll(
  LocationSearch.layer(),
  Layer.provideMerge(LocationJobs.layer(), LocationShell.layer())
).pipe(Layer.provide(NodeChildProcessSpawner.layer))

/** What the other tools capture. */
const layerOthers = Layer.mergeAll(LocationFetch.layer(), Questions.layer(), Todos.layerMemory)

/** A registry with everything registered, on the files of a place. */
const makeTurn = Effect.fnUntraced(function* () {
  const place = yield* makePlace()
  const services = Layer.succeedContext(place.context)
  const context = yield* Layer.build(
    BuiltInTools.layer.pipe(
      Layer.provide([layerPrograms, layerOthers]),
      Layer.provide(services),
      Layer.provideMerge(Testing.layer)
    )
  )
  const turn = yield* Effect.provideContext(
    Effect.flatMap(ToolRegistry.Service, (registry) => registry.materialize()),
    context
  )
  return { place, turn }
})

const textOf = (settlement: Settlement.Settlement): string =>
  settlement._tag === "Succeeded"
    ? settlement.output.content.map((part) => (part._tag === "Text" ? part.text : part.mimeType)).join("\n")
    : settlement._tag

describe("all built-in tools", () => {
  it.effect("are there after one line, and work together", () =>
    Effect.gen(function* () {
      const { place, turn } = yield* makeTurn()
      assert.deepStrictEqual(
        turn.definitions.map(({ name }) => String(name)),
        [
          "apply_patch",
          "edit",
          "fetch",
          "glob",
          "grep",
          "process",
          "question",
          "read",
          "read_output",
          "shell",
          "todo",
          "write"
        ]
      )
      const request = Testing.numbered()
      const patch = "*** Begin Patch\n*** Update File: a\n@@\n-two\n+three\n*** End Patch"
      const calls = [
        request("write", { path: "a", content: "one\n" }),
        request("edit", { path: "a", edits: [{ old: "one", new: "two" }] }),
        request("apply_patch", { patch }),
        request("read", { path: "a" }),
        request("glob", { pattern: "*" }),
        request("grep", { pattern: "th" }),
        request("todo", { todos: [{ content: "Rest", status: "pending" }] }),
        request("shell", { command: "cat a" }),
        request("process", { action: "list" }),
        request("fetch", { url: "http://localhost/" }),
        request("question", { questions: [{ question: "Enough?", options: [] }] })
      ]
      const settlements = yield* Effect.forEach(calls, turn.settle)
      assert.deepStrictEqual(settlements.map(textOf), [
        "Created a: 1 line, 4 bytes.",
        "Edited a.\n- edit 1: line 1, exact match",
        "Changed 1 file.\n- updated a",
        "1\tthree\n[End of a, 1 line.]",
        "a\n[1 file.]",
        "a\n1:\tthree\n\n[1 match in 1 file.]",
        "1 item, 0 completed, 1 to do.\n[ ] Rest",
        "three\n[exit code 0]",
        "[No background jobs.]",
        "Failed",
        "Failed"
      ])
      assert.deepStrictEqual(
        settlements.map(({ effect }) => effect._tag),
        [
          "Committed",
          "Committed",
          "Committed",
          "None",
          "None",
          "None",
          "Committed",
          "Committed",
          "Committed",
          "None",
          "None"
        ]
      )
      assert.strictEqual(place.read("a"), "three\n")
    })
  )

  it.effect("tell a model what each of their fields is for", () =>
    Effect.gen(function* () {
      const { turn } = yield* makeTurn()
      for (const { description, inputSchema, name } of turn.definitions) {
        assert.isAbove(description.length, 50, name)
        for (const [field, schema] of Object.entries(inputSchema["properties"] as Record<string, object>)) {
          assert.property(schema, "description", `${name}.${field}`)
        }
      }
    })
  )

  it.effect("say of themselves what they do and whether they ask first", () =>
    Effect.gen(function* () {
      const { turn } = yield* makeTurn()
      assert.deepStrictEqual(
        turn.definitions.map(({ annotations, name }) => [
          String(name),
          annotations.determinism,
          annotations.asksFirst === true,
          annotations.operations?.join()
        ]),
        [
          ["apply_patch", "side_effectful", true, "read,write,delete"],
          ["edit", "side_effectful", true, "read,write"],
          ["fetch", "pure", false, "read"],
          ["glob", "pure", false, "read"],
          ["grep", "pure", false, "read"],
          ["process", "idempotent", true, "read,delete"],
          ["question", "idempotent", true, "read"],
          ["read", "pure", false, "read"],
          ["read_output", "pure", false, "read"],
          ["shell", "side_effectful", true, "read,write,delete"],
          ["todo", "idempotent", false, "write"],
          ["write", "idempotent", true, "write"]
        ]
      )
    })
  )

  it.effect("can be taken one by one", () =>
    Effect.gen(function* () {
      const { context } = yield* makePlace()
      const names = yield* Effect.gen(function* () {
        const tools = yield* Tools.Service
        yield* tools.register({ look: yield* Read.make })
        const { definitions } = yield* (yield* ToolRegistry.Service).materialize()
        return definitions.map(({ name }) => String(name))
      }).pipe(Effect.provideContext(context), Effect.provide(Testing.layer))
      assert.deepStrictEqual(names, ["look"])
    })
  )

  it.effect("need a directory that exists", () =>
    Effect.gen(function* () {
      const layer = BuiltInTools.layer.pipe(
        Layer.provide([layerPrograms, layerOthers]),
        Layer.provide([
          LocationFiles.layer({ root: "/no/such/directory" }),
          Layer.succeed(Permission.Service, { assert: allowAll, stops: () => Effect.succeed(false) })
        ]),
        Layer.provide(Testing.layer)
      )
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.strictEqual(error._tag, "LocationFiles.RootError")
    })
  )
})
