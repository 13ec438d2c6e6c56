import { assert, describe, it } from "@effect/vitest"
import { ReadOutput } from "@haft/builtins"
import { OutputStore, Session, ToolFailure, Tools } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { OutputStores, ToolRegistry } from "@haft/registry"
import * as RegistryTesting from "@haft/registry/testing"
import { Effect, Layer, Schema, Stream } from "effect"
import { bounds, bytesOf, failure, next, pageOf, read, readAll, retain, session } from "./support/reading.ts"

const withStore = <A, E>(effect: Effect.Effect<A, E, OutputStore.Service>) =>
  Effect.provide(effect, OutputStores.layerMemory())

const unknown = "out_0123456789abcdef0123456789abcdef"

/** What a tool failure says, or a failed test. */
const failed = Effect.fnUntraced(function* (ref: string, more?: object) {
  const error = yield* failure(ref, more)
  assert(error._tag === "ToolFailure")
  return error
})

describe("a page of an output", () => {
  it.effect("that is small is all of it", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain("one\ntwo\nthree")
        assert.strictEqual(
          yield* read(ref),
          "[lines 1 to 3 of 3, bytes 0 to 13 of 13]\none\ntwo\nthree\n[This is the end of the output.]"
        )
      })
    )
  )

  it.effect("begins at the line and has the number of lines that were asked for", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain("one\ntwo\nthree\nfour\n")
        assert.strictEqual(
          yield* read(ref, { line: 2, limit: 2 }),
          "[lines 2 to 3 of 4, bytes 4 to 14 of 19]\ntwo\nthree\n[To read on, give line 4.]"
        )
      })
    )
  )

  it.effect("begins at the byte that was asked for", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain("one\ntwo\nthree")
        assert.strictEqual(
          yield* read(ref, { offset: 5, limit: 1 }),
          "[bytes 5 to 8 of 13]\nwo\n[To read on, give offset 8.]"
        )
      })
    )
  )

  it.effect("of an empty output says so", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain("")
        assert.strictEqual(yield* read(ref), "[The output is empty.]")
        assert.strictEqual(yield* read(ref, { offset: 0 }), "[The output is empty.]")
      })
    )
  )

  it.effect("leads line by line through all of a long output", () =>
    withStore(
      Effect.gen(function* () {
        const text = Array.from({ length: 10_000 }, (_, index) => `line ${index + 1}`).join("\n")
        const { ref } = yield* retain(text)
        const answers = yield* readAll(ref)
        assert.strictEqual(answers.map(pageOf).join("\n"), text)
        assert.isAbove(answers.length, 5)
      })
    )
  )

  it.effect("leads byte by byte through one endless line", () =>
    withStore(
      Effect.gen(function* () {
        const text = "añ🛠東".repeat(50_000)
        const { ref } = yield* retain(text)
        assert.strictEqual((yield* readAll(ref)).map(pageOf).join(""), text)
      })
    )
  )

  it.effect("ends after a line if it can, and inside one if the line is longer than a page", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain(`short\n${"x".repeat(100_000)}\nend`)
        assert.deepStrictEqual(next(yield* read(ref)), { line: 2 })
        const answer = yield* read(ref, { line: 2 })
        assert.deepStrictEqual(next(answer), { offset: 6 + 40_960 })
        assert.include(answer, "[lines 2 to 2 of 3, bytes 6 to 40966 of 100010]")
      })
    )
  )

  it.effect("begins and ends with whole characters, wherever it was cut", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain("🛠".repeat(20_000))
        for (const offset of [1, 2, 3, 4]) {
          const answer = yield* read(ref, { offset })
          assert.match(pageOf(answer), /^🛠+$/u)
          assert.deepStrictEqual(bytesOf(answer), [4, 40_960 + (offset === 4 ? 4 : 0)])
        }
      })
    )
  )

  it.effect("tells which bytes are no text, and still leads to the end", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain(Uint8Array.of(0x61, 0xff, 0xfe, 0x62))
        assert.strictEqual(
          yield* read(ref),
          "[lines 1 to 1 of 1, bytes 0 to 4 of 4]\na\uFFFD\uFFFDb\n" +
            "[2 bytes of this page are not valid UTF-8 and shown as \uFFFD.]\n[This is the end of the output.]"
        )
        const binary = yield* retain(Uint8Array.from({ length: 100_000 }, (_, index) => 0x80 | (index % 64)))
        assert.isAtLeast((yield* readAll(binary.ref, { offset: 1 })).length, 3)
      })
    )
  )
})

