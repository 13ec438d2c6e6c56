/** Directories: making, listing, finding, copying, removing and temporary ones. */
import { assert, layer } from "@effect/vitest"
import { Effect, type FileSystem, type Layer, Option } from "effect"
import { reasonOf, scratch, scratchFile } from "./temporary.ts"

/** `a/deep/one.txt`, `a/two.txt`, `a/.hidden.txt` and a link `a/up` to the directory above. */
const scratchTree = Effect.gen(function* () {
  const { fs, dir } = yield* scratch
  yield* fs.makeDirectory(`${dir}/a/deep`, { recursive: true })
  yield* fs.writeFileString(`${dir}/a/deep/one.txt`, "one")
  yield* fs.writeFileString(`${dir}/a/two.txt`, "two")
  yield* fs.writeFileString(`${dir}/a/.hidden.txt`, "hidden")
  yield* fs.symlink("..", `${dir}/a/up`)
  return { fs, dir }
})

export const fileSystemDirectories = (name: string, files: Layer.Layer<FileSystem.FileSystem>) => {
  layer(files)(name, (it) => {
    it.effect("a directory is made once, with its parents only when asked", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        assert.strictEqual(yield* reasonOf(fs.makeDirectory(`${dir}/a/b`)), "NotFound")
        yield* fs.makeDirectory(`${dir}/a/b`, { recursive: true, mode: 0o700 })
        yield* fs.makeDirectory(`${dir}/a/b`, { recursive: true })
        assert.strictEqual((yield* fs.stat(`${dir}/a/b`)).mode & 0o777, 0o700)
        assert.strictEqual(yield* reasonOf(fs.makeDirectory(`${dir}/a`)), "AlreadyExists")
      })
    )

    it.effect("a listing names the entries, with their kinds when asked", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratchTree
        assert.deepStrictEqual((yield* fs.readDirectory(`${dir}/a`)).toSorted(), [
          ".hidden.txt",
          "deep",
          "two.txt",
          "up"
        ])
        const entries = yield* fs.readDirectoryEntries(`${dir}/a`)
        const kinds = Object.fromEntries(entries.map((entry) => [entry.name, entry.type]))
        assert.deepStrictEqual(kinds, {
          ".hidden.txt": "File",
          deep: "Directory",
          "two.txt": "File",
          up: "SymbolicLink"
        })
      })
    )

    it.effect("a recursive listing names links and does not follow them", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratchTree
        const listed = yield* fs.readDirectory(dir, { recursive: true })
        const expected = ["a", "a/.hidden.txt", "a/deep", "a/deep/one.txt", "a/two.txt", "a/up"]
        assert.deepStrictEqual(listed.toSorted(), expected)
      })
    )

    it.effect("listing a file or nothing at all fails", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("x")
        assert.strictEqual(yield* reasonOf(fs.readDirectory(file)), "BadResource")
        assert.strictEqual(yield* reasonOf(fs.readDirectoryEntries(`${dir}/none`)), "NotFound")
      })
    )

    it.effect("glob finds by pattern below a root, without what is excluded or hidden", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratchTree
        const glob = (pattern: string, options?: Parameters<typeof fs.glob>[1]) =>
          fs.glob(pattern, { root: dir, ...options })
        assert.deepStrictEqual(yield* glob("**/*.txt"), ["a/deep/one.txt", "a/two.txt"])
        assert.deepStrictEqual(yield* glob("**/*.txt", { exclude: ["a/deep"] }), ["a/two.txt"])
        assert.deepStrictEqual(yield* glob("a/*.txt", { dot: true }), ["a/.hidden.txt", "a/two.txt"])
        assert.deepStrictEqual(yield* fs.glob(`${dir}/a/t*`), [`${dir}/a/two.txt`])
        assert.deepStrictEqual(yield* glob("none/*"), [])
      })
    )
  })

  layer(files)(`${name}, copied and removed`, (it) => {
    it.effect("a copied tree has the same files, and its relative links stay relative", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratchTree
        yield* fs.copy(`${dir}/a`, `${dir}/b`)
        assert.strictEqual(yield* fs.readFileString(`${dir}/b/deep/one.txt`), "one")
        assert.strictEqual(yield* fs.readLink(`${dir}/b/up`), "..")
      })
    )

    it.effect("a copy leaves existing files alone unless it may overwrite them", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("new")
        yield* fs.writeFileString(`${dir}/existing`, "old")
        yield* fs.copy(file, `${dir}/existing`)
        assert.strictEqual(yield* fs.readFileString(`${dir}/existing`), "old")
        yield* fs.copy(file, `${dir}/existing`, { overwrite: true })
        assert.strictEqual(yield* fs.readFileString(`${dir}/existing`), "new")
      })
    )

    it.effect("a copy keeps the times when asked", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("x")
        yield* fs.utimes(file, 1, 2)
        yield* fs.copy(file, `${dir}/kept`, { preserveTimestamps: true })
        yield* fs.copy(file, `${dir}/fresh`)
        assert.deepStrictEqual((yield* fs.stat(`${dir}/kept`)).mtime, Option.some(new Date(2_000)))
        assert.notDeepEqual((yield* fs.stat(`${dir}/fresh`)).mtime, Option.some(new Date(2_000)))
      })
    )

    it.effect("a directory cannot be copied into itself or over a file", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratchTree
        assert.strictEqual(yield* reasonOf(fs.copy(`${dir}/a`, `${dir}/a/deep/in`)), "BadResource")
        assert.strictEqual(yield* reasonOf(fs.copy(`${dir}/a/deep`, `${dir}/a/two.txt`)), "BadResource")
        assert.strictEqual(yield* reasonOf(fs.copy(`${dir}/none`, `${dir}/b`)), "NotFound")
      })
    )

    it.effect("a directory is removed only recursively, and a link without its target", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratchTree
        assert.strictEqual(yield* reasonOf(fs.remove(`${dir}/a/deep`)), "BadResource")
        yield* fs.symlink(`${dir}/a/deep`, `${dir}/link`)
        yield* fs.remove(`${dir}/link`, { recursive: true })
        assert.isTrue(yield* fs.exists(`${dir}/a/deep/one.txt`))
        yield* fs.remove(`${dir}/a`, { recursive: true })
        assert.deepStrictEqual(yield* fs.readDirectory(dir), [])
      })
    )

    it.effect("removing what is not there fails unless forced", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        assert.strictEqual(yield* reasonOf(fs.remove(`${dir}/none`)), "NotFound")
        yield* fs.remove(`${dir}/none`, { force: true })
      })
    )

    it.effect("a directory is not renamed over one that has entries", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratchTree
        yield* fs.makeDirectory(`${dir}/b`)
        assert.strictEqual(yield* reasonOf(fs.rename(`${dir}/b`, `${dir}/a`)), "AlreadyExists")
        yield* fs.rename(`${dir}/a`, `${dir}/b`)
        assert.strictEqual(yield* fs.readFileString(`${dir}/b/two.txt`), "two")
      })
    )
  })

  layer(files)(`${name}, temporary`, (it) => {
    it.effect("a scoped temporary directory is gone after its Scope, with everything in it", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        const made = yield* Effect.scoped(
          Effect.tap(fs.makeTempDirectoryScoped({ directory: dir, prefix: "mine-" }), (directory) =>
            fs.writeFileString(`${directory}/file`, "x")
          )
        )
        assert.isTrue(made.startsWith(`${dir}/mine-`))
        assert.isFalse(yield* fs.exists(made))
      })
    )

    it.effect("a scoped temporary file is gone after its Scope and leaves no directory behind", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        const made = yield* Effect.scoped(
          Effect.tap(fs.makeTempFileScoped({ directory: dir, prefix: "mine-", suffix: ".txt" }), (file) =>
            Effect.map(fs.readFileString(file), (contents) => assert.strictEqual(contents, ""))
          )
        )
        assert.isTrue(made.startsWith(`${dir}/mine-`) && made.endsWith(".txt"))
        assert.deepStrictEqual(yield* fs.readDirectory(dir), [])
      })
    )

    it.effect("temporary files and directories without a Scope stay, each under a name of its own", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        const made = yield* Effect.all([
          fs.makeTempDirectory({ directory: dir }),
          fs.makeTempDirectory({ directory: dir }),
          fs.makeTempFile({ directory: dir }),
          fs.makeTempFile({ directory: dir })
        ])
        assert.lengthOf(new Set(made), 4)
        assert.deepStrictEqual(yield* Effect.forEach(made, (path) => fs.exists(path)), [true, true, true, true])
      })
    )

    it.effect("a temporary file can only be made in a directory that exists", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        assert.strictEqual(yield* reasonOf(fs.makeTempFile({ directory: `${dir}/none` })), "NotFound")
        assert.strictEqual(yield* reasonOf(fs.makeTempDirectory({ directory: `${dir}/none` })), "NotFound")
      })
    )
  })
}
