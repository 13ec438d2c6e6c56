import { assert, describe, it } from "@effect/vitest"
import { LocationFiles } from "@haft/builtins"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as Fs from "node:fs"
import * as Net from "node:net"
import { execFileSync } from "node:child_process"
import { assertSameError } from "./support/errors.ts"
import { makePlace, openDescriptors, type Place } from "./support/place.ts"

/** Resolves a path that stays inside. */
const target = Effect.fnUntraced(function* ({ files }: Place, path: string) {
  const located = yield* files.resolve(path)
  return located._tag === "Target" ? located : yield* Effect.die(new Error(`${path} is outside`))
})

const content = Effect.fnUntraced(function* (place: Place, path: string) {
  const opened = yield* place.files.open(yield* target(place, path))
  if (opened._tag === "Directory") return (yield* opened.entries).map(({ name }) => name).join()
  return Buffer.from(yield* opened.read(0, 1024)).toString()
}, Effect.scoped)

/** The tag of the error, or what was read. */
const outcome = (place: Place, path: string) =>
  Effect.map(Effect.result(content(place, path)), (result) =>
    result._tag === "Success" ? `read ${result.success}` : result.failure._tag.replace("LocationFiles.", "")
  )

/** Replaces a file by this text, whatever is in it. */
const replace = (place: Place, where: LocationFiles.Target, text: string, since: LocationFiles.Since = "Nothing") =>
  place.files.change([where], since, () =>
    Effect.succeed({ changes: [LocationFiles.put(where, Buffer.from(text))], result: text })
  )

describe("a Location that can be reached by a link", () => {
  it.effect("is meant by the path that the host gave, without a question", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("sub/a", "")
      const link = `${place.above}/link`
      Fs.symlinkSync(place.root, link)
      const files = Context.get(yield* Layer.build(LocationFiles.layer({ root: link })), LocationFiles.Service)
      assert.deepInclude(yield* files.resolve(`${link}/sub/a`), { _tag: "Target", resource: "sub/a" })
      assert.deepInclude(yield* files.resolve(`${link}-other/a`), { _tag: "External", directory: `${link}-other` })
    })
  )

  it.effect("is not meant by an absolute path that only looks like a relative one of the host", () =>
    Effect.gen(function* () {
      const layer = LocationFiles.layer({ root: "." })
      const files = Context.get(yield* Layer.build(layer), LocationFiles.Service)
      assert.deepInclude(yield* files.resolve("/etc/hosts"), { _tag: "External", directory: "/etc" })
    })
  )

  it.effect("is the Location also by another way, so that what is denied there is denied", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("sub/a", "")
      const link = `${place.above}/link`
      Fs.symlinkSync("project/sub", link)
      const external = yield* place.files.resolve(`${link}/a`)
      assert(external._tag === "External")
      assert.deepInclude(yield* place.files.enter(external), { _tag: "Target", resource: "sub/a", external: undefined })
    })
  )
})

