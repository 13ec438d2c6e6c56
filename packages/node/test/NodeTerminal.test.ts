import { assert, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { linesOf, outcomeOf, start } from "./support/program.ts"

/** The program's answers to all of this input, which then ends. */
const answers = Effect.fnUntraced(function* (input: string | Uint8Array, ...steps: ReadonlyArray<string>) {
  const program = yield* start("input", ...steps)
  program.child.stdin.end(input)
  const { code, stderr, stdout } = yield* outcomeOf(program)
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
})

it.effect("every line of a chunk is read, and the end of input is a quit", () =>
  Effect.gen(function* () {
    const seen = yield* answers("one\ntwo\r\n\nfour\n", "line", "line", "line", "line", "line", "line")
    assert.deepStrictEqual(seen, ["line one", "line two", "line ", "line four", "quit", "quit"])
  })
)

it.effect("a last line without an ending is a line", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* answers("one\nunfinished", "line", "line", "line"), [
      "line one",
      "line unfinished",
      "quit"
    ])
  })
)

it.effect("a line that is unfinished when another one is read is not lost", () =>
  Effect.gen(function* () {
    const program = yield* start("input", "line", "line")
    const lines = yield* linesOf(program)
    program.child.stdin.write("one\ntw")
    assert.strictEqual(yield* Queue.take(lines), `"line one"`)
    program.child.stdin.write("o\n")
    assert.strictEqual(yield* Queue.take(lines), `"line two"`)
  })
)

it.effect("a character may arrive in two pieces", () =>
  Effect.gen(function* () {
    const program = yield* start("input", "line", "line")
    const lines = yield* linesOf(program)
    const [first, second] = [Buffer.from("x\ngr").toString("latin1") + "\xc3", "\xbcn\n"]
    program.child.stdin.write(Buffer.from(first, "latin1"))
    assert.strictEqual(yield* Queue.take(lines), `"line x"`)
    program.child.stdin.write(Buffer.from(second, "latin1"))
    assert.strictEqual(yield* Queue.take(lines), `"line grün"`)
  })
)

it.effect("giving up on a line leaves its first half to the next reader", () =>
  Effect.gen(function* () {
    const program = yield* start("input", "interrupted", "line")
    const lines = yield* linesOf(program)
    program.child.stdin.write("first ")
    assert.strictEqual(yield* Queue.take(lines), `"interrupted"`)
    program.child.stdin.write("second\n")
    assert.strictEqual(yield* Queue.take(lines), `"line first second"`)
  })
)

it.effect("keys, lines and bytes come from one reader: what one leaves, the next gets", () =>
  Effect.gen(function* () {
    const seen = yield* answers("yn\nline\n🌱x\nrest", "key", "key", "line", "line", "key", "line", "bytes", "line")
    assert.deepStrictEqual(seen, ["key y", "key n", "line ", "line line", "key 🌱", "line x", "bytes rest", "quit"])
  })
)

it.effect("a line that is asked for while keys are read gets the whole line", () =>
  Effect.gen(function* () {
    const program = yield* start("input", "lineAmongKeys", "key", "line")
    const lines = yield* linesOf(program)
    program.child.stdin.write("k")
    assert.strictEqual(yield* Queue.take(lines), "k")
    program.child.stdin.write("one\nyes\n")
    assert.strictEqual(yield* Queue.take(lines), `"line one among keys"`)
    assert.strictEqual(yield* Queue.take(lines), `"key y"`)
    assert.strictEqual(yield* Queue.take(lines), `"line es"`)
  })
)

it.effect("a line that is asked for while keys are read starts with the keys that nobody took", () =>
  Effect.gen(function* () {
    const program = yield* start("input", "lineAmongKeys", "line")
    const lines = yield* linesOf(program)
    program.child.stdin.write("kone\ntwo\n")
    assert.strictEqual(yield* Queue.take(lines), "k")
    assert.strictEqual(yield* Queue.take(lines), `"line one among keys"`)
    assert.strictEqual(yield* Queue.take(lines), `"line two"`)
  })
)

it.effect("keys have names, and the end of input ends them", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* answers("a\x1b[A\x01\n", "keys", "line"), ["keys a up ctrl-a enter", "quit"])
  })
)

it.effect("Ctrl-C and Ctrl-D end the keys while input goes on", () =>
  Effect.gen(function* () {
    const program = yield* start("input", "keys", "keys", "line")
    const lines = yield* linesOf(program)
    program.child.stdin.write("a\x03")
    assert.strictEqual(yield* Queue.take(lines), `"keys a ctrl-c"`)
    program.child.stdin.write("b\x04")
    assert.strictEqual(yield* Queue.take(lines), `"keys b ctrl-d"`)
    program.child.stdin.write("more\n")
    assert.strictEqual(yield* Queue.take(lines), `"line more"`)
  })
)

it.effect.each([
  [["line"], `"line one"\n`],
  [["bytes"], `"bytes one\\ntwo"\n`],
  [["line", "key", "bytes"], `"line one"\n"key t"\n"bytes wo"\n`]
] as const)("input that stays open does not keep a program alive that has read enough: %j", ([steps, expected]) =>
  Effect.gen(function* () {
    const program = yield* start("input", ...steps)
    program.child.stdin.write("one\ntwo")
    const { code, stdout } = yield* outcomeOf(program)
    assert.deepStrictEqual([code, stdout], [0, expected])
    assert.isFalse(program.child.stdin.writableEnded)
  })
)
