import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as Fs from "node:fs"
import * as Testing from "@haft/core/testing"
import { Write } from "@haft/builtins"
import { Permission } from "@haft/core"
import { complaintOf, failureOf, observe, textOf, valueOf } from "./support/calls.ts"
import { allowAll, denied, denyAll, makePlace, type Place } from "./support/place.ts"

describe("a request to change files", () => {
  const config = (text: string) => ({ ".git/config": text })
  it.effect.each([
    ["core.hooksPath", config("[core]\n\thooksPath = tools/hooks\n")],
    [
      "in any spelling that Git accepts",
      config('[core "x"]\nhooksPath=a\n[Core] bare = no\n  HOOKSPATH="tools/hooks" ; x\n')
    ],
    ["on the line of its section", config("[core] hooksPath = ./tools//hooks # ours\n[other]\nhooksPath = src\n")],
    ["the last of several", config("[core]\nhooksPath = src\nhooksPath = tools/hooks\n")],
    ["a .git file", { ".git": "gitdir: tools\n" }],
    [
      "the configuration that a .git file leads to",
      { ".git": "gitdir: meta\n", "meta/config": "[core]\nhooksPath=tools" }
    ]
  ] as const)("says where Git takes programs from: %s", ([, contents]) =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      for (const [path, content] of Object.entries(contents)) place.write(path, content)
      yield* textOf(place, "write", { path: "TOOLS/hooks/pre-commit", content: "" })
      yield* textOf(place, "write", { path: "src/a", content: "" })
      const asked = yield* Ref.get(place.asked)
      assert.deepStrictEqual(
        asked.map(({ guarded }) => guarded),
        [["TOOLS/hooks/pre-commit"], undefined]
      )
    })
  )

  it.effect("says nothing of the kind where Git leads outside or nowhere", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      for (const value of ["/usr/share/hooks", "~/hooks", "../hooks", ""]) {
        place.write(".git/config", `[core]\nhooksPath = ${value}\n`)
        yield* textOf(place, "write", { path: "hooks/a", content: value })
      }
      assert.isTrue((yield* Ref.get(place.asked)).every(({ guarded }) => guarded === undefined))
    })
  )
})

describe("writing a file", () => {
  it.effect("creates it with its directories, and says so", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const input = { path: "docs/notes/today.md", content: "# Today\n\nok\n" }
      assert.strictEqual(yield* textOf(place, "write", input), "Created docs/notes/today.md: 3 lines, 12 bytes.")
      assert.strictEqual(place.read("docs/notes/today.md"), "# Today\n\nok\n")
    })
  )

  it.effect("replaces what is there, and says so", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "old")
      assert.deepStrictEqual(yield* valueOf(place, "write", { path: "a", content: "é" }), {
        path: "a",
        action: "replaced",
        bytes: 2,
        lines: 1
      })
      assert.strictEqual(place.read("a"), "é")
    })
  )

  it.effect.each(["", "\uFEFFx", "a\r\nb\r", "\0", "😀", "no end", "\n"])(
    "writes exactly what it was given: %j",
    (content) =>
      Effect.gen(function* () {
        const place = yield* makePlace()
        yield* textOf(place, "write", { path: "a", content })
        assert.deepStrictEqual(Fs.readFileSync(place.at("a")), Buffer.from(content))
      })
  )

  it.effect("keeps names apart that only look the same", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      yield* textOf(place, "write", { path: "\u00e9", content: "composed" })
      yield* textOf(place, "write", { path: "e\u0301", content: "decomposed" })
      assert.strictEqual(place.read("\u00e9"), "composed")
      assert.strictEqual(place.read("e\u0301"), "decomposed")
    })
  )

  it.effect.each(["a\ud800b", "\udc00", "\ude00\ud83d"])("refuses text with half a character: %#", (content) =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const tool = yield* Effect.provideContext(Write.make, place.context)
      const error = yield* Effect.flip(Testing.call(tool, { path: "a", content }))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.deepStrictEqual(place.names(), [])
    })
  )

  it.effect("says what it changed, in the call's record too", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const created = yield* observe(place, "write", { path: "a/b", content: "12" })
      const replaced = yield* observe(place, "write", { path: "a/b", content: "123" })
      assert.deepStrictEqual(
        [created.effect, replaced.effect],
        [
          { _tag: "Committed", mutations: [{ kind: "file.created", target: "a/b", bytes: 2 }] },
          { _tag: "Committed", mutations: [{ kind: "file.replaced", target: "a/b", bytes: 3 }] }
        ]
      )
    })
  )

  it.effect("has a next step for each refusal", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("file", "")
      Fs.mkdirSync(place.at("dir"))
      const complaint = (path: string) => complaintOf(place, "write", { path, content: "" })
      assert.strictEqual(
        yield* complaint("file/child"),
        "Precondition: A part of file/child is a file, so nothing can be below it.\nGive a path whose parts are directories."
      )
      assert.strictEqual(yield* complaint("dir"), "Precondition: dir is a directory.\nGive the path of a regular file.")
      assert.strictEqual(yield* complaint("."), "Precondition: . is a directory.\nGive the path of a regular file.")
      assert.strictEqual(
        yield* complaint("x".repeat(256)),
        'InvalidArguments: A name in the path is longer than 255 bytes.\nGive a path such as "src/index.ts".'
      )
    })
  )
})

