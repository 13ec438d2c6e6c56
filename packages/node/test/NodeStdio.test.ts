import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { outcomeOf, start } from "./support/program.ts"

it.effect("standard input streams to standard output until it ends", () =>
  Effect.gen(function* () {
    const program = yield* start("output", "shout")
    const input = "grün ".repeat(100_000)
    program.child.stdin.end(input)
    const { code, stdout } = yield* outcomeOf(program)
    assert.strictEqual(code, 0)
    assert.isTrue(stdout === input.toUpperCase())
  })
)

it.effect("a reader of standard input that stops early leaves the rest to the next one", () =>
  Effect.gen(function* () {
    const program = yield* start("input", "line", "rest")
    program.child.stdin.end("one\ntwo\nthree")
    assert.strictEqual((yield* outcomeOf(program)).stdout, `"line one"\n"rest two\\nthree"\n`)
  })
)

it.effect("the arguments are the program's own, and pipes are no terminals", () =>
  Effect.gen(function* () {
    const program = yield* start("output", "inspect", "--flag", "two words")
    const { stderr } = yield* outcomeOf(program)
    assert.deepStrictEqual(JSON.parse(stderr), {
      args: ["inspect", "--flag", "two words"],
      terminals: [false, false, false],
      size: [0, 0]
    })
  })
)

it.effect("standard output ends when asked, and a later write is a typed failure", () =>
  Effect.gen(function* () {
    const { code, stderr, stdout } = yield* outcomeOf(yield* start("output", "endOutput"))
    assert.deepStrictEqual(
      { code, stderr, stdout },
      { code: 0, stderr: "failed PlatformError", stdout: "kept open,ended" }
    )
  })
)

it.effect("a reader that goes away is a typed failure and not the end of the process", () =>
  Effect.gen(function* () {
    const program = yield* start("output", "untilBroken")
    program.child.stdout.once("data", () => program.child.stdout.destroy())
    const { code, stderr } = yield* outcomeOf(program)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "Stdio and Terminal failed" })
  })
)
