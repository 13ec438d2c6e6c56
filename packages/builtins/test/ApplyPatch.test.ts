import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as Fs from "node:fs"
import { complaintOf, observe, textOf } from "./support/calls.ts"
import { denyAll, makePlace, type Place } from "./support/place.ts"

const patch = (...lines: ReadonlyArray<string>) => ({
  patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")
})

const contents = (place: Place) =>
  Object.fromEntries(
    place
      .names()
      .filter((name) => Fs.statSync(place.at(name)).isFile())
      .map((name) => [name, place.read(name)])
  )

/** Patches one file and gives what it has become. */
const updated = Effect.fnUntraced(function* (content: string, ...hunks: ReadonlyArray<string>) {
  const place = yield* makePlace()
  place.write("a", content)
  yield* textOf(place, "apply_patch", patch("*** Update File: a", ...hunks))
  return place.read("a")
})

/** What is said of a patch that cannot be applied to these files, which are then as they were. */
const refused = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, input: object) {
  const place = yield* makePlace()
  for (const [path, content] of Object.entries(files)) place.write(path, content)
  const complaint = yield* complaintOf(place, "apply_patch", input)
  assert.deepStrictEqual(contents(place), files)
  assert.sameMembers(
    place.names().filter((name) => name.includes(".haft")),
    []
  )
  return complaint
})

describe("a patch", () => {
  it.effect("adds, updates, deletes and moves, and says so", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("src/a.ts", "one\ntwo\nthree\n")
      place.write("old.txt", "gone\n")
      place.write("from.sh", "echo 1\n")
      Fs.chmodSync(place.at("from.sh"), 0o755)
      const text = yield* textOf(
        place,
        "apply_patch",
        patch(
          "*** Add File: new/b.ts",
          "+first",
          "+",
          "+third",
          "*** Update File: src/a.ts",
          "@@",
          " one",
          "-two",
          "+2",
          "*** Delete File: old.txt",
          "*** Update File: from.sh",
          "*** Move to: bin/to.sh",
          "@@",
          "-echo 1",
          "+echo 2"
        )
      )
      assert.strictEqual(
        text,
        [
          "Changed 4 files.",
          "- added new/b.ts",
          "- updated src/a.ts",
          "- deleted old.txt",
          "- moved from.sh to bin/to.sh"
        ].join("\n")
      )
      assert.deepStrictEqual(contents(place), {
        "bin/to.sh": "echo 2\n",
        "new/b.ts": "first\n\nthird\n",
        "src/a.ts": "one\n2\nthree\n"
      })
      assert.strictEqual(Fs.statSync(place.at("bin/to.sh")).mode & 0o777, 0o755)
    })
  )

  it.effect("may only move a file, even one that is not text", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a.bin", Buffer.from([0, 255, 1]))
      yield* textOf(place, "apply_patch", patch("*** Update File: a.bin", "*** Move to: b.bin"))
      assert.deepStrictEqual(place.names(), ["b.bin"])
      assert.deepStrictEqual(Fs.readFileSync(place.at("b.bin")), Buffer.from([0, 255, 1]))
    })
  )

  it.effect("finds hunks one after the other, after a heading, and at the end of the file", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* updated("a\nx\nb\nx\n", "@@ b", "-x", "+y"), "a\nx\nb\ny\n")
      assert.strictEqual(yield* updated("x\na\nx\n", "@@", "-x", "+y", "*** End of File"), "x\na\ny\n")
      assert.strictEqual(yield* updated("a\nb\nc\nd\n", "@@", " a", "-b", "+B", "@@", "-d", "+D"), "a\nB\nc\nD\n")
      assert.strictEqual(yield* updated("a\nb\n", "@@ a", "+between"), "a\nbetween\nb\n")
      assert.strictEqual(yield* updated("a\n", "@@", "+last"), "a\nlast\n")
    })
  )

  it.effect("keeps the bytes of lines that it does not touch", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* updated("a\r\nb\r\nc", "@@", " a", "-b", "+B", "+B2"), "a\r\nB\r\nB2\r\nc")
      assert.strictEqual(yield* updated("\uFEFFa\nb", "@@", "-b", "+B"), "\uFEFFa\nB")
      assert.strictEqual(yield* updated("a  \nb\n", "@@", " a", "-b", "+B"), "a  \nB\n")
      assert.strictEqual(yield* updated("a\r\nb\nc\n", "@@", " b", "+new", " c"), "a\r\nb\nnew\nc\n")
      assert.strictEqual(yield* updated("a", "@@", " a", "+b"), "a\nb")
    })
  )

  it.effect("says what it overlooked to find its lines", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "it’s  \nok\n")
      const text = yield* textOf(place, "apply_patch", patch("*** Update File: a", "@@", " it's", "-ok", "+fine"))
      assert.strictEqual(text, "Changed 1 file.\n- updated a, matched apart from typographic quotes, dashes or spaces")
      assert.strictEqual(place.read("a"), "it’s  \nfine\n")
    })
  )

  it.effect("says what it changed, in the call's record too", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "1\n")
      const { effect } = yield* observe(
        place,
        "apply_patch",
        patch("*** Update File: a", "*** Move to: b", "*** Add File: c", "+x")
      )
      assert.deepStrictEqual(effect, {
        _tag: "Committed",
        mutations: [
          { kind: "file.created", target: "b", bytes: 2 },
          { kind: "file.removed", target: "a" },
          { kind: "file.created", target: "c", bytes: 2 }
        ]
      })
    })
  )

  it.effect("asks once, for all of its files", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "1\n")
      yield* textOf(place, "apply_patch", patch("*** Update File: a", "*** Move to: b", "*** Add File: c", "+x"))
      const asked = yield* Ref.get(place.asked)
      assert.deepStrictEqual(
        asked.map(({ action, resources }) => [action, ...resources]),
        [["edit", "a", "b", "c"]]
      )
      assert.strictEqual(asked[0]?.target?.split("\n").length, 3)
    })
  )
})

