import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { project } from "./support/command.ts"

const asking = (...questions: ReadonlyArray<object>) => ["call", "question", JSON.stringify({ questions })]

const colour = { question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] }

describe("a wrong command line", () => {
  it.live("is told on standard error what is wrong, and where the help is", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const unknown = yield* haft(["frob"])
      assert.deepStrictEqual([unknown.code, unknown.out], [2, ""])
      assert.strictEqual(unknown.err, 'Unknown subcommand "frob" for "haft"\n`haft --help` shows how it is used.\n')
      const missing = yield* haft(["call"])
      assert.deepStrictEqual([missing.code, missing.out], [2, ""])
      assert.include(missing.err, "`haft call --help` shows how it is used.")
      const help = yield* haft(["call", "--help"])
      assert.strictEqual(help.code, 0)
      assert.include(help.out, "USAGE")
    })
  )
})

describe("a person at the terminal", () => {
  it.live("answers a question with a number, a label, or their own words", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const numbered = yield* haft(asking(colour), { typed: ["2"] })
      assert.deepStrictEqual([numbered.code, numbered.out], [0, "Which colour?\n- blue\n"])
      assert.include(numbered.err, "Option 2:\n  | blue")
      const labelled = yield* haft(asking(colour), { typed: ["RED"] })
      assert.strictEqual(labelled.out, "Which colour?\n- red\n")
      const own = yield* haft(asking(colour, { question: "Why?", options: [] }), { typed: ["", "green", "7"] })
      assert.include(own.out, "In the user's words: green")
      assert.include(own.out, "In the user's words: 7")
    })
  )

  it.live("is asked again where an answer does not fit, and may choose several where that is wanted", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const strict = { ...colour, custom: false }
      const again = yield* haft(asking(strict), { typed: ["green", "3", "1,2", "1"] })
      assert.strictEqual(again.out, "Which colour?\n- red\n")
      const both = yield* haft(asking({ ...strict, multiple: true }), { typed: ["2, 1"] })
      assert.strictEqual(both.out, "Which colour?\n- blue\n- red\n")
    })
  )

  it.live("does not have to answer, and nobody is asked where there is no terminal", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const dismissed = yield* haft(asking(colour), { typed: ["-"] })
      assert.strictEqual(dismissed.code, 1)
      assert.include(dismissed.err, "The user did not want to answer.")
      const gone = yield* haft(asking(colour), { typed: [] })
      assert.include(gone.err, "The user did not want to answer.")
      const alone = yield* haft(asking(colour))
      assert.include(alone.err, "Nobody is there to answer.")
    })
  )

  it.live("sees a change as a diff before allowing it", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project({ "a.txt": "one\ntwo\nthree\n" })
      const edit = { path: "a.txt", edits: [{ old: "two", new: "2" }] }
      const edited = yield* haft(["call", "edit", JSON.stringify(edit)], { typed: ["y"] })
      assert.include(stripVTControlCharacters(edited.err), "  |  one\n  | -two\n  | +2\n  |  three\n")
      const write = { path: "a.txt", content: "one\n2\nfour\n" }
      const written = yield* haft(["call", "write", JSON.stringify(write)], { typed: ["y"] })
      assert.include(stripVTControlCharacters(written.err), "  |  one\n  |  2\n  | -three\n  | +four\n")
      assert.notInclude(written.err, "content:")
      assert.strictEqual(readFileSync(join(root, "a.txt"), "utf8"), write.content)
      const created = yield* haft(["call", "write", `{"path":"b.txt","content":"new\\n"}`], { typed: ["y"] })
      assert.include(stripVTControlCharacters(created.err), "  | +new\n")
    })
  )

  it.live("sees what was sent where a change cannot be foreseen", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "a.txt": "one\n" })
      const edit = { path: "a.txt", edits: [{ old: "absent", new: "present" }] }
      const { err } = yield* haft(["call", "edit", JSON.stringify(edit)], { typed: ["n"] })
      assert.include(err, "absent")
      assert.include(err, "present")
    })
  )

  it.live("is not asked again about what an answer has covered meanwhile", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project()
      const write = (path: string) => ({ call: "write", input: { path, content: "x" } })
      const script = join(root, "script.json")
      writeFileSync(script, JSON.stringify([[write("a.txt"), write("b.txt"), write("c.txt")], ["Done."]]))
      const { code, err } = yield* haft(["run", "Go", "--script", script], { typed: ["a"] })
      assert.strictEqual(code, 0)
      assert.isTrue(["a.txt", "b.txt", "c.txt"].every((name) => existsSync(join(root, name))))
      assert.strictEqual(err.split("A tool asks for permission.").length, 2)
    })
  )

  it.live("refuses by leaving", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project()
      const { code, err } = yield* haft(["call", "write", `{"path":"a.txt","content":"x"}`], { typed: [] })
      assert.strictEqual(code, 1)
      assert.include(err, "The user refused this.")
      assert.isFalse(existsSync(join(root, "a.txt")))
    })
  )
})
