import { assert, describe, it } from "@effect/vitest"
import { Todo, Todos } from "@haft/builtins"
import { Session } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Fiber, Layer, Stream } from "effect"

const plan = [
  { content: "Read the code", status: "completed" },
  { content: "Write a test", status: "in_progress", priority: "high" },
  { content: "Fix it", status: "pending", priority: "low" },
  { content: "Rewrite everything", status: "cancelled" }
] as const

const session = (name: string) => ({ ...Testing.context, sessionID: Session.ID.make(name) })

const write = Effect.fnUntraced(function* (todos: unknown, name = "session") {
  const tool = yield* Todo.make
  return yield* Testing.call(tool, { todos }, { name: "todo", context: session(name) })
})

const isRefused = (todos: unknown) =>
  Effect.map(Effect.flip(write(todos)), (error) => (error._tag === "InvalidInput" ? error.violations : error._tag))

describe("a plan", () => {
  it.effect("is written as a whole and shown as a list", () =>
    Effect.gen(function* () {
      const { output } = yield* write(plan)
      assert.deepStrictEqual(output.structured, { todos: plan })
      assert.deepStrictEqual(output.content, [
        {
          _tag: "Text",
          text: [
            "4 items, 1 completed, 2 to do.",
            "[x] Read the code",
            "[>] Write a test (high)",
            "[ ] Fix it",
            "[-] Rewrite everything"
          ].join("\n")
        }
      ])
    }).pipe(Effect.provide(Todos.layerMemory))
  )

  it.effect("takes the place of the one before, and can be cleared", () =>
    Effect.gen(function* () {
      const plans = yield* Todos.Service
      yield* write(plan)
      yield* write(plan.slice(2))
      assert.deepStrictEqual(yield* plans.get(Testing.context.sessionID), plan.slice(2))
      const { output } = yield* write([])
      assert.deepStrictEqual(output.structured, { todos: [] })
      assert.deepStrictEqual(yield* plans.get(Testing.context.sessionID), [])
    }).pipe(Effect.provide(Todos.layerMemory))
  )

  it.effect("belongs to one session", () =>
    Effect.gen(function* () {
      const plans = yield* Todos.Service
      yield* write(plan, "a")
      yield* write(plan.slice(1), "b")
      assert.deepStrictEqual(yield* plans.get(Session.ID.make("a")), plan)
      assert.deepStrictEqual(yield* plans.get(Session.ID.make("b")), plan.slice(1))
      assert.deepStrictEqual(yield* plans.get(Session.ID.make("c")), [])
    }).pipe(Effect.provide(Todos.layerMemory))
  )

  it.effect("can be watched: as it is, then whenever it is written, and no other's", () =>
    Effect.gen(function* () {
      const plans = yield* Todos.Service
      yield* write(plan.slice(3))
      const seen = yield* plans
        .changes(Testing.context.sessionID)
        .pipe(Stream.take(2), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
      yield* write(plan, "other")
      yield* write(plan)
      assert.deepStrictEqual(yield* Fiber.join(seen), [plan.slice(3), plan])
    }).pipe(Effect.provide(Todos.layerMemory))
  )

  it.effect("is forgotten once a thousand other sessions have written theirs", () =>
    Effect.gen(function* () {
      const plans = yield* Todos.Service
      const first = Session.ID.make("first")
      yield* plans.set(first, plan)
      for (let number = 1; number < 1000; number++) yield* plans.set(Session.ID.make(`${number}`), [])
      assert.deepStrictEqual(yield* plans.get(first), plan)
      yield* plans.set(Session.ID.make("1000"), [])
      assert.deepStrictEqual(yield* plans.get(first), [])
    }).pipe(Effect.provide(Todos.layerMemory))
  )

  it.effect("may have several items in progress, because calls can run side by side", () =>
    Effect.gen(function* () {
      const both = ["a", "b"].map((content) => ({ content, status: "in_progress" }))
      const { output } = yield* write(both)
      assert.deepStrictEqual(output.structured, { todos: both })
    }).pipe(Effect.provide(Todos.layerMemory))
  )

  it.effect.each([
    ["no content", [{ content: " \n", status: "pending" }], "todos[0].content"],
    ["half a character", [{ content: "\ud800", status: "pending" }], "todos[0].content"],
    ["an item that is a document", [{ content: "x".repeat(1001), status: "pending" }], "todos[0].content"],
    ["an unknown status", [{ content: "a", status: "doing" }], "todos[0].status"],
    ["one item twice", [plan[0], { ...plan[0], status: "pending" }], "todos"],
    ["too many items", Array.from({ length: 101 }, (_, index) => ({ content: `${index}`, status: "pending" })), "todos"]
  ] as const)("with %s is refused, with the place", ([, todos, path]) =>
    Effect.gen(function* () {
      const plans = yield* Todos.Service
      yield* write(plan)
      const violations = yield* isRefused(todos)
      assert(typeof violations !== "string")
      assert.deepStrictEqual(
        violations.map((violation) => violation.path),
        [path]
      )
      assert.deepStrictEqual(yield* plans.get(Testing.context.sessionID), plan)
    }).pipe(Effect.provide(Todos.layerMemory))
  )

  it.effect("that cannot be kept is a failure that loses nothing else", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(write(plan))
      assert(error._tag === "ToolFailure")
      assert.deepStrictEqual([error.reason._tag, error.message], ["Unavailable", "The plan could not be written down."])
    }).pipe(
      Effect.provide(
        Layer.mock(Todos.Service, { set: () => Effect.fail(new Todos.StorageError({ cause: new Error("disk") })) })
      )
    )
  )
})
