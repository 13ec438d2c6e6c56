import { assert, describe, it } from "@effect/vitest"
import { LocationFiles } from "@haft/builtins"
import { Context, Effect, Ref } from "effect"
import * as Fs from "node:fs"
import { complaintOf, failureOf, observe, textOf, valueOf } from "./support/calls.ts"
import { allowInside, denyAll, makePlace } from "./support/place.ts"

/** The smallest image there is. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64"
)

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n")

describe("reading a text file", () => {
  it.effect("shows numbered lines and where the file ends", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("notes/today.md", "# Today\n\n- read\n")
      assert.strictEqual(
        yield* textOf(place, "read", { path: "notes/today.md" }),
        ["1\t# Today", "2\t", "3\t- read", "[End of notes/today.md, 3 lines.]"].join("\n")
      )
      assert.deepStrictEqual(yield* valueOf(place, "read", { path: "notes/today.md" }), {
        kind: "file",
        path: "notes/today.md",
        text: "# Today\n\n- read",
        startLine: 1,
        totalLines: 3,
        cutLines: [],
        hasInvalidBytes: false
      })
    })
  )

  it.effect("goes on where the last page said", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", `${numbered(5)}\n`)
      assert.strictEqual(
        yield* textOf(place, "read", { path: "a", limit: 2 }),
        ["1\tline 1", "2\tline 2", "[a goes on. To read on, give offset 3.]"].join("\n")
      )
      assert.strictEqual(
        yield* textOf(place, "read", { path: "a", offset: 3, limit: 2 }),
        ["3\tline 3", "4\tline 4", "[a goes on. To read on, give offset 5.]"].join("\n")
      )
      assert.strictEqual(
        yield* textOf(place, "read", { path: "a", offset: 5, limit: 2 }),
        ["5\tline 5", "[End of a, 5 lines.]"].join("\n")
      )
    })
  )

  it.effect("gives every line of a large file once, in pages that are small enough to be shown whole", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const lines = Array.from({ length: 9000 }, (_, index) => `${index} ${'é"\\'.repeat(index % 40)}`)
      place.write("a", lines.join("\n"))
      const seen: Array<string> = []
      for (let offset: number | undefined = 1; offset !== undefined;) {
        const text: string = yield* textOf(place, "read", { path: "a", offset })
        const value = yield* valueOf(place, "read", { path: "a", offset })
        const page = value as { readonly text: string; readonly nextOffset?: number }
        assert.isAtMost(Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(value)), 50 * 1024)
        assert.isAtMost(text.split("\n").length + 1, 2000)
        seen.push(...page.text.split("\n"))
        offset = page.nextOffset
      }
      assert.deepStrictEqual(seen, lines)
    })
  )

  it.effect("counts what a path costs, so that a page below a long one is not cut either", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const deep = Array.from({ length: 14 }, (_, index) => `${index}`.padEnd(60, "\u200b")).join("/")
      place.write(`${deep}/a`, "x".repeat(20).concat("\n").repeat(9000))
      for (let index = 0; index < 300; index++) place.write(`many/${"\u200b".repeat(80)}${index}`, "")
      for (const path of [`${deep}/a`, deep, "many"]) {
        const text = yield* textOf(place, "read", { path })
        const value = yield* valueOf(place, "read", { path })
        assert.isAtMost(Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(value)), 50 * 1024)
      }
    })
  )

  it.effect("shows an empty file as such", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("empty", "")
      assert.strictEqual(yield* textOf(place, "read", { path: "empty" }), "[empty is empty.]")
    })
  )

  it.effect("says how many lines there are when there is nothing at the offset", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "1\n2\n")
      assert.strictEqual(
        yield* complaintOf(place, "read", { path: "a", offset: 3 }),
        "InvalidArguments: a has 2 lines.\nGive an offset from 1 to 2."
      )
    })
  )

  it.effect("cuts long lines between characters and says which", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", `${"x".repeat(1999)}😀tail\nshort\n${"y".repeat(100_000)}`)
      const text = yield* textOf(place, "read", { path: "a" })
      assert.isTrue(text.isWellFormed())
      assert.deepStrictEqual(text.split("\n"), [
        `1\t${"x".repeat(1999)}`,
        "2\tshort",
        `3\t${"y".repeat(2000)}`,
        "[Only the first 2000 characters are shown of lines 1, 3.]",
        "[End of a, 3 lines.]"
      ])
    })
  )

  it.effect("does not show what ends a line, nor a byte order mark", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "\uFEFFone\r\ntwo\r\n")
      assert.strictEqual(yield* textOf(place, "read", { path: "a" }), "1\tone\n2\ttwo\n[End of a, 2 lines.]")
    })
  )

  it.effect("shows bytes that are not UTF-8 as replacements, and says so", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("latin1.txt", Buffer.from("caf\xe9\nok\n", "latin1"))
      assert.strictEqual(
        yield* textOf(place, "read", { path: "latin1.txt" }),
        [
          "1\tcaf\uFFFD",
          "2\tok",
          "[Bytes that are not UTF-8 are shown as \uFFFD; edit refuses this file.]",
          "[End of latin1.txt, 2 lines.]"
        ].join("\n")
      )
    })
  )

  it.effect("reads no more of a huge file than it shows", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("huge", `${numbered(200_000)}\n`)
      let bytes = 0
      const counting = countReads(place.files, (read) => {
        bytes += read
      })
      const counted = { ...place, context: Context.add(place.context, LocationFiles.Service, counting) }
      const text = yield* textOf(counted, "read", { path: "huge", limit: 100 })
      assert.isTrue(text.endsWith("[huge goes on. To read on, give offset 101.]"))
      assert.strictEqual(bytes, 256 * 1024)
    })
  )

  it.effect("stops inside a line that has no end", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", Buffer.alloc(40 * 1024 * 1024, "x"))
      assert.strictEqual(
        yield* textOf(place, "read", { path: "a" }),
        [
          `1\t${"x".repeat(2000)}`,
          "[Only the first 2000 characters are shown of line 1.]",
          "[a goes on. To read on, give offset 2.]"
        ].join("\n")
      )
    })
  )

  it.effect("that grows meanwhile gives what was there", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "first\n")
      const growing = countReads(place.files, () => Fs.appendFileSync(place.at("a"), "more\n"))
      const grown = { ...place, context: Context.add(place.context, LocationFiles.Service, growing) }
      const text = yield* textOf(grown, "read", { path: "a", limit: 50 })
      assert.isTrue(text.endsWith("[a goes on. To read on, give offset 51.]"))
    })
  )
})

/** Tells how many bytes each read gave. */
const countReads = (files: LocationFiles.Interface, onRead: (bytes: number) => void): LocationFiles.Interface => ({
  ...files,
  open: (target) =>
    Effect.map(files.open(target), (opened) => {
      if (opened._tag === "Directory") return opened
      const read: LocationFiles.OpenFile["read"] = (position, length) =>
        Effect.tap(opened.read(position, length), (bytes) => Effect.sync(() => onRead(bytes.length)))
      return { ...opened, read }
    })
})

