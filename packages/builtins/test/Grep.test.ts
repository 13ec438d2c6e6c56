import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as Fs from "node:fs"
import * as Net from "node:net"
import { allowInside, denyAll, openDescriptors } from "./support/place.ts"
import {
  complaintOf,
  hasBubblewrap,
  isolated,
  makePipe,
  makeSearchPlace,
  notIsolated,
  observe,
  textOf,
  valueOf
} from "./support/searching.ts"

const modes = [
  ["an engine that sees only the directory", isolated],
  ["an engine whose findings are proven", notIsolated]
] as const

const complete = { end: "complete", isPartial: false, dropped: 0, unnameable: 0 }

describe.each(modes.filter(([, options]) => options !== isolated || hasBubblewrap))("grep with %s", (_, options) => {
  it.effect("shows matching lines file by file, sorted, with paths for the next call", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("src/b.ts", "const limit = 1\nconst other = 2\nlimit()\n")
      place.write("a.md", "no limit\n")
      place.write("c.txt", "nothing\n")
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "limit" }),
        "a.md\n1:\tno limit\n\nsrc/b.ts\n1:\tconst limit = 1\n3:\tlimit()\n\n[3 matches in 2 files.]"
      )
      assert.deepStrictEqual(yield* valueOf(place, "grep", { pattern: "limit", path: "src" }), {
        files: [
          {
            path: "src/b.ts",
            lines: [
              { line: 1, text: "const limit = 1" },
              { line: 3, text: "limit()" }
            ]
          }
        ],
        matches: 2,
        ...complete
      })
    })
  )

  it.effect("searches one file, whatever its size and name", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("-e.txt", "one\ntwo\n")
      place.write("other", "two\n")
      place.write("large", `${"x".repeat(99)}\n`.repeat(250_000))
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "t.o", path: "-e.txt" }),
        "-e.txt\n2:\ttwo\n\n[1 match in 1 file.]"
      )
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "two", path: "large" }),
        "[Nothing matches.]\n[Incomplete: some files or directories could not be read, or only in part.]"
      )
    })
  )

  it.effect("shows lines around a match, and where lines are missing between them", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", "1\n2 x\n3\n4\n5\n6\n7 x\n")
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "x", context: 1 }),
        "a\n1-\t1\n2:\t2 x\n3-\t3\n--\n6-\t6\n7:\t7 x\n\n[2 matches in 1 file.]"
      )
    })
  )

  it.effect("tells upper from lower case unless it is asked not to, and takes only files that fit a glob", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a.ts", "Limit\n")
      place.write("b.js", "limit\n")
      assert.strictEqual(yield* textOf(place, "grep", { pattern: "limit" }), "b.js\n1:\tlimit\n\n[1 match in 1 file.]")
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "limit", ignoreCase: true, include: "./*.{ts,tsx}" }),
        "a.ts\n1:\tLimit\n\n[1 match in 1 file.]"
      )
    })
  )

  it.effect("leaves hidden and ignored files out until it is asked for all, and git's own files always", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write(".gitignore", "dist\n")
      place.write("dist/a", "x\n")
      place.write(".github/b", "x\n")
      place.write(".git/config", "x\n")
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "x" }),
        "[Nothing matches. Hidden and ignored files are searched only with all.]"
      )
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "x", include: "**/*" }),
        "[Nothing matches. Hidden and ignored files are searched only with all.]"
      )
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "x", all: true }),
        ".github/b\n1:\tx\n\ndist/a\n1:\tx\n\n[2 matches in 2 files.]"
      )
    })
  )

  it.effect("stops at its limit, says that there is more and how to narrow down", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", "x\n".repeat(300))
      const text = yield* textOf(place, "grep", { pattern: "x" })
      assert.strictEqual(text.split("\n").filter((line) => line.endsWith("\tx")).length, 100)
      assert.isTrue(
        text.endsWith(
          "[100 matches in 1 file.]\n[Incomplete: there are more than 100 matches. Narrow the search down with path or a more exact glob or pattern, or give a higher limit, up to 2000.]"
        )
      )
      assert.isTrue(
        (yield* textOf(place, "grep", { pattern: "x", limit: 300 })).endsWith("\n\n[300 matches in 1 file.]")
      )
    })
  )

  it.effect("fits into one answer however long the lines are", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", `${"x".repeat(1_500)}\n`.repeat(200))
      const { exit } = yield* observe(place, "grep", { pattern: "x", limit: 2000 })
      const { output } = yield* exit
      assert.isBelow(JSON.stringify(output).length, 51_200)
      assert.include(JSON.stringify(output.content), "Incomplete: there is more than fits into one answer.")
    })
  )

  it.effect("cuts a line of 10 MB around its match, or at its beginning, and goes on", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", `${"é".repeat(5_000_000)}needle\n`)
      place.write("b", `${"é".repeat(10_000)}needle${"ü".repeat(10_000)}\nneedle\n`)
      const value = yield* valueOf(place, "grep", { pattern: "needle" })
      const b = `…${"é".repeat(200)}needle${"ü".repeat(2_000 - 206)}…`
      assert.deepStrictEqual(value, {
        files: [
          { path: "a", lines: [{ line: 1, text: `${"é".repeat(2_000)}…`, isCut: true }] },
          {
            path: "b",
            lines: [
              { line: 1, text: b, isCut: true },
              { line: 2, text: "needle" }
            ]
          }
        ],
        matches: 3,
        ...complete
      })
    })
  )

  it.effect("shows lines that are not UTF-8 with their bytes written out, and no files whose names are not", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("latin", Buffer.from("caf\xe9 x\r\nx\n", "latin1"))
      place.write("mark", "\uFEFFx first\nx second\n")
      Fs.writeFileSync(Buffer.concat([Buffer.from(`${place.root}/bad`), Buffer.from([0xff])]), "x\n")
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "x" }),
        "latin\n1:\tcaf\\xe9 x\n2:\tx\n\nmark\n1:\tx first\n2:\tx second\n\n[4 matches in 2 files.]\n[Left out: 1 file whose names are not UTF-8.]"
      )
    })
  )

  it.effect("neither follows links nor waits for pipes, sockets and devices", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", "x\n")
      place.write("../beside", "x CANARY\n")
      Fs.symlinkSync("../beside", place.at("link"))
      Fs.symlinkSync("..", place.at("up"))
      Fs.symlinkSync(".", place.at("loop"))
      makePipe(place.at("pipe"))
      yield* Effect.acquireRelease(
        Effect.callback<Net.Server>((resume) => {
          const server = Net.createServer().listen(place.at("socket"), () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      assert.strictEqual(yield* textOf(place, "grep", { pattern: "x" }), "a\n1:\tx\n\n[1 match in 1 file.]")
    })
  )

  it.effect("shows nothing of what the host keeps for itself", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options, { protect: ["store"] })
      place.write("store/secret", "x CANARY\n")
      place.write("a", "x\n")
      assert.deepStrictEqual(yield* valueOf(place, "grep", { pattern: "x" }), {
        files: [{ path: "a", lines: [{ line: 1, text: "x" }] }],
        matches: 1,
        ...complete
      })
    })
  )

  it.effect("searches a directory outside once that is allowed", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("../beside/deep/a", "x\n")
      const path = `${place.above}/beside`
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "x", path }),
        `${path}/deep/a\n1:\tx\n\n[1 match in 1 file.]`
      )
      const asked = yield* Ref.get(place.asked)
      assert.deepStrictEqual(
        asked.map(({ action, resources }) => ({ action, resources })),
        [
          { action: "external_directory", resources: [place.above] },
          { action: "grep", resources: [path] }
        ]
      )
    })
  )

  it.effect.skipIf(process.getuid?.() !== 0)("reads for the superuser what belongs to others", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("theirs/a", "x\n")
      for (const path of ["theirs/a", "theirs"]) {
        Fs.chmodSync(place.at(path), 0o700)
        Fs.chownSync(place.at(path), 65_534, 65_534)
      }
      assert.strictEqual(yield* textOf(place, "grep", { pattern: "x" }), "theirs/a\n1:\tx\n\n[1 match in 1 file.]")
    })
  )

  it.effect("shows no file of which only lines around a match would fit", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", "before\nx\n")
      place.write("b", "before\nx\n")
      const text = yield* textOf(place, "grep", { pattern: "x", context: 1, limit: 1 })
      assert.match(
        text,
        /^[ab]\n1-\tbefore\n2:\tx\n\n\[1 match in 1 file\.\]\n\[Incomplete: there are more than 1 match\./
      )
    })
  )

  it.effect("takes a pattern that looks like an option for a pattern", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", "--pre=/usr/bin/id\n--files\n")
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "--pre=/usr/bin/id" }),
        "a\n1:\t--pre=/usr/bin/id\n\n[1 match in 1 file.]"
      )
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "--files", include: "--pre" }),
        "[Nothing matches. Hidden and ignored files are searched only with all.]"
      )
    })
  )

  it.effect("says what is wrong with a pattern or a glob in the words of the engine", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", "x\n")
      assert.strictEqual(
        yield* complaintOf(place, "grep", { pattern: "(x" }),
        "InvalidArguments: The pattern cannot be used: regex parse error:\n    (?:(x)\n    ^\nerror: unclosed group\nCorrect the regular expression. Characters that are meant as they are need a backslash before them."
      )
      assert.strictEqual(
        yield* complaintOf(place, "grep", { pattern: "x", include: "{a" }),
        "InvalidArguments: The glob cannot be used: error parsing glob '{a': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)\nCorrect the glob. Brackets and braces have to be closed, or need a backslash before them."
      )
      assert.strictEqual(
        yield* complaintOf(place, "grep", { pattern: "x", path: "a", include: "../*" }),
        "InvalidArguments: A glob cannot lead out of the directory that is searched with ..\nGive the directory as path, and a glob such as **/*.ts."
      )
    })
  )

  it.effect("asks before it looks, and tells nothing if it may not", () =>
    Effect.gen(function* () {
      const denied = yield* makeSearchPlace(options, { answer: denyAll })
      denied.write("a", "x\n")
      const refusal = "Denied: The rules do not allow this."
      assert.strictEqual(yield* complaintOf(denied, "grep", { pattern: "x", path: "a" }), refusal)
      assert.strictEqual(yield* complaintOf(denied, "grep", { pattern: "x", path: "missing" }), refusal)
      const inside = yield* makeSearchPlace(options, { answer: allowInside })
      inside.write("a", "x\n")
      assert.strictEqual(yield* complaintOf(inside, "grep", { pattern: "x", path: inside.above }), refusal)
      assert.strictEqual(
        yield* complaintOf(inside, "grep", { pattern: "x", path: ".." }),
        "Denied: .. leads out of the directory that this tool may use.\nUse a path inside the project, or an absolute path to ask for a directory outside of it."
      )
      assert.strictEqual(
        yield* complaintOf(inside, "grep", { pattern: "x", path: "b" }),
        "NotFound: There is no b.\nDid you mean a?"
      )
    })
  )

  it.effect("reports how far it is, changes nothing and leaves nothing open", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace(options)
      place.write("a", "x\nx\n")
      place.write("b", "x\n")
      yield* textOf(place, "grep", { pattern: "x" })
      const before = openDescriptors()
      const { effect, progress } = yield* observe(place, "grep", { pattern: "x" })
      assert.strictEqual(effect._tag, "None")
      assert.deepStrictEqual(progress.at(-1), { completed: 3 })
      assert.strictEqual(openDescriptors(), before)
    })
  )
})
