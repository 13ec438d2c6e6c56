import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { linesOf, outcomeOf, start } from "./support/program.ts"

/** The line with which a fixture fills more than a pipe. */
const LARGE = 3 * 2 ** 20

describe("runMain", () => {
  it.effect("a success exits with 0 after all of its output", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* outcomeOf(yield* start("main", "succeed"))
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.isAtLeast(stdout.length, LARGE)
    })
  )

  it.effect("a failure is logged and exits with 1 after all of its output", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* outcomeOf(yield* start("main", "fail"))
      assert.strictEqual(code, 1)
      assert.isAtLeast(stdout.length, LARGE)
      assert.include(stdout, "broken")
    })
  )

  it.effect("a defect exits with 1", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* outcomeOf(yield* start("main", "die"))).code, 1)
    })
  )

  it.effect("an error may name its exit code", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* outcomeOf(yield* start("main", "refuse"))).code, 42)
    })
  )

  it.effect("a teardown decides the exit code, and reporting can be off", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* outcomeOf(yield* start("teardown"))
      assert.deepStrictEqual({ code, stderr, stdout }, { code: 7, stderr: "", stdout: "" })
    })
  )

  it.effect.each(["SIGINT", "SIGTERM"] as const)(
    "%s interrupts, finalizers finish, and the exit code is 130",
    (signal) =>
      Effect.gen(function* () {
        const program = yield* start("main", "wait")
        const lines = yield* linesOf(program)
        assert.strictEqual(yield* Queue.take(lines), "ready")
        program.child.kill(signal)
        assert.strictEqual(yield* Queue.take(lines), "releasing")
        assert.lengthOf(yield* Queue.take(lines), LARGE)
        assert.deepStrictEqual(yield* program.exited, { code: 130, signal: null })
      })
  )

  it.effect.each([
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const)("a second signal, %s, exits at once with %d", ([signal, code]) =>
    Effect.gen(function* () {
      const program = yield* start("main", "hang", "Infinity")
      const lines = yield* linesOf(program)
      assert.strictEqual(yield* Queue.take(lines), "ready")
      program.child.kill("SIGTERM")
      assert.strictEqual(yield* Queue.take(lines), "hanging")
      program.child.kill(signal)
      assert.deepStrictEqual(yield* program.exited, { code, signal: null })
    })
  )

  it.effect("a finalizer that hangs ends with the shutdown timeout, which says so", () =>
    Effect.gen(function* () {
      const program = yield* start("main", "hang", "100 millis")
      program.child.stdout.once("data", () => program.child.kill("SIGTERM"))
      const { code, stderr, stdout } = yield* outcomeOf(program)
      assert.deepStrictEqual([code, stdout], [124, "ready\nhanging\n"])
      assert.include(stderr, "100ms")
    })
  )

  it.effect("output that nobody reads does not hold up the exit for ever", () =>
    Effect.gen(function* () {
      const program = yield* start("main", "fail", "100 millis")
      assert.deepStrictEqual(yield* program.exited, { code: 124, signal: null })
    })
  )

  it.effect("after a success the signals are the process's own again", () =>
    Effect.gen(function* () {
      const program = yield* start("afterwards")
      const lines = yield* linesOf(program)
      program.child.stdin.write("now")
      assert.strictEqual(yield* Queue.take(lines), "the signals are free")
      program.child.kill("SIGTERM")
      assert.deepStrictEqual(yield* program.exited, { code: null, signal: "SIGTERM" })
    })
  )
})