const isWithinBounds = (answer: string): boolean =>
  answer.split("\n").length <= bounds.lines && Buffer.byteLength(JSON.stringify(answer)) <= bounds.bytes

describe("an answer", () => {
  it.effect("never needs bounding, not for hostile characters, endless lines, empty lines or many matches", () =>
    withStore(
      Effect.gen(function* () {
        const hostile = ["\u0000", "\u001B", '"\\', "\n", "\r\n", "x", "\uFEFF", "東", "\u0085"]
        for (const piece of hostile) {
          const { ref } = yield* retain(piece.repeat(60_000))
          for (const more of [{}, { offset: 7 }]) {
            assert.isTrue(isWithinBounds(yield* read(ref, more)), JSON.stringify([piece, more]))
          }
        }
        for (const piece of ["\u0000", "\n", "match \u0001\n"]) {
          const { ref } = yield* retain(piece.repeat(60_000))
          assert.isTrue(isWithinBounds(yield* read(ref, { search: "^", limit: 100_000 })), JSON.stringify(piece))
        }
      })
    )
  )

  it.effect("is settled by a registry as it is, while the output itself would have been cut", () =>
    Effect.gen(function* () {
      const { ref } = yield* retain('"\\\u0007'.repeat(100_000))
      const tools = yield* Tools.Service
      yield* tools.register({ read_output: yield* ReadOutput.make })
      const { settle } = yield* (yield* ToolRegistry.Service).materialize()
      const settlement = yield* settle(RegistryTesting.request("read_output", { ref }))
      assert(settlement._tag === "Succeeded")
      assert.deepStrictEqual(settlement.managed, [])
      assert.strictEqual(settlement.output.structured, yield* read(ref))
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(RegistryTesting.layer, OutputStores.layerMemory())))
  )

  const Pieces = Schema.Array(
    Schema.Literals([
      "a",
      "\n",
      "\r\n",
      "é",
      "東",
      "🛠",
      "\u0000",
      '"',
      "b".repeat(3000),
      "\n".repeat(700),
      "🛠".repeat(2500)
    ])
  ).check(Schema.isMaxLength(60))

  it.effect.prop(
    "is within the bounds, and following what it says shows every character once, in order",
    { pieces: Pieces, place: Schema.Literals(["line", "offset"]), limit: Schema.Literals([1, 10, 5000]) },
    ({ limit, pieces, place }) =>
      withStore(
        Effect.gen(function* () {
          const text = pieces.join("")
          if (text === "") return
          const { ref } = yield* retain(text)
          // A small limit on many lines would take thousands of calls.
          const lines = text.split("\n").length
          const answers = yield* readAll(ref, {
            [place]: place === "line" ? 1 : 0,
            limit: Math.max(limit, Math.floor(lines / 20))
          })
          let end = 0
          for (const answer of answers) {
            assert.isTrue(isWithinBounds(answer))
            assert.isTrue(answer.isWellFormed())
            assert.strictEqual(bytesOf(answer)[0], end)
            end = bytesOf(answer)[1]
          }
          assert.strictEqual(end, Buffer.byteLength(text))
        })
      ),
    { arbitrary: { runs: 100 } }
  )

  const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
    Schema.isMaxLength(50)
  )

  it.effect.prop(
    "moves on through bytes of any kind, from any byte on",
    { bytes: Bytes, offset: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })) },
    ({ bytes, offset }) =>
      withStore(
        Effect.gen(function* () {
          const content = Buffer.concat(Array.from({ length: 1000 }, () => Uint8Array.from(bytes)))
          if (content.length <= offset) return
          const { ref } = yield* retain(content)
          const answers = yield* readAll(ref, { offset })
          assert.isTrue(answers.every(isWithinBounds))
          assert.strictEqual(bytesOf(answers.at(-1) ?? "")[1], content.length)
        })
      ),
    { arbitrary: { runs: 100 } }
  )
})