describe("the permission to write", () => {
  it.effect("is asked with everything that is to be written, and with what is there now", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      yield* textOf(place, "write", { path: "./a", content: "1" })
      yield* textOf(place, "write", { path: "a", content: "2" })
      const [first, second] = yield* Ref.get(place.asked)
      assert.deepStrictEqual(first, {
        action: "edit",
        resources: ["a"],
        save: ["*"],
        metadata: { root: place.root, confinement: "strict" },
        target: "absent"
      })
      assert.match(second?.target ?? "", /^\d+:\d+:1:\d+:\d+$/)
    })
  )

  it.effect("if refused changes nothing and tells nothing", () =>
    Effect.gen(function* () {
      const place = yield* makePlace({ answer: denyAll })
      place.write("file", "old")
      Fs.mkdirSync(place.at("dir"))
      const answers = yield* Effect.forEach(["file", "new/file", "dir", "file/x"], (path) =>
        complaintOf(place, "write", { path, content: "new" })
      )
      assert.deepStrictEqual([...new Set(answers)], ["Denied: The rules do not allow this."])
      assert.deepStrictEqual(place.names(), ["dir", "file"])
      assert.strictEqual(place.read("file"), "old")
    })
  )

  it.effect("if refused by a person passes on what they want instead", () =>
    Effect.gen(function* () {
      const feedback = "Write to drafts/ instead."
      const refusal = new Permission.DeniedError({ message: "Refused.", by: "user", feedback })
      const place = yield* makePlace({ answer: () => Effect.fail(refusal) })
      const failure = yield* failureOf(place, "write", { path: "a", content: "" })
      assert.deepStrictEqual(failure.reason, { _tag: "Denied", by: "user", feedback })
    })
  )

  it.effect("does not hold for a file that changed while it was asked", () =>
    Effect.gen(function* () {
      const meddling: Array<Place> = []
      const place = yield* makePlace({
        answer: () => Effect.sync(() => meddling.forEach((one) => one.write("a", "theirs")))
      })
      meddling.push(place)
      place.write("a", "old")
      assert.strictEqual(
        yield* complaintOf(place, "write", { path: "a", content: "new" }),
        "Precondition: a changed since it was looked at, so nothing was done.\n" +
          "Read it again and repeat the call if it is still right."
      )
      assert.strictEqual(place.read("a"), "theirs")
    })
  )

  it.effect("does not hold for another directory that took the place of the first", () =>
    Effect.gen(function* () {
      const meddling: Array<Place> = []
      const swap = (place: Place) => {
        Fs.renameSync(place.at("a"), place.at("b"))
        Fs.symlinkSync("../out", place.at("a"))
      }
      const place = yield* makePlace({ answer: () => Effect.sync(() => meddling.forEach(swap)) })
      meddling.push(place)
      place.write("a/x", "inside")
      Fs.mkdirSync(`${place.above}/out`)
      yield* complaintOf(place, "write", { path: "a/y", content: "new" })
      assert.deepStrictEqual(Fs.readdirSync(`${place.above}/out`), [])
      assert.deepStrictEqual(place.names(), ["a", "b", "b/x"])
    })
  )

  it.effect("outside is asked for the directory first, and the file is then written there", () =>
    Effect.gen(function* () {
      const inside = yield* makePlace({
        answer: (request) => (request.action === "edit" ? Effect.fail(denied) : allowAll(request))
      })
      const place = yield* makePlace()
      const path = `${place.above}/outside`
      yield* complaintOf(inside, "write", { path: `${inside.above}/outside`, content: "x" })
      assert.isFalse(Fs.existsSync(`${inside.above}/outside`))
      yield* textOf(place, "write", { path, content: "x" })
      assert.strictEqual(Fs.readFileSync(path, "utf8"), "x")
      assert.deepStrictEqual(
        (yield* Ref.get(place.asked)).map(({ action, resources }) => `${action} ${resources.join()}`),
        [`external_directory ${place.above}`, `edit ${path}`]
      )
    })
  )
})