describe("a patch of which one part is impossible changes nothing", () => {
  const add = ["*** Add File: ok.txt", "+x"]

  it.effect.each([
    ["a missing file", ["*** Update File: none", "@@", "-a", "+b"], "NotFound: There is no none."],
    ["a missing file to delete", ["*** Delete File: none"], "NotFound: There is no none."],
    ["a file that is there already", ["*** Add File: a", "+x"], "Precondition: a is a file."],
    ["a place that is taken", ["*** Update File: a", "*** Move to: b"], "Precondition: b is a file."],
    [
      "old lines that are not there",
      ["*** Update File: a", "@@", "-two", "+2"],
      "NotFound: The old lines of the hunk at line 5 of the patch are not in a after the hunk above. Nothing was changed."
    ],
    [
      "old lines that are there twice",
      ["*** Update File: b", "@@", "-x", "+y"],
      "Precondition: The old lines of the hunk at line 5 of the patch are in b 2 times, at lines 1, 2. Nothing was changed."
    ],
    [
      "a heading that is not there",
      ["*** Update File: a", "@@ class X", "-one", "+1"],
      'NotFound: The heading "class X" (line 5 of the patch) is not in a, or only before the hunk above. Nothing was changed.'
    ],
    [
      "one file twice",
      ["*** Add File: ./ok.txt", "+y"],
      "InvalidArguments: The patch names ./ok.txt twice. Nothing was changed."
    ],
    [
      "a path that leads out",
      ["*** Add File: ../out", "+y"],
      "Denied: ../out leads out of the directory that this tool may use."
    ],
    [
      "a move that leads out",
      ["*** Update File: a", "*** Move to: ../out"],
      "Denied: ../out leads out of the directory that this tool may use."
    ]
  ] as const)("%s", ([, lines, expected]) =>
    Effect.gen(function* () {
      const complaint = yield* refused({ a: "one\n", b: "x\nx\n" }, patch(...add, ...lines))
      assert.strictEqual(complaint.split("\n")[0], expected)
    })
  )

  it.effect("and one that is refused does not say which part would have been possible", () =>
    Effect.gen(function* () {
      const place = yield* makePlace({ answer: denyAll })
      place.write("a", "one\n")
      const answers = yield* Effect.forEach(["a", "none"], (path) =>
        complaintOf(place, "apply_patch", patch(`*** Delete File: ${path}`))
      )
      assert.deepStrictEqual(answers, Array(2).fill("Denied: The rules do not allow this."))
      assert.strictEqual(place.read("a"), "one\n")
    })
  )
})

describe("a text that is no patch", () => {
  it.effect.each([
    ["", 1, "a patch begins with *** Begin Patch"],
    ["--- a\n+++ b\n@@ -1,999999999 +1,999999999 @@\n a\n", 1, "a patch begins with *** Begin Patch"],
    ["*** Begin Patch\n*** Add File: a\n+x\n", 4, "this line is neither"],
    ["*** Begin Patch\n*** Add File: a\n+x", 3, "the patch does not end with *** End Patch"],
    ["*** Begin Patch\n*** End Patch", 2, "the patch has no files"],
    ["*** Begin Patch\nnonsense\n*** End Patch", 2, "this line is neither"],
    ["*** Begin Patch\n*** Update File: a\n*** End Patch", 2, "this file or hunk changes nothing"],
    ["*** Begin Patch\n*** Update File: a\n@@\n same\n*** End Patch", 3, "this file or hunk changes nothing"],
    ["*** Begin Patch\n*** Update File: a\n@@\nnot prefixed\n*** End Patch", 4, "this line is neither"]
  ] as const)("says in which line it stops making sense: %#", ([text, line, reason]) =>
    Effect.gen(function* () {
      const complaint = yield* refused({ a: "one\n" }, { patch: text })
      assert.include(complaint, `InvalidArguments: The patch cannot be read at its line ${line}: ${reason}`)
      assert.include(complaint, "This is how a patch looks:\n*** Begin Patch\n")
    })
  )

  it.effect("because it has too many files is refused", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 65 }, (_, index) => `*** Delete File: ${index}`)
      assert.include(yield* refused({}, patch(...lines)), "a patch has 64 files at most")
    })
  )
})