describe("a path from a call", () => {
  it.effect.each([
    "a/b.txt",
    "./a/b.txt",
    "a/./b.txt",
    "a//b.txt",
    "a/../a/b.txt",
    "..hidden/f",
    "file..name",
    "-rf",
    "100%.txt",
    "new\nline.txt",
    " space ",
    "a\\b",
    "~",
    "$HOME",
    "%2e%2e",
    "'quoted'"
  ])("is used exactly as it is written: %j", (path) =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write(path, "inside")
      assert.strictEqual(yield* outcome(place, path), "read inside")
    })
  )

  it.effect("may be absolute if it lies under the root, component by component", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a.txt", "inside")
      Fs.mkdirSync(`${place.root}-evil`)
      Fs.writeFileSync(`${place.root}-evil/a.txt`, "outside")
      assert.strictEqual(yield* outcome(place, `${place.root}/a.txt`), "read inside")
      assert.strictEqual((yield* place.files.resolve(`${place.root}-evil/a.txt`))._tag, "External")
      assert.strictEqual((yield* place.files.resolve(`${place.root} /a.txt`))._tag, "External")
    })
  )

  it.effect.each(["../x", "a/../../x", "a/b/../../../x", "./././../x", "a//..//..//x", "nothing/../../x", ".."])(
    "that leads out is refused, whether something is there or not: %s",
    (path) =>
      Effect.gen(function* () {
        const place = yield* makePlace()
        place.write("a/b/c", "")
        const missing = yield* Effect.flip(place.files.resolve(path))
        Fs.writeFileSync(`${place.above}/x`, "outside")
        const existing = yield* Effect.flip(place.files.resolve(path))
        assertSameError(existing, missing)
        assertSameError(existing, new LocationFiles.OutsideError({ path, by: "Parent" }))
      })
  )

  it.effect.each([
    ["", "Empty"],
    ["a\0b", "Nul"],
    ["a\ud800", "IllFormed"],
    [`${"x/".repeat(2049)}`, "TooLong"],
    ["x".repeat(256), "ComponentTooLong"],
    ["é".repeat(128), "ComponentTooLong"],
    [`${"x/".repeat(64)}x`, "TooManyComponents"]
  ] as const)("that no file could have is refused before anything is looked up: %#", ([path, reason]) =>
    Effect.gen(function* () {
      const { files } = yield* makePlace()
      assertSameError(yield* Effect.flip(files.resolve(path)), new LocationFiles.InvalidPathError({ reason }))
    })
  )

  it.effect("may use a name of 255 bytes and 64 components", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("x".repeat(255), "long")
      const deep = `${"x/".repeat(63)}y`
      place.write(deep, "deep")
      assert.strictEqual(yield* outcome(place, "x".repeat(255)), "read long")
      assert.strictEqual(yield* outcome(place, deep), "read deep")
    })
  )
})

describe("a link", () => {
  it.effect("inside the root is followed, relative or absolute, and asked for by what it leads to", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a/b.txt", "inside")
      Fs.symlinkSync("a/b.txt", place.at("relative"))
      Fs.symlinkSync(place.at("a"), place.at("absolute"))
      Fs.symlinkSync("../relative", place.at("a/chain"))
      for (const path of ["relative", "absolute/b.txt", "a/chain", "absolute/chain"]) {
        assert.strictEqual(yield* outcome(place, path), "read inside")
        assert.strictEqual((yield* target(place, path)).resource, "a/b.txt")
      }
    })
  )

  it.effect.each(["../secret", "ABOVE/secret", "/etc/passwd", "a/../../secret", "/proc/self/environ"])(
    "to %s is refused as leaf, parent and chain, and whether something is there or not",
    (destination) =>
      Effect.gen(function* () {
        const place = yield* makePlace()
        place.write("a/file", "")
        const to = destination.replace("ABOVE", place.above)
        Fs.symlinkSync(to, place.at("link"))
        Fs.symlinkSync("link", place.at("chain"))
        const missing = yield* Effect.forEach(["link", "link/x", "chain"], (path) => outcome(place, path))
        Fs.writeFileSync(`${place.above}/secret`, "outside")
        const existing = yield* Effect.forEach(["link", "link/x", "chain"], (path) => outcome(place, path))
        assert.deepStrictEqual(existing, ["OutsideError", "OutsideError", "OutsideError"])
        assert.deepStrictEqual(missing, existing)
      })
  )

  it.effect("that dangles outside is refused for writing, and what it leads to does not appear", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      Fs.symlinkSync("../created", place.at("dangling"))
      assertSameError(
        yield* Effect.flip(place.files.resolve("dangling")),
        new LocationFiles.OutsideError({ path: "dangling", by: "Link" })
      )
      assert.isFalse(Fs.existsSync(`${place.above}/created`))
    })
  )

  it.effect("that dangles inside is written where it leads", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      Fs.symlinkSync("a/new", place.at("dangling"))
      const where = yield* target(place, "dangling")
      yield* replace(place, where, "new")
      assert.strictEqual(where.resource, "a/new")
      assert.strictEqual(place.read("a/new"), "new")
      assert.strictEqual(Fs.readlinkSync(place.at("dangling")), "a/new")
    })
  )

  it.effect("that leads to itself is a loop", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      Fs.symlinkSync("loop", place.at("loop"))
      Fs.symlinkSync("b", place.at("a"))
      Fs.symlinkSync("a", place.at("b"))
      assertSameError(yield* Effect.flip(place.files.resolve("loop")), new LocationFiles.LoopError({ path: "loop" }))
      assert.strictEqual(yield* outcome(place, "a/x"), "LoopError")
    })
  )

  it.effect("that takes the place of a directory after it was resolved is not followed", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a/s.txt", "inside")
      Fs.mkdirSync(`${place.above}/out`)
      Fs.writeFileSync(`${place.above}/out/s.txt`, "outside")
      const where = yield* target(place, "a/s.txt")
      Fs.renameSync(place.at("a"), place.at("b"))
      Fs.symlinkSync("../out", place.at("a"))
      const opened = yield* Effect.flip(Effect.scoped(place.files.open(where)))
      const written = yield* Effect.flip(replace(place, where, "x", "OwnChanges"))
      assert.deepStrictEqual([opened._tag, written._tag], ["LocationFiles.ChangedError", "LocationFiles.ChangedError"])
      assert.strictEqual(Fs.readFileSync(`${place.above}/out/s.txt`, "utf8"), "outside")
    })
  )
})

