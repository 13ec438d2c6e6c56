import { assert, describe, it } from "@effect/vitest"
import * as Config from "@haft/cli/Config"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { project } from "./support/command.ts"

const big = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join("\n")

describe("haft tools", () => {
  it.effect("lists what the project offers, without what it hides", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "haft.json": `{ "hide": ["grep"], /* slow here */ }` })
      const { code, out } = yield* haft(["tools"])
      assert.strictEqual(code, 0)
      assert.match(out, /^read {2,}Read a file or list a directory\.$/m)
      assert.notInclude(out, "grep")
    })
  )

  it.effect("shows one tool in full, and the nearest name for one that is misspelt", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const { out } = yield* haft(["tools", "read", "--json"])
      assert.deepStrictEqual(JSON.parse(out).inputSchema.required, ["path"])
      const misspelt = yield* haft(["tools", "raed"])
      assert.strictEqual(misspelt.code, 2)
      assert.include(misspelt.err, "There is no tool raed.\nDid you mean read?")
    })
  )

  it.effect("writes the catalog in a provider's dialect", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const { out } = yield* haft(["tools", "read", "--for", "openai-strict"])
      const [read] = JSON.parse(out)
      assert.strictEqual(read.inputSchema.additionalProperties, false)
      assert.sameMembers(read.inputSchema.required, Object.keys(read.inputSchema.properties))
    })
  )
})

describe("haft call", () => {
  it.effect("prints what a model would read, and the exit code tells how the call ended", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "a.txt": "hello" })
      const read = yield* haft(["call", "read", `{"path":"a.txt"}`])
      assert.deepStrictEqual(read, { code: 0, out: "1\thello\n[End of a.txt, 1 line.]\n", err: "" })
      const missing = yield* haft(["call", "read", `{"path":"b.txt"}`])
      assert.deepStrictEqual(missing, {
        code: 1,
        out: "",
        err: "There is no b.txt.\nDid you mean a.txt?\nArgument: path\n"
      })
      const unknown = yield* haft(["call", "raed", "{}"])
      assert.strictEqual(unknown.code, 3)
      assert.include(unknown.err, "Did you mean read?")
      const invalid = yield* haft(["call", "read", `{"path":`])
      assert.strictEqual(invalid.code, 3)
      assert.include(invalid.err, "cut off")
    })
  )

  it.effect("takes arguments from standard input and says what it repaired", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "a.txt": "one\ntwo\nthree" })
      const { err, out } = yield* haft(["call", "read", "-"], { stdin: `{"path":"a.txt","offset":"2"}` })
      assert.include(out, "2\ttwo")
      assert.include(err, "offset")
    })
  )

  it.effect("refuses what nobody can be asked about, and does it with --yes", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project()
      const args = ["call", "write", `{"path":"a.txt","content":"hello"}`]
      const refused = yield* haft(args)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, "nobody is there to be asked")
      const written = yield* haft([...args, "--yes"])
      assert.strictEqual(written.code, 0)
      assert.strictEqual(readFileSync(join(root, "a.txt"), "utf8"), "hello")
    })
  )

  it.effect("asks at the terminal, and a sentence instead of a letter is feedback", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project()
      const args = ["call", "write", `{"path":"a.txt","content":"hello"}`]
      const refused = yield* haft(args, { typed: ["", "put it into notes.md"] })
      assert.strictEqual(refused.code, 1)
      assert.match(refused.err, /A tool asks for permission\.\n.*write/)
      assert.include(refused.err, "The user says: put it into notes.md")
      const granted = yield* haft(args, { typed: ["y"] })
      assert.strictEqual(granted.code, 0)
      assert.strictEqual(readFileSync(join(root, "a.txt"), "utf8"), "hello")
    })
  )

  it.effect("remembers what was always allowed", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const args = ["call", "write", `{"path":"a.txt","content":"hello"}`]
      assert.strictEqual((yield* haft(args, { typed: ["a"] })).code, 0)
      assert.strictEqual((yield* haft(args)).code, 0)
    })
  )

  it.effect("gives the recorded outcome for an id that was used before", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project()
      const args = ["call", "write", `{"path":"a.txt","content":"x"}`, "--yes", "--id", "one", "--json"]
      const first = yield* haft(args)
      assert.strictEqual(JSON.parse(first.out).output.structured.action, "created")
      assert.deepStrictEqual(yield* haft(args), first)
      assert.strictEqual(readFileSync(join(root, "a.txt"), "utf8"), "x")
    })
  )

  it.effect.each(["orloj", "uicp", "contextos", "osaurus"])("prints a settled call in the contract %s", (contract) =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "a.txt": "hello" })
      const good = yield* haft(["call", "read", `{"path":"a.txt"}`, "--as", contract, "--id", "call-1"])
      assert.strictEqual(good.code, 0)
      assert.include(JSON.stringify(JSON.parse(good.out)), "hello")
      const bad = yield* haft(["call", "read", `{"path":"b.txt"}`, "--as", contract])
      assert.strictEqual(bad.code, 1)
      assert.include(JSON.stringify(JSON.parse(bad.out)), "There is no b.txt")
    })
  )
})