describe("a search", () => {
  const log = "start\nERROR one\nok\nerror two\nok\nERROR three\n"

  it.effect("lists the lines that match, and says that all was searched", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain(log)
        assert.strictEqual(
          yield* read(ref, { search: "^ERROR" }),
          "[2 matches, one for each line, and in a very long line every one]\nline 2, offset 6: ERROR one\nline 6, offset 32: ERROR three\n" +
            "[Everything to the end of the output was searched.]"
        )
        assert.include(yield* read(ref, { search: "error", ignoreCase: true }), "[3 matches, ")
        assert.include(yield* read(ref, { search: "fatal" }), "[Nothing matches.]")
      })
    )
  )

  it.effect("begins at a line or a byte, and says where to search on", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain(log)
        assert.include(
          yield* read(ref, { search: "ERROR", line: 3 }),
          "[1 match, one for each line, and in a very long line every one]\nline 6,"
        )
        const answers = yield* readAll(ref, { search: "ERROR|error", limit: 1 })
        assert.deepStrictEqual(
          answers.map((answer) => answer.split("\n")[1]),
          ["line 2, offset 6: ERROR one", "line 4, offset 19: error two", "line 6, offset 32: ERROR three"]
        )
      })
    )
  )

  it.effect("goes on through matches in one endless line, each once", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain(`${"-".repeat(70_000)}needle`.repeat(5))
        const answers = yield* readAll(ref, { search: "needle", limit: 2 })
        const offsets = answers.flatMap((answer) =>
          [...answer.matchAll(/^line 1, offset (\d+): …/gm)].map(([, at]) => Number(at))
        )
        assert.deepStrictEqual(offsets, [70_000, 140_006, 210_012, 280_018, 350_024])
      })
    )
  )

  it.effect("counts every match of a very long line, however near each other they are", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain(`${'{"id":1},'.repeat(120)}${" ".repeat(70_000)}`)
        const answers = yield* readAll(ref, { search: '"id"' })
        const offsets = answers.flatMap((answer) =>
          [...answer.matchAll(/^line 1, offset (\d+): /gm)].map(([, at]) => Number(at))
        )
        assert.deepStrictEqual(
          offsets,
          Array.from({ length: 120 }, (_, index) => 9 * index + 1)
        )
        const counts = answers.map((answer) => Number(/^\[(\d+) matches/.exec(answer)?.[1]))
        assert.strictEqual(
          counts.reduce((sum, count) => sum + count, 0),
          120
        )
      })
    )
  )

  it.effect("with a pattern that nobody can use says what is wrong with it", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain(log)
        for (const search of ["(", "(?=a)", String.raw`(a)\1`, "a".repeat(2000)]) {
          const { field, message, reason } = yield* failed(ref, { search })
          assert.strictEqual(reason._tag, "InvalidArguments")
          assert.strictEqual(field, "search")
          assert.include(message, "The pattern cannot be used")
        }
      })
    )
  )
})

const failing = (reason: OutputStore.UnavailableError | OutputStore.StorageError) =>
  Layer.effect(
    OutputStore.Service,
    Effect.map(OutputStore.Service, (store) => ({ ...store, open: () => Effect.fail(reason) }))
  ).pipe(Layer.provide(OutputStores.layerMemory()))