describe("reading something else", () => {
  it.effect("lists a directory as paths for the next call", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("src/a.ts", "")
      place.write("src/lib/b.ts", "")
      place.write("src/new\nline", "")
      Fs.symlinkSync("a.ts", place.at("src/link"))
      assert.strictEqual(
        yield* textOf(place, "read", { path: "src" }),
        ["[src: 4 entries]", "src/a.ts", "src/lib/", "src/link (link)", '"src/new\\nline"'].join("\n")
      )
      assert.deepStrictEqual(yield* valueOf(place, "read", { path: "src", limit: 2 }), {
        kind: "listing",
        path: "src",
        entries: [
          { name: "a.ts", path: "src/a.ts", type: "file" },
          { name: "lib", path: "src/lib", type: "directory" }
        ],
        entryCount: 4,
        nextOffset: 3
      })
      assert.strictEqual(yield* textOf(place, "read", { path: "." }), "[.: 1 entry]\nsrc/")
    })
  )

  it.effect("lists a directory with many names in pages that together have each name once", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const names = Array.from({ length: 3000 }, (_, index) => `file-${String(index).padStart(5, "0")}`)
      for (const name of names) place.write(name, "")
      const seen: Array<string> = []
      for (let offset: number | undefined = 1; offset !== undefined;) {
        const text: string = yield* textOf(place, "read", { path: ".", offset })
        const value = yield* valueOf(place, "read", { path: ".", offset })
        const page = value as {
          readonly entries: ReadonlyArray<{ readonly path: string }>
          readonly nextOffset?: number
        }
        assert.isAtMost(Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(value)), 50 * 1024)
        seen.push(...page.entries.map(({ path }) => path))
        offset = page.nextOffset
      }
      assert.deepStrictEqual(seen, names)
    })
  )

  it.effect("shows an image as media, told by its bytes and not by its name", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("picture.txt", png)
      assert.strictEqual(
        yield* textOf(place, "read", { path: "picture.txt" }),
        `[picture.txt: image/png, ${png.length} bytes]\n<image/png, ${png.length} bytes>`
      )
    })
  )

  it.effect.each([
    ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 0xff, 0xd9])],
    ["image/gif", Buffer.from("GIF89a\x01\0\x01\0\0\0\0,\0;", "latin1")],
    ["image/webp", Buffer.from("RIFF\x08\0\0\0WEBPVP8 ", "latin1")],
    ["application/pdf", Buffer.from("%PDF-1.7\n%%EOF\n")]
  ] as const)("knows %s", ([type, bytes]) =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("file", bytes)
      assert.include(yield* textOf(place, "read", { path: "file" }), `<${type}, ${bytes.length} bytes>`)
    })
  )

  it.effect("refuses half an image and one that is too large", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("half.png", png.subarray(0, 40))
      place.write("large.png", Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]))
      assert.strictEqual(
        yield* complaintOf(place, "read", { path: "half.png" }),
        "DataInvalid: half.png begins like image/png, but it is not complete.\nCheck with a command what is in it."
      )
      assert.strictEqual(
        yield* complaintOf(place, "read", { path: "large.png" }),
        `DataInvalid: large.png is image/png of ${png.length + 5 * 1024 * 1024} bytes; up to 5242880 can be shown.\n` +
          "Make a smaller version of it with a command, or extract the part you need."
      )
    })
  )

  it.effect("refuses binary files and UTF-16 with a way out", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]))
      place.write("utf16.txt", Buffer.from("//5oAGkA", "base64"))
      assert.strictEqual(
        yield* complaintOf(place, "read", { path: "program" }),
        "DataInvalid: program is a binary file, which cannot be shown as text.\n" +
          "Use a command that understands its format."
      )
      assert.strictEqual(
        yield* complaintOf(place, "read", { path: "utf16.txt" }),
        "DataInvalid: utf16.txt is text in UTF-16, and this tool reads UTF-8.\nConvert it to UTF-8 with a command first."
      )
    })
  )

  it.effect("shows names with characters that cannot be seen as JSON, which the next call can use", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a\u202eb\u200b", "")
      place.write("Größe 😀.txt", "")
      assert.strictEqual(
        yield* textOf(place, "read", { path: "." }),
        ["[.: 2 entries]", "Größe 😀.txt", String.raw`"a\u202eb\u200b"`].join("\n")
      )
    })
  )

  it.effect("suggests a name that was meant", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("src/index.ts", "")
      const failure = yield* failureOf(place, "read", { path: "src/index.js" })
      assert.strictEqual(failure.message, "There is no src/index.js.")
      assert.strictEqual(failure.hint, "Did you mean src/index.ts?")
      assert.deepStrictEqual(failure.reason, {
        _tag: "NotFound",
        resource: "src/index.js",
        candidates: ["src/index.ts"]
      })
      assert.strictEqual(
        yield* complaintOf(place, "read", { path: "nothing" }),
        "NotFound: There is no nothing.\nRead the directory above it to see what is there."
      )
    })
  )
})

