/** Whole files: contents, names and links. */
import { assert, layer } from "@effect/vitest"
import { Effect, type FileSystem, type Layer } from "effect"
import { bytes, reasonOf, scratch, scratchFile, text } from "./temporary.ts"

export const fileSystemFiles = (name: string, files: Layer.Layer<FileSystem.FileSystem>) =>
  layer(files)(name, (it) => {
    it.effect("what was written is read, as bytes and as text", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        const data = Uint8Array.of(0, 255, 10, 13)
        yield* fs.writeFile(`${dir}/bytes`, data)
        yield* fs.writeFileString(`${dir}/text`, "grün 🌱")
        assert.deepStrictEqual(Array.from(yield* fs.readFile(`${dir}/bytes`)), Array.from(data))
        assert.strictEqual(yield* fs.readFileString(`${dir}/text`), "grün 🌱")
      })
    )

    it.effect("text is decoded in the encoding that is named, and an unknown encoding is a bad argument", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        yield* fs.writeFile(`${dir}/latin`, Uint8Array.of(0x67, 0x72, 0xfc, 0x6e))
        assert.strictEqual(yield* fs.readFileString(`${dir}/latin`, "latin1"), "grün")
        assert.strictEqual(yield* reasonOf(fs.readFileString(`${dir}/latin`, "klingon")), "BadArgument")
      })
    )

    it.effect("writing replaces the contents unless the flag says append or exclusive", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("old and long")
        yield* fs.writeFileString(file, "new")
        yield* fs.writeFileString(file, "er", { flag: "a" })
        assert.strictEqual(yield* reasonOf(fs.writeFileString(file, "never", { flag: "wx" })), "AlreadyExists")
        assert.strictEqual(yield* fs.readFileString(file), "newer")
      })
    )

    it.effect("a file is created with the mode that is asked for", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        yield* fs.writeFile(`${dir}/private`, bytes("x"), { mode: 0o600 })
        assert.strictEqual((yield* fs.stat(`${dir}/private`)).mode & 0o777, 0o600)
      })
    )

    it.effect("a missing file, a directory and a path through a file are told apart", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("x")
        assert.strictEqual(yield* reasonOf(fs.readFile(`${dir}/none`)), "NotFound")
        assert.strictEqual(yield* reasonOf(fs.readFile(dir)), "BadResource")
        assert.strictEqual(yield* reasonOf(fs.readFile(`${file}/below`)), "BadResource")
        assert.strictEqual(text(yield* fs.readFile(file)), "x")
      })
    )

    it.effect("a path with a null byte is a bad argument", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("x")
        assert.strictEqual(yield* reasonOf(fs.readFile(`${file}\0`)), "BadArgument")
        assert.strictEqual(yield* reasonOf(fs.open(`${file}\0`)), "BadArgument")
      })
    )

    it.effect("a copied file replaces its target and leaves its source", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("source")
        yield* fs.writeFileString(`${dir}/target`, "target that is longer")
        yield* fs.copyFile(file, `${dir}/target`)
        assert.strictEqual(yield* fs.readFileString(`${dir}/target`), "source")
        assert.strictEqual(yield* fs.readFileString(file), "source")
        assert.strictEqual(yield* reasonOf(fs.copyFile(`${dir}/none`, file)), "NotFound")
      })
    )

    it.effect("a rename moves the file over whatever had the name", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("moved")
        yield* fs.writeFileString(`${dir}/other`, "gone")
        yield* fs.rename(file, `${dir}/other`)
        assert.strictEqual(yield* fs.readFileString(`${dir}/other`), "moved")
        assert.isFalse(yield* fs.exists(file))
      })
    )

    it.effect("a file is truncated to a length, to nothing by default, and grows with zeros", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abcdef")
        yield* fs.truncate(file, 3)
        assert.strictEqual(yield* fs.readFileString(file), "abc")
        yield* fs.truncate(file, 5)
        assert.strictEqual(yield* fs.readFileString(file), "abc\0\0")
        yield* fs.truncate(file)
        assert.strictEqual(yield* fs.readFileString(file), "")
      })
    )

    it.effect("a negative or fractional length is refused and keeps the contents", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abc")
        assert.strictEqual(yield* reasonOf(fs.truncate(file, -1)), "BadArgument")
        assert.strictEqual(yield* reasonOf(fs.truncate(file, 1.5)), "BadArgument")
        assert.strictEqual(yield* fs.readFileString(file), "abc")
      })
    )

    it.effect("a hard link is the same file under a second name", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("one")
        yield* fs.link(file, `${dir}/second`)
        yield* fs.writeFileString(`${dir}/second`, "both")
        assert.strictEqual(yield* fs.readFileString(file), "both")
        assert.deepStrictEqual((yield* fs.stat(file)).ino, (yield* fs.stat(`${dir}/second`)).ino)
        assert.strictEqual(yield* reasonOf(fs.link(file, `${dir}/second`)), "AlreadyExists")
      })
    )

    it.effect("a symbolic link keeps its target as it was written and resolves to it", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("target")
        yield* fs.symlink("file", `${dir}/link`)
        assert.strictEqual(yield* fs.readLink(`${dir}/link`), "file")
        assert.strictEqual(yield* fs.realPath(`${dir}/link`), yield* fs.realPath(file))
        assert.strictEqual(yield* fs.readFileString(`${dir}/link`), "target")
      })
    )

    it.effect("a chain of links that never ends is a bad resource", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        yield* fs.symlink("b", `${dir}/a`)
        yield* fs.symlink("a", `${dir}/b`)
        assert.strictEqual(yield* reasonOf(fs.realPath(`${dir}/a`)), "BadResource")
      })
    )

    it.effect("a path exists or not, also when a link points nowhere", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("x")
        yield* fs.symlink("none", `${dir}/dangling`)
        assert.isTrue(yield* fs.exists(file))
        assert.isFalse(yield* fs.exists(`${dir}/none`))
        assert.isFalse(yield* fs.exists(`${dir}/dangling`))
      })
    )
  })