describe("what is no regular file", () => {
  it.effect("is refused without being opened, and its neighbour is read", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("file", "ok")
      execFileSync("mkfifo", [place.at("pipe")])
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => Net.createServer().listen(place.at("socket"))),
        (server) => Effect.sync(() => server.close())
      )
      yield* Effect.callback<void>((resume) => void server.once("listening", () => resume(Effect.void)))
      const kinds = yield* Effect.forEach(["pipe", "socket"], (path) =>
        Effect.flip(content(place, path)).pipe(
          Effect.map((error) => (error._tag === "LocationFiles.WrongKindError" ? error.found : error._tag))
        )
      )
      assert.deepStrictEqual(kinds, ["Pipe", "Socket"])
      assert.strictEqual(yield* outcome(place, "file"), "read ok")
    })
  )

  it.effect("is not replaced by a write", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      execFileSync("mkfifo", [place.at("pipe")])
      const error = yield* Effect.flip(replace(place, yield* target(place, "pipe"), "x"))
      assert.strictEqual(error._tag, "LocationFiles.WrongKindError")
      assert.isTrue(Fs.lstatSync(place.at("pipe")).isFIFO())
    })
  )

  it.effect("in a file system of the kernel is refused although it calls itself a file", () =>
    Effect.gen(function* () {
      const { files } = yield* makePlace()
      const located = yield* files.resolve("/proc/self/environ")
      assert.strictEqual(located._tag, "External")
      if (located._tag !== "External") return
      assert.strictEqual((yield* Effect.flip(files.enter(located)))._tag, "LocationFiles.WrongKindError")
    })
  )

  it.effect("and has a second name is refused where the host wants that", () =>
    Effect.gen(function* () {
      const [open, closed] = [yield* makePlace(), yield* makePlace({ refuseHardLinks: true })]
      for (const place of [open, closed]) {
        Fs.writeFileSync(`${place.above}/other`, "shared")
        Fs.linkSync(`${place.above}/other`, place.at("linked"))
      }
      assert.strictEqual(yield* outcome(open, "linked"), "read shared")
      assert.strictEqual(yield* outcome(closed, "linked"), "WrongKindError")
      yield* replace(open, yield* target(open, "linked"), "own")
      assert.strictEqual(Fs.readFileSync(`${open.above}/other`, "utf8"), "shared")
    })
  )
})

