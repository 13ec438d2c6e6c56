import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { denyAll } from "./support/place.ts"
import {
  complaintOf,
  hasBubblewrap,
  isolated,
  makePipe,
  makeSearchPlace,
  notIsolated,
  textOf,
  valueOf
} from "./support/searching.ts"

const modes = [
  ["an engine that sees only the directory", isolated],
  ["an engine whose findings are proven", notIsolated]
] as const

const complete = { end: "complete", isPartial: false, dropped: 0, unnameable: 0 }

describe.each(modes.filter(([, options]) => options !== isolated || hasBubblewrap))("glob with %s", (_, options) => {
  it.effect("ends where the next path would not fit into one answer, whatever the names are made of", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      for (let index = 0; index < 400; index++) place.write(`${"\u200b".repeat(80)}${index}`, "x\n")
      for (const [tool, input] of [
        ["glob", { pattern: "*" }],
        ["grep", { pattern: "x" }]
      ] as const) {
        const text = yield* textOf(place, tool, { ...input, limit: 2000 })
        const value = yield* valueOf(place, tool, { ...input, limit: 2000 })
        assert.deepInclude(value, { end: "size" })
        assert.isAtMost(Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(value)), 50 * 1024)
      }
    })
  )

  it.effect("lists the files that fit, sorted, with paths for the next call", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      for (const path of ["src/b.ts", "a.ts", "src/deep/c.ts", "src/d.js", "with\nline.ts"]) place.write(path, "")
      assert.strictEqual(
        yield* textOf(place, "glob", { pattern: "*.ts" }),
        'a.ts\nsrc/b.ts\nsrc/deep/c.ts\n"with\\nline.ts"\n[4 files.]'
      )
      assert.strictEqual(yield* textOf(place, "glob", { pattern: "./src/*.ts" }), "src/b.ts\n[1 file.]")
      assert.deepStrictEqual(yield* valueOf(place, "glob", { pattern: "**/*.{js,ts}", path: "src" }), {
        paths: ["src/b.ts", "src/d.js", "src/deep/c.ts"],
        ...complete
      })
      assert.strictEqual(
        yield* textOf(place, "glob", { pattern: "*.rs" }),
        "[No files fit. Hidden and ignored files are searched only with all.]"
      )
    })
  )

  it.effect("lists paths outside as they can be used there", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("../beside/a.ts", "")
      const path = `${place.above}/beside`
      assert.strictEqual(yield* textOf(place, "glob", { pattern: "*.ts", path }), `${path}/a.ts\n[1 file.]`)
    })
  )

  it.effect("leaves hidden and ignored files out until it is asked for all, and git's own files always", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write(".gitignore", "dist\n")
      for (const path of ["dist/a", ".github/b", ".git/config", "c"]) place.write(path, "")
      assert.strictEqual(yield* textOf(place, "glob", { pattern: "**/*" }), "c\n[1 file.]")
      assert.strictEqual(
        yield* textOf(place, "glob", { pattern: "**/*", all: true }),
        ".github/b\n.gitignore\nc\ndist/a\n[4 files.]"
      )
    })
  )

  it.effect("stops at its limit and says how to narrow down", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      for (let index = 0; index < 120; index++) place.write(`d/${index}`, "")
      const text = yield* textOf(place, "glob", { pattern: "*" })
      assert.lengthOf(text.split("\n"), 102)
      assert.isTrue(
        text.endsWith(
          "[100 files.]\n[Incomplete: there are more than 100 files. Narrow the search down with path or a more exact glob or pattern, or give a higher limit, up to 2000.]"
        )
      )
      assert.isTrue((yield* textOf(place, "glob", { pattern: "*", limit: 120 })).endsWith("\n[120 files.]"))
    })
  )

  it.effect(
    "lists neither links nor what is no file, nothing that is protected, and no name that no call could give",
    () =>
      Effect.gen(function* () {
        const place = yield* makeSearchPlace(options, { protect: ["store"] })
        place.write("../beside", "")
        place.write("store/a", "")
        place.write("b", "")
        Fs.symlinkSync("../beside", place.at("link"))
        Fs.symlinkSync("..", place.at("up"))
        makePipe(place.at("pipe"))
        Fs.writeFileSync(Buffer.concat([Buffer.from(`${place.root}/bad`), Buffer.from([0xff])]), "")
        assert.strictEqual(
          yield* textOf(place, "glob", { pattern: "*" }),
          "b\n[1 file.]\n[Left out: 1 file whose names are not UTF-8.]"
        )
      })
  )

  it.effect("refuses globs that would lead elsewhere, and says what to do instead", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      const parent =
        "InvalidArguments: A glob cannot lead out of the directory that is searched with ..\nGive the directory as path, and a glob such as **/*.ts."
      const absolute =
        "InvalidArguments: A glob is relative to the directory that is searched, so it cannot begin with a slash.\nGive the directory as path, and a glob such as **/*.ts."
      for (const pattern of ["../*", "..", "a/../b", "{../,}*", "{a,..}/*", "{a,b/..}"]) {
        assert.strictEqual(yield* complaintOf(place, "glob", { pattern }), parent)
      }
      for (const pattern of ["/etc/*", "{/etc,a}/*", "{a,/etc}/*", "{{/etc,a},b}"]) {
        assert.strictEqual(yield* complaintOf(place, "glob", { pattern }), absolute)
      }
      place.write("a..b/c", "")
      place.write("...", "")
      assert.strictEqual(yield* textOf(place, "glob", { pattern: "a..b{/c,/d}" }), "a..b/c\n[1 file.]")
      assert.strictEqual(yield* textOf(place, "glob", { pattern: "..." }), "...\n[1 file.]")
      assert.include(yield* complaintOf(place, "glob", { pattern: "!a" }), "cannot begin with an exclamation mark")
      assert.include(yield* complaintOf(place, "glob", { pattern: "[" }), "InvalidArguments: The glob cannot be used")
    })
  )

  it.effect("asks before it looks, and searches directories only", () =>
    Effect.gen(function* () {
      const denied = yield* makeSearchPlace(options, { answer: denyAll })
      const refusal = "Denied: The rules do not allow this."
      assert.strictEqual(yield* complaintOf(denied, "glob", { pattern: "*" }), refusal)
      assert.strictEqual(yield* complaintOf(denied, "glob", { pattern: "*", path: "missing" }), refusal)
      const place = yield* makeSearchPlace(options)
      place.write("a", "")
      assert.strictEqual(
        yield* complaintOf(place, "glob", { pattern: "*", path: "a" }),
        "InvalidArguments: a is a file, and glob searches directories.\nGive the directory as path, or read the file."
      )
    })
  )
})
