import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { complaintOf, observe, textOf, valueOf } from "./support/calls.ts"
import { denyAll, makePlace } from "./support/place.ts"

/** Edits a file of this content and gives what it has become. */
const edited = Effect.fnUntraced(function* (content: string | Uint8Array, ...edits: ReadonlyArray<object>) {
  const place = yield* makePlace()
  place.write("a", content)
  yield* textOf(place, "edit", { path: "a", edits })
  return place.read("a")
})

/** What is said of edits that cannot be made to a file, which is then as it was. */
const refused = Effect.fnUntraced(function* (content: string | Uint8Array, ...edits: ReadonlyArray<object>) {
  const place = yield* makePlace()
  place.write("a", content)
  const complaint = yield* complaintOf(place, "edit", { path: "a", edits })
  assert.deepStrictEqual(Fs.readFileSync(place.at("a")), Buffer.from(content))
  assert.deepStrictEqual(place.names(), ["a"])
  return complaint
})

describe("an edit", () => {
  it.effect("replaces the only place, and says where and how it was found", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("src/a.ts", "const a = 1\nconst b = 2\n")
      const input = { path: "src/a.ts", edits: [{ old: "b = 2", new: "b = 3" }] }
      assert.strictEqual(yield* textOf(place, "edit", input), "Edited src/a.ts.\n- edit 1: line 2, exact match")
      assert.strictEqual(place.read("src/a.ts"), "const a = 1\nconst b = 3\n")
    })
  )

  it.effect("takes every character of the new text for itself", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* edited("x$&y", { old: "$&", new: "$1$`$'$$" }), "x$1$`$'$$y")
      const all = { old: ".", new: "$&", replaceAll: true }
      assert.strictEqual(yield* edited("a.b.c", all), "a$&b$&c")
    })
  )

  it.effect("may remove text", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* edited("one\ntwo\nthree\n", { old: "two\n", new: "" }), "one\nthree\n")
    })
  )

  it.effect("keeps line ends, a byte order mark and a missing last line end", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* edited("a\r\nb\r\nc", { old: "b", new: "B" }), "a\r\nB\r\nc")
      assert.strictEqual(yield* edited("a\r\nb\r\nc", { old: "a\nb", new: "1\n2" }), "1\r\n2\r\nc")
      assert.strictEqual(yield* edited("\uFEFFa\nb", { old: "a", new: "A" }), "\uFEFFA\nb")
      assert.strictEqual(yield* edited("a\r\nb\nc\n", { old: "b\nc", new: "B\nC" }), "a\r\nB\nC\n")
    })
  )

  it.effect("in a file with mixed line ends means exactly what it says", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* edited("a\r\nb\nc", { old: "a\r\nb", new: "x\r\ny" }), "x\r\ny\nc")
    })
  )

  it.effect("is one of several that are all made or none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* edited("1 2 3", { old: "1", new: "2" }, { old: "2 2", new: "x" }), "x 3")
      assert.strictEqual(
        yield* refused("1 2 3", { old: "1", new: "one" }, { old: "4", new: "four" }),
        "NotFound: The old text of edit 2 is not in a. Nothing was changed.\n" +
          "Read the file and copy the old text from it."
      )
    })
  )

  it.effect("replaces every place if it is told so", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "x y x\nx")
      const input = { path: "a", edits: [{ old: "x", new: "z", replaceAll: true }] }
      assert.deepStrictEqual(yield* valueOf(place, "edit", input), {
        path: "a",
        bytes: 7,
        edits: [{ matched: "exact", lines: [1, 1, 2], replacements: 3 }]
      })
      assert.strictEqual(place.read("a"), "z y z\nz")
      assert.strictEqual(yield* edited("aaa", { old: "aa", new: "b", replaceAll: true }), "ba")
    })
  )

  it.effect("says what it changed, in the call's record too", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "1")
      const { effect } = yield* observe(place, "edit", { path: "a", edits: [{ old: "1", new: "22" }] })
      assert.deepStrictEqual(effect, {
        _tag: "Committed",
        mutations: [{ kind: "file.replaced", target: "a", bytes: 2 }]
      })
    })
  )
})