describe("what is not there", () => {
  it.effect("is told with names that were meant", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("src/index.ts", "")
      place.write("src/other.ts", "")
      assertSameError(
        yield* Effect.flip(content(place, "src/indx.ts")),
        new LocationFiles.NotFoundError({ path: "src/indx.ts", nearest: ["src/index.ts"], isNameUnreadable: false })
      )
      assertSameError(
        yield* Effect.flip(content(place, "scr/index.ts")),
        new LocationFiles.NotFoundError({ path: "scr/index.ts", nearest: [], isNameUnreadable: false })
      )
      assertSameError(
        yield* Effect.flip(content(place, "SRC/index.ts")),
        new LocationFiles.NotFoundError({ path: "SRC/index.ts", nearest: ["src"], isNameUnreadable: false })
      )
    })
  )

  it.effect("because its name is not UTF-8 is told as such", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      Fs.writeFileSync(Buffer.concat([Buffer.from(place.at("caf")), Buffer.from([0xe9])]), "")
      assert.strictEqual(yield* content(place, "."), "caf\\xe9")
      assertSameError(
        yield* Effect.flip(content(place, "caf\\xe9")),
        new LocationFiles.NotFoundError({ path: "caf\\xe9", nearest: [], isNameUnreadable: true })
      )
    })
  )

  it.effect("below a file is told as a wrong kind", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("file", "")
      assert.strictEqual(yield* outcome(place, "file/child"), "WrongKindError")
      const error = yield* Effect.flip(replace(place, yield* target(place, "file/child"), ""))
      assert.strictEqual(error._tag, "LocationFiles.WrongKindError")
    })
  )
})

describe("a place that the host protects", () => {
  it.effect("is refused in every spelling, existing or not, and through a link", () =>
    Effect.gen(function* () {
      const place = yield* makePlace({ protect: [".haft/store", "/nowhere/journal"] })
      place.write(".haft/other", "open")
      const missing = yield* outcome(place, ".haft/store/x")
      place.write(".haft/store/x", "closed")
      Fs.symlinkSync(".haft/store", place.at("link"))
      assert.strictEqual(missing, "ProtectedError")
      for (const path of [".haft/store", ".haft/store/x", ".HAFT/Store/x", "link/x", ".haft/other/../store/x"]) {
        assert.strictEqual(yield* outcome(place, path), "ProtectedError", path)
      }
      assert.strictEqual(yield* outcome(place, ".haft/other"), "read open")
      assert.strictEqual(yield* outcome(place, ".haft/storehouse"), "NotFoundError")
    })
  )
})

describe("a root", () => {
  it.effect("that is renamed or replaced is still the directory that it was", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "first")
      Fs.renameSync(place.root, `${place.above}/renamed`)
      Fs.mkdirSync(place.root)
      place.write("a", "second")
      assert.strictEqual(yield* outcome(place, "a"), "read first")
    })
  )

  it.effect.each(["file", "missing"])("has to be a directory: %s", (name) =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("file", "")
      const root = place.at(name)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(LocationFiles.layer({ root }))))
      assertSameError(error, new LocationFiles.RootError({ root, reason: "NotDirectory" }))
    })
  )

  it.effect("says how well it is confined, and refuses to be less than demanded", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const without = { root: place.root, descriptors: "/no/such/directory" }
      const weak = yield* makePlace({ descriptors: without.descriptors })
      assert.strictEqual(place.files.confinement, "strict")
      assert.strictEqual(weak.files.confinement, "best-effort")
      const demanded = Layer.build(LocationFiles.layer({ ...without, confinement: "strict" }))
      assertSameError(
        yield* Effect.flip(Effect.scoped(demanded)),
        new LocationFiles.RootError({ root: place.root, reason: "NotConfined" })
      )
    })
  )
})