describe("haft output", () => {
  it.effect("pages and searches what was too large to be shown", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "haft.json": `{ "output": { "lines": 20 } }`, "big.txt": big })
      const call = yield* haft(["call", "read", `{"path":"big.txt"}`])
      const ref = /haft output (out_\S+)/.exec(call.err)?.[1] ?? ""
      const some = yield* haft(["output", ref, "--lines", "10-11"])
      assert.match(some.out, /line 10\n.*line 11\n$/)
      const found = yield* haft(["output", ref, "--search", "line 12\\b"])
      assert.match(found.out, /^\d+: .*line 12$/m)
      const all = yield* haft(["output", ref])
      assert.include(all.out, "line 1500")
    })
  )

  it.effect("says what is wrong with a reference or a range", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const foreign = yield* haft(["output", "out_aaaaaaaaaaaaaaaaaaaaaa"])
      assert.strictEqual(foreign.code, 2)
      assert.include(foreign.err, "No recorded call refers to out_a")
      assert.include((yield* haft(["output", "nonsense"])).err, "A reference starts with out_.")
      const range = yield* haft(["output", "out_aaaaaaaaaaaaaaaaaaaaaa", "--lines", "20-10"])
      assert.include(range.err, "is no range of lines")
    })
  )
})

describe("--json", () => {
  it.effect("holds for every command that answers, and for what is wrong with one", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project({ "big.txt": big })
      const json = (args: ReadonlyArray<string>) =>
        Effect.map(haft([...args, "--json"]), ({ code, err, out }) => ({ code, err, data: JSON.parse(out) }))
      const wrong = yield* haft(["tools", "raed", "--json"])
      assert.deepStrictEqual([wrong.code, wrong.out], [2, ""])
      assert.deepStrictEqual(JSON.parse(wrong.err), {
        message: "There is no tool raed.",
        fix: "Did you mean read? `haft tools` lists all.",
        exitCode: 2
      })
      const written = [Config.fileName, ".haft/plugins/hello.js"]
      assert.deepStrictEqual((yield* json(["init"])).data, { root, written })
      const { data } = yield* json(["call", "read", `{"path":"big.txt","limit":1900}`])
      assert.strictEqual(data._tag, "Succeeded")
      for (const command of ["tools", "log", "doctor"]) assert.isNotEmpty((yield* json([command])).data, command)
    })
  )

  it.effect("prints a kept output line by line, each an object", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "haft.json": `{ "output": { "lines": 20 } }`, "big.txt": big })
      const call = yield* haft(["call", "read", `{"path":"big.txt"}`])
      const ref = /haft output (out_\S+)/.exec(call.err)?.[1] ?? ""
      const { out } = yield* haft(["output", ref, "--lines", "10-11", "--json"])
      const lines = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        lines.map(({ line }) => line),
        [10, 11]
      )
      assert.match(lines[0].text, /line 10$/)
    })
  )
})

describe("haft log", () => {
  it.live("shows every call with its outcome and effect, the latest first", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "a.txt": "hello" })
      assert.include((yield* haft(["log"])).out, "No calls are recorded yet.")
      yield* haft(["call", "read", `{"path":"a.txt"}`, "--id", "first"])
      yield* haft(["call", "write", `{"path":"b.txt","content":""}`, "--yes", "--id", "second"])
      const [head, write, read] = (yield* haft(["log"])).out.split("\n")
      assert.match(head ?? "", /^begun +tool +outcome +effect +took +session +call$/)
      assert.match(write ?? "", /write +Succeeded +Committed .*second$/)
      assert.match(read ?? "", /read +Succeeded +None .*first$/)
      const one = yield* haft(["log", "first"])
      assert.include(one.out, "1\thello")
      assert.strictEqual((yield* haft(["log", "third"])).code, 2)
    })
  )
})

describe("haft doctor", () => {
  it.effect("finds every part and tells a broken store", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const { code, out } = yield* haft(["doctor", "--json"])
      assert.strictEqual(code, 0)
      const parts = JSON.parse(out).map(({ what }: { readonly what: string }) => what)
      assert.deepStrictEqual(parts, ["Node", "files", "search", "store"])
    })
  )
})

describe("a project", () => {
  it.effect("with a bad configuration is refused with file, line, path and fix", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project({
        "haft.json": `{\n  "permissions": [\n    { "action": "read", "resource": "*", "effect": "maybe" }\n  ],\n  "hdie": []\n}`
      })
      const { code, err } = yield* haft(["tools"])
      assert.strictEqual(code, 2)
      assert.include(err, `${root}/haft.json:3 permissions[0].effect: `)
      assert.include(err, `${root}/haft.json:5 hdie: `)
    })
  )

  it.effect("with a configuration that is not JSON is refused with line and column", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project({ "haft.json": `{\n  "hide": [grep]\n}` })
      const { code, err } = yield* haft(["tools"])
      assert.strictEqual(code, 2)
      assert.include(err, `${root}/haft.json:2:12 is not JSON`)
    })
  )

  it.effect("cannot keep its records where its tools could reach them", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "haft.json": `{ "state": "records" }` })
      const { code, err } = yield* haft(["tools"])
      assert.strictEqual(code, 2)
      assert.include(err, "is inside the project")
    })
  )

  it.effect("that is not there is named", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project()
      const { code, err } = yield* haft(["tools", "--root", `${root}/nothing`])
      assert.strictEqual(code, 2)
      assert.include(err, "--root")
    })
  )
})