describe("an edit that is not exact", () => {
  const report = Effect.fnUntraced(function* (content: string, edit: object) {
    const place = yield* makePlace()
    place.write("a", content)
    const text = yield* textOf(place, "edit", { path: "a", edits: [edit] })
    return [text.split("\n").at(-1), place.read("a")]
  })

  it.effect("may overlook spaces at the ends of lines, and says so", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* report("if (a) {  \n\tb()\t\n}\n", { old: "if (a) {\n\tb()\n}", new: "c()" }), [
        "- edit 1: line 1, matched apart from spaces at the ends of lines",
        "c()\n"
      ])
    })
  )

  it.effect("may overlook typographic quotes, dashes and spaces, also inside a line, and says so", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* report("say “it’s – ok”\u00a0now", { old: `"it's - ok" now`, new: "x" }), [
        "- edit 1: line 1, matched apart from typographic quotes, dashes or spaces",
        "say x"
      ])
    })
  )

  it.effect("may overlook indentation that is the same for all lines, adapts the new text, and says so", () =>
    Effect.gen(function* () {
      const deeper = yield* report("f() {\n    if (a) {\n        b()\n    }\n}\n", {
        old: "if (a) {\n    b()\n}",
        new: "if (a) {\n    c()\n\n    d()\n}"
      })
      assert.deepStrictEqual(deeper, [
        "- edit 1: line 2, matched apart from the indentation, which was adapted",
        "f() {\n    if (a) {\n        c()\n\n        d()\n    }\n}\n"
      ])
      const shallower = yield* report("a\n  b\n", { old: "\ta\n\t  b\n", new: "\tc\n" })
      assert.deepStrictEqual(shallower, [
        "- edit 1: line 1, matched apart from the indentation, which was adapted",
        "c\n"
      ])
    })
  )

  it.effect("does not guess where the indentation differs from line to line", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refused("\tif (a) {\n\t\tb()\n", { old: "  if (a) {\n    b()", new: "x" }),
        [
          "NotFound: The old text of edit 1 is not in a. Nothing was changed.",
          "The most similar place begins at line 1:",
          "1\t\tif (a) {",
          "2\t\t\tb()",
          "Copy the old text from the file, without line numbers."
        ].join("\n")
      )
    })
  )

  it.effect("is never preferred to an exact one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* edited("a \na\n", { old: "a\n", new: "b\n" }), "a \nb\n")
    })
  )
})

describe("an edit that cannot be made", () => {
  it.effect("because the text is there several times says where", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refused("x\ny\nx\n", { old: "x", new: "z" }),
        "Precondition: The old text of edit 1 is in a 2 times, at lines 1, 3. Nothing was changed.\n" +
          "Add lines around the old text until it is unique, or set replaceAll."
      )
      assert.include(yield* refused("aaa", { old: "aa", new: "b" }), "is in a 2 times, at lines 1, 1.")
    })
  )

  it.effect("because the text is not there shows what is most like it", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refused("one\nconst limit = 10\nthree\n", { old: "const limits = 10", new: "x" }),
        [
          "NotFound: The old text of edit 1 is not in a. Nothing was changed.",
          "The most similar place begins at line 2:",
          "2\tconst limit = 10",
          "Copy the old text from the file, without line numbers."
        ].join("\n")
      )
    })
  )

  it.effect("because the file is not UTF-8 says where it is not", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refused(Buffer.from("caf\xe9 au lait", "latin1"), { old: "caf", new: "x" }),
        "DataInvalid: a is not UTF-8 (byte 3 is not), so it was not changed.\n" +
          "Convert it to UTF-8 with a command first, or change it with a command."
      )
    })
  )

  it.effect("because it would change nothing is refused before anything is asked", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refused("x", { old: "x", new: "x" }),
        "InvalidArguments: The old and the new text of edit 1 are the same.\n" +
          "Leave this edit out, or give the new text."
      )
    })
  )

  it.effect("because it would make the file too large is counted out before it is made", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refused("x".repeat(100_000), { old: "x", new: "y".repeat(100_000), replaceAll: true }),
        "Precondition: a would become too large. Nothing was changed.\nChange it with a command, or split it."
      )
    })
  )

  it.effect("because there is no such file suggests one", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("readme.md", "")
      assert.strictEqual(
        yield* complaintOf(place, "edit", { path: "README.md", edits: [{ old: "a", new: "b" }] }),
        "NotFound: There is no README.md.\nDid you mean readme.md?"
      )
      assert.deepStrictEqual(place.names(), ["readme.md"])
    })
  )

  it.effect("because it is refused tells nothing about the text", () =>
    Effect.gen(function* () {
      const place = yield* makePlace({ answer: denyAll })
      place.write("a", "secret")
      const answers = yield* Effect.forEach(["secret", "other"], (old) =>
        complaintOf(place, "edit", { path: "a", edits: [{ old, new: "x" }] })
      )
      assert.deepStrictEqual(answers, Array(2).fill("Denied: The rules do not allow this."))
      assert.strictEqual(place.read("a"), "secret")
    })
  )
})

describe("many edits at once", () => {
  it.effect("to one file are all made", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const numbers = Array.from({ length: 30 }, (_, index) => `<${index}>`)
      place.write("a", numbers.join("\n"))
      yield* Effect.forEach(
        numbers,
        (number) => textOf(place, "edit", { path: "a", edits: [{ old: number, new: `${number}!` }] }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(place.read("a"), numbers.map((number) => `${number}!`).join("\n"))
      assert.deepStrictEqual(place.names(), ["a"])
    })
  )
})
