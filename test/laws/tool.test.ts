import { assert } from "@effect/vitest"
import { Tool, ToolContent, ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Cause, Deferred, Effect, Exit, Fiber, Ref, Schema } from "effect"
import { law } from "./law.ts"

const Count = Schema.Struct({ count: Schema.Int })

/** A tool that records what its executor and its projection see. */
const observed = Effect.gen(function* () {
  const executed = yield* Ref.make<ReadonlyArray<unknown>>([])
  const projected: Array<unknown> = []
  const tool = Tool.make({
    description: "Wait until",
    input: Schema.Struct({ at: Schema.DateFromString }),
    output: Schema.Struct({ at: Schema.DateFromString }),
    execute: (input) =>
      Effect.as(
        Ref.update(executed, (seen) => [...seen, input]),
        input
      ),
    toModelOutput: (settled) => {
      projected.push(settled)
      return [ToolContent.text(settled.output.at)]
    }
  })
  return { tool, executed: Ref.get(executed), projected }
})

law("single-executor", "a tool and all its annotated forms run the executor it was made with", () =>
  Effect.gen(function* () {
    const { executed, tool } = yield* observed
    const at = "2026-01-02T00:00:00.000Z"
    for (const form of [tool, Tool.annotate(tool, { risk: "high" }), Tool.annotate(tool, { determinism: "pure" })]) {
      yield* Testing.call(form, { at })
    }
    assert.deepStrictEqual(
      yield* executed,
      [1, 2, 3].map(() => ({ at: new Date(at) }))
    )
  })
)

law("single-executor", "changing the options after the tool was made changes nothing", () =>
  Effect.gen(function* () {
    const options = {
      description: "",
      input: Schema.Struct({}),
      output: Schema.String,
      execute: () => Effect.succeed("first")
    }
    const tool = Tool.make(options)
    options.execute = () => Effect.succeed("second")
    assert.strictEqual((yield* Testing.call(tool, {})).returned, "first")
  })
)

law("codec-boundary", "the executor sees values, the projection values and encoded output, everyone else JSON", () =>
  Effect.gen(function* () {
    const { executed, projected, tool } = yield* observed
    const at = "2026-01-02T00:00:00.000Z"
    const { output } = yield* Testing.call(tool, { at })
    assert.deepStrictEqual(yield* executed, [{ at: new Date(at) }])
    assert.deepStrictEqual(projected, [{ input: { at: new Date(at) }, output: { at } }])
    assert.deepStrictEqual(output, { structured: { at }, content: [ToolContent.text(at)] })
  })
)

law("invalid-input-never-executes", "arguments that do not decode reach no executor, and good ones do", () =>
  Effect.gen(function* () {
    const runs = yield* Ref.make(0)
    const tool = Tool.make({
      description: "",
      input: Count,
      output: Schema.Int,
      execute: ({ count }) =>
        Effect.as(
          Ref.update(runs, (n) => n + 1),
          count
        )
    })
    for (const input of [
      null,
      [],
      "",
      {},
      { count: "one" },
      { count: 0.5 },
      { count: 1, more: 1 },
      { count: 2 ** 60 }
    ]) {
      assert.strictEqual((yield* Effect.flip(Testing.call(tool, input)))._tag, "InvalidInput")
    }
    assert.strictEqual(yield* Ref.get(runs), 0)
    yield* Testing.call(tool, { count: 1 })
    assert.strictEqual(yield* Ref.get(runs), 1)
  })
)

law("invalid-output-never-succeeds", "a value outside the output codec ends as our error, and is not projected", () =>
  Effect.gen(function* () {
    let projections = 0
    const tool = Tool.make({
      description: "",
      input: Count,
      output: Count,
      execute: ({ count }) => Effect.succeed({ count: count / 2 }),
      toModelOutput: () => {
        projections++
        return []
      }
    })
    assert.strictEqual((yield* Effect.flip(Testing.call(tool, { count: 1 })))._tag, "InvalidOutput")
    assert.strictEqual(projections, 0)
    yield* Testing.call(tool, { count: 2 })
    assert.strictEqual(projections, 1)
  })
)

law("interruption-is-not-a-result", "an interrupted call ends interrupted, also where the tool fails expectedly", () =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<void>()
    const tool = Tool.make({
      description: "",
      input: Schema.Struct({}),
      output: Schema.String,
      execute: () =>
        Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
          Effect.andThen(ToolFailure.unavailable({ message: "never said" }))
        )
    })
    const fiber = yield* Effect.forkChild(Testing.call(tool, {}))
    yield* Deferred.await(started)
    yield* Fiber.interrupt(fiber)
    const exit = yield* Fiber.await(fiber)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
  })
)

law("defects-are-not-results", "a bug in a codec, an executor or a projection stays the same defect", () =>
  Effect.gen(function* () {
    const bug = new Error("bug")
    const throws = (): never => {
      throw bug
    }
    const shared = { description: "", input: Schema.Struct({}), output: Schema.String }
    const Buggy = Schema.String.check(Schema.makeFilter(throws))
    const tools = [
      Tool.make({ ...shared, execute: throws }),
      Tool.make({ ...shared, execute: () => Effect.die(bug) }),
      Tool.make({ ...shared, execute: () => Effect.succeed(""), toModelOutput: throws }),
      Tool.make({ ...shared, output: Buggy, execute: () => Effect.succeed("") })
    ]
    for (const tool of tools) assert.deepStrictEqual(yield* Effect.exit(Testing.call(tool, {})), Exit.die(bug))
  })
)