describe("without descriptors to hold on to", () => {
  const makeWeak = makePlace({ descriptors: "/no/such/directory" })

  it.effect("files are read and written, and no link is followed", () =>
    Effect.gen(function* () {
      const place = yield* makeWeak
      place.write("a/b", "inside")
      Fs.symlinkSync("a", place.at("link"))
      yield* replace(place, yield* target(place, "new/c"), "written")
      assert.strictEqual(yield* outcome(place, "a/b"), "read inside")
      assert.strictEqual(place.read("new/c"), "written")
      assert.strictEqual(yield* outcome(place, "link/b"), "OutsideError")
      assert.strictEqual(yield* outcome(place, "../x"), "OutsideError")
    })
  )

  it.effect("a file that is exchanged between the walk and the opening is not read", () =>
    Effect.gen(function* () {
      const place = yield* makeWeak
      place.write("a", "inside")
      const where = yield* target(place, "a")
      Fs.rmSync(place.at("a"))
      Fs.symlinkSync("/etc/passwd", place.at("a"))
      const error = yield* Effect.flip(Effect.scoped(place.files.open(where)))
      assert.strictEqual(error._tag, "LocationFiles.OutsideError")
    })
  )
})

describe("a directory outside", () => {
  it.effect("is named before anything in it is looked at, and then read like the root", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      Fs.mkdirSync(`${place.above}/out`)
      Fs.writeFileSync(`${place.above}/out/a`, "outside")
      Fs.symlinkSync("/etc/passwd", `${place.above}/out/link`)
      const path = `${place.above}/out/a`
      const located = yield* place.files.resolve(path)
      assert.deepStrictEqual(located, { _tag: "External", path, directory: `${place.above}/out`, names: ["a"] })
      if (located._tag !== "External") return
      const entered = yield* place.files.enter(located)
      assert(entered._tag === "Target")
      assert.strictEqual(entered.resource, path)
      const opened = yield* Effect.scoped(place.files.open(entered))
      assert.strictEqual(opened._tag, "File")
      const link = yield* Effect.flip(place.files.enter({ ...located, names: ["link"] }))
      assert.strictEqual(link._tag, "LocationFiles.OutsideError")
    })
  )

  it.effect("behind a link has to be allowed by its real name, too", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      Fs.mkdirSync(`${place.above}/real`)
      Fs.symlinkSync("real", `${place.above}/alias`)
      const located = yield* place.files.resolve(`${place.above}/alias/a`)
      assert(located._tag === "External")
      const entered = yield* place.files.enter(located)
      assert(entered._tag === "External")
      assert.strictEqual(entered.directory, `${place.above}/real`)
    })
  )

  it.effect("that was exchanged after it was allowed is not used", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const out = `${place.above}/out`
      Fs.mkdirSync(out)
      Fs.writeFileSync(`${out}/a`, "allowed")
      const located = yield* place.files.resolve(`${out}/a`)
      assert(located._tag === "External")
      const entered = yield* place.files.enter(located)
      assert(entered._tag === "Target")
      Fs.renameSync(out, `${out}-old`)
      Fs.mkdirSync(out)
      Fs.writeFileSync(`${out}/a`, "other")
      const error = yield* Effect.flip(Effect.scoped(place.files.open(entered)))
      assert.strictEqual(error._tag, "LocationFiles.ChangedError")
    })
  )
})

describe("descriptors", () => {
  it.effect("are all closed again, whatever happened", () =>
    Effect.gen(function* () {
      const before = openDescriptors()
      const scope = yield* Scope.make()
      const place = yield* Scope.provide(makePlace({ protect: ["closed"] }), scope)
      place.write("a/b", "inside")
      Fs.symlinkSync("../x", place.at("out"))
      Fs.symlinkSync("loop", place.at("loop"))
      execFileSync("mkfifo", [place.at("pipe")])
      const held = openDescriptors()
      const paths = ["a/b", "a", ".", "a/none", "none/none", "out", "loop", "a/../../x", "pipe", "closed", "a/b/c"]
      for (const path of paths) yield* outcome(place, path)
      yield* replace(place, yield* target(place, "new/dir/c"), "written")
      yield* replace(place, yield* target(place, "a/b"), "again")
      yield* Effect.flip(replace(place, yield* target(place, "a/b/c"), ""))
      assert.strictEqual(openDescriptors(), held)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(openDescriptors(), before)
    })
  )
})