describe("a call that cannot be answered", () => {
  it.effect("names another session's output as little as one that never was", () =>
    withStore(
      Effect.gen(function* () {
        const foreign = yield* retain("theirs", { session: Session.ID.make("other") })
        const [one, two] = [yield* failed(foreign.ref), yield* failed(unknown)]
        assert.strictEqual(one.reason._tag, "NotFound")
        assert.deepStrictEqual({ ...one }, { ...two })
        const mine = yield* retain("mine")
        assert.include(yield* read(mine.ref), "mine")
      })
    )
  )

  it.effect("says that an output expired", () =>
    Effect.gen(function* () {
      const store = yield* OutputStore.Service
      const { ref } = yield* retain("x".repeat(100))
      yield* store.release(session)
      yield* retain("y".repeat(100), { session: Session.ID.make("other") })
      const { message, reason } = yield* failed(ref)
      assert.strictEqual(reason._tag, "NotFound")
      assert.strictEqual(message, "This output was kept for a while and has been removed.")
    }).pipe(Effect.provide(OutputStores.layerMemory({ limits: { maxStoreBytes: 150 } })))
  )

  it.effect("tells a damaged output from a store that is down", () =>
    Effect.gen(function* () {
      const lost = new OutputStore.UnavailableError({ reason: "Lost" })
      const down = new OutputStore.StorageError({ operation: "open", cause: new Error("/secret/path is gone") })
      const [damaged, stopped] = [
        yield* Effect.provide(failed(unknown), failing(lost)),
        yield* Effect.provide(failed(unknown), failing(down))
      ]
      assert.strictEqual(damaged.reason._tag, "DataInvalid")
      assert.strictEqual(stopped.reason._tag, "Unavailable")
      assert.notInclude(JSON.stringify(Schema.encodeSync(ToolFailure.ToolFailure)(stopped)), "secret")
    })
  )

  it.effect("beyond the end says how much there is", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain("one\ntwo")
        const byLine = yield* failed(ref, { line: 3 })
        assert.strictEqual(byLine.message, "The output has 2 lines.")
        assert.deepStrictEqual(byLine.reason, {
          _tag: "InvalidArguments",
          violations: [{ path: "line", message: byLine.message, expected: "a whole number from 1 to 2" }]
        })
        const byByte = yield* failed(ref, { offset: 7 })
        assert.strictEqual(byByte.message, "The output has 7 bytes, the first at offset 0.")
        assert.include(yield* read(ref, { offset: 6 }), "\no\n")
      })
    )
  )

  it.effect("names two places at once", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain("text")
        assert.strictEqual((yield* failed(ref, { line: 1, offset: 1 })).message, "Give a line or an offset, not both.")
      })
    )
  )

  it.effect("is about something that is no text", () =>
    withStore(
      Effect.gen(function* () {
        const { ref } = yield* retain(Uint8Array.of(1, 2, 3), { mimeType: "image/png" })
        const { message, reason } = yield* failed(ref)
        assert.strictEqual(reason._tag, "DataInvalid")
        assert.strictEqual(message, "This output is 3 bytes of image/png, which cannot be read as text.")
        for (const mimeType of ["application/json", "text/html; charset=utf-8", "application/problem+json"]) {
          assert.include(yield* read((yield* retain("{}", { mimeType })).ref), "{}")
        }
      })
    )
  )

  it.effect("with arguments that make no sense is rejected before anything is read", () =>
    withStore(
      Effect.gen(function* () {
        for (const more of [{ line: 0 }, { offset: -1 }, { limit: 0 }, { line: 1.5 }, { other: 1 }]) {
          assert.strictEqual((yield* failure(unknown, more))._tag, "InvalidInput", JSON.stringify(more))
        }
        assert.strictEqual((yield* failure("../etc/passwd"))._tag, "InvalidInput")
      })
    )
  )
})

describe("a search that takes too long", () => {
  it.effect("gives what it found and says where to go on", () =>
    Effect.gen(function* () {
      const { ref } = yield* retain("some text")
      const answer = yield* read(ref, { search: "x" })
      assert.strictEqual(
        answer,
        "[1 match, one for each line, and in a very long line every one]\nline 1, offset 0: found…\n[The search stopped after 10 seconds. To search on, give offset 5.]"
      )
    }).pipe(Effect.provide(slow))
  )
})

const slow = Layer.effect(
  OutputStore.Service,
  Effect.map(OutputStore.Service, (store) => ({
    ...store,
    search: () =>
      Stream.concat(
        Stream.make({ line: 1, offset: 0, text: "found", cutBefore: false, cutAfter: true }),
        Stream.fail(new OutputStore.SearchStoppedError({ limitMs: 10_000, offset: 5 }))
      )
  }))
).pipe(Layer.provide(OutputStores.layerMemory()))

describe("the tool", () => {
  it.effect("can be registered, and tells a model about every argument", () =>
    Effect.gen(function* () {
      const tool = yield* ReadOutput.make
      const { ref } = yield* retain("text")
      const { definition } = yield* Testing.call(tool, { ref })
      assert.deepStrictEqual(Object.keys(definition.inputSchema["properties"] ?? {}).toSorted(), [
        "ignoreCase",
        "limit",
        "line",
        "offset",
        "ref",
        "search"
      ])
    }).pipe(Effect.provide(OutputStores.layerMemory()))
  )
})