describe("the permission to read", () => {
  it.effect("is asked for the resolved path, after the one for a directory outside", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a/b", "")
      Fs.symlinkSync("a/b", place.at("link"))
      Fs.writeFileSync(`${place.above}/outside`, "x")
      yield* textOf(place, "read", { path: "link" })
      yield* textOf(place, "read", { path: `${place.above}/outside` })
      const asked = yield* Ref.get(place.asked)
      assert.deepStrictEqual(
        asked.map(({ action, resources, save }) => ({ action, resources, save })),
        [
          { action: "read", resources: ["a/b"], save: ["*"] },
          { action: "external_directory", resources: [place.above], save: [place.above] },
          { action: "read", resources: [`${place.above}/outside`], save: ["*"] }
        ]
      )
      assert.deepStrictEqual(asked[0]?.metadata, { root: place.root, confinement: "strict" })
    })
  )

  it.effect("if refused tells nothing about what is there", () =>
    Effect.gen(function* () {
      const place = yield* makePlace({ answer: denyAll })
      place.write("file", "secret")
      place.write("dir/x", "secret")
      const answers = yield* Effect.forEach(["file", "dir", "none", "file/none", "dir/x"], (path) =>
        complaintOf(place, "read", { path })
      )
      assert.deepStrictEqual([...new Set(answers)], ["Denied: The rules do not allow this."])
    })
  )

  it.effect("for a directory outside, if refused, is the end of it", () =>
    Effect.gen(function* () {
      const place = yield* makePlace({ answer: allowInside })
      Fs.writeFileSync(`${place.above}/outside`, "secret")
      const paths = [
        `${place.above}/outside`,
        `${place.above}/missing`,
        "/etc/passwd",
        "/",
        "/proc/self/mem",
        "/dev/stdin"
      ]
      const answers = yield* Effect.forEach(paths, (path) => complaintOf(place, "read", { path }))
      assert.deepStrictEqual([...new Set(answers)], ["Denied: The rules do not allow this."])
    })
  )

  it.effect("is of no use on the way out", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      assert.strictEqual(
        yield* complaintOf(place, "read", { path: "../outside" }),
        "Denied: ../outside leads out of the directory that this tool may use.\n" +
          "Use a path inside the project, or an absolute path to ask for a directory outside of it."
      )
    })
  )
})

it.effect("reading signals no effect", () =>
  Effect.gen(function* () {
    const place = yield* makePlace()
    place.write("a", "x")
    const { effect } = yield* observe(place, "read", { path: "a" })
    assert.deepStrictEqual(effect, { _tag: "None" })
  })
)
