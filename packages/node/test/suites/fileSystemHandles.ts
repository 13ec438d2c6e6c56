/** Open files: cursor, positions, flags and large offsets. */
import { assert, layer } from "@effect/vitest"
import { ByteSize, Effect, FileSystem, type Layer, Option } from "effect"
import { bytes, reasonOf, scratch, scratchFile, text } from "./temporary.ts"

/** Beyond what 31 and 32 bits can count. */
const FAR = 5n * 2n ** 30n

export const fileSystemHandles = (name: string, files: Layer.Layer<FileSystem.FileSystem>) => {
  layer(files)(`${name}, cursor`, (it) => {
    it.effect("reads go on where the last one stopped, up to the end", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abcde")
        const handle = yield* fs.open(file)
        assert.isTrue(FileSystem.isFile(handle))
        assert.strictEqual(text(yield* handle.readAlloc(3)), "abc")
        const buffer = new Uint8Array(3)
        assert.strictEqual(yield* handle.read(buffer), 2)
        assert.strictEqual(text(buffer), "de\0")
        assert.strictEqual(yield* handle.read(buffer), 0)
        assert.isTrue(Option.isNone(yield* handle.readAlloc(3)))
      })
    )

    it.effect("a positional read leaves the cursor where it was", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("hi there")
        const handle = yield* fs.open(file)
        assert.strictEqual(text(yield* handle.readAlloc(5, { position: 3n })), "there")
        assert.strictEqual(yield* handle.read(new Uint8Array(1), { position: 7n }), 1)
        assert.strictEqual(text(yield* handle.readAlloc(2, { position: 0n })), "hi")
        assert.strictEqual(text(yield* handle.readAlloc(2)), "hi")
      })
    )

    it.effect("positional reads of one handle may run at the same time", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("0123456789")
        const handle = yield* fs.open(file)
        const digits = yield* Effect.forEach(
          Array.from({ length: 10 }, (_, index) => BigInt(index)),
          (position) => Effect.map(handle.readAlloc(1, { position }), text),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(digits.join(""), "0123456789")
      })
    )

    it.effect("a position past the end reads nothing, and a negative one is refused", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abc")
        const handle = yield* fs.open(file)
        assert.strictEqual(yield* handle.read(new Uint8Array(3), { position: 3n }), 0)
        assert.strictEqual(yield* handle.read(new Uint8Array(3), { position: 2n ** 60n }), 0)
        assert.strictEqual(yield* reasonOf(handle.read(new Uint8Array(3), { position: -1n })), "BadArgument")
        assert.strictEqual(yield* reasonOf(handle.readAlloc(3, { position: 2n ** 64n })), "BadArgument")
        assert.strictEqual(text(yield* handle.readAlloc(3)), "abc")
      })
    )

    it.effect("seek counts from the start or from the cursor, and not before the start", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abcdef")
        const handle = yield* fs.open(file)
        assert.strictEqual(yield* handle.seek(4n, "start"), 4n)
        assert.strictEqual(yield* handle.seek(-1n, "current"), 3n)
        assert.strictEqual(yield* reasonOf(handle.seek(-4n, "current")), "BadArgument")
        assert.strictEqual(yield* reasonOf(handle.seek(-1n, "start")), "BadArgument")
        assert.strictEqual(text(yield* handle.readAlloc(3)), "def")
      })
    )

    it.effect("writes and reads share the cursor", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abcdef")
        const handle = yield* fs.open(file, { flag: "r+" })
        assert.strictEqual(yield* handle.write(bytes("AB")), 2)
        assert.strictEqual(text(yield* handle.readAlloc(2)), "cd")
        yield* handle.writeAll(bytes("EFG"))
        yield* handle.sync
        assert.strictEqual(yield* fs.readFileString(file), "ABcdEFG")
        assert.strictEqual(ByteSize.toBigInt((yield* handle.stat).size), 7n)
      })
    )

    it.effect("truncating pulls a cursor back that lies behind the new end", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abcdef")
        const handle = yield* fs.open(file, { flag: "r+" })
        yield* handle.seek(5n, "start")
        yield* handle.truncate(2)
        yield* handle.writeAll(bytes("X"))
        assert.strictEqual(yield* fs.readFileString(file), "abX")
        yield* handle.seek(1n, "start")
        yield* handle.truncate(2)
        assert.strictEqual(text(yield* handle.readAlloc(9)), "b")
        yield* handle.truncate()
        assert.strictEqual(yield* fs.readFileString(file), "")
      })
    )

    it.effect("sizes that are no number of bytes are refused", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abc")
        const handle = yield* fs.open(file, { flag: "r+" })
        assert.strictEqual(yield* reasonOf(handle.truncate(-1)), "BadArgument")
        assert.strictEqual(yield* reasonOf(handle.readAlloc(-1)), "BadArgument")
        assert.strictEqual(yield* reasonOf(handle.readAlloc(1.5)), "BadArgument")
        assert.strictEqual(yield* reasonOf(handle.readAlloc(Number.MAX_SAFE_INTEGER)), "BadArgument")
        assert.strictEqual(text(yield* handle.readAlloc(3)), "abc")
      })
    )

    it.effect("appending writes at the end and does not move the cursor", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abc")
        const handle = yield* fs.open(file, { flag: "a+" })
        assert.strictEqual(text(yield* handle.readAlloc(1)), "a")
        yield* handle.writeAll(bytes("de"))
        assert.strictEqual(text(yield* handle.readAlloc(9)), "bcde")
        yield* handle.seek(0n, "start")
        assert.strictEqual(yield* handle.write(bytes("f")), 1)
        assert.strictEqual(yield* fs.readFileString(file), "abcdef")
      })
    )

    it.effect("offsets may lie far beyond 32 bits", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        const handle = yield* fs.open(`${dir}/sparse`, { flag: "w+" })
        yield* handle.seek(FAR, "start")
        yield* handle.writeAll(bytes("far"))
        assert.strictEqual(ByteSize.toBigInt((yield* handle.stat).size), FAR + 3n)
        assert.strictEqual(text(yield* handle.readAlloc(2, { position: FAR + 1n })), "ar")
        yield* handle.seek(-3n, "current")
        assert.strictEqual(text(yield* handle.readAlloc(9)), "far")
        yield* handle.truncate(Number(FAR) + 1)
        assert.strictEqual(ByteSize.toBigInt((yield* fs.stat(`${dir}/sparse`)).size), FAR + 1n)
      })
    )
  })

  layer(files)(`${name}, opened`, (it) => {
    it.effect("a flag says whether the file must exist, may exist or is emptied", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("abc")
        const open = (path: string, flag: FileSystem.OpenFlag) => Effect.scoped(fs.open(path, { flag }))
        assert.strictEqual(yield* reasonOf(open(`${dir}/none`, "r")), "NotFound")
        assert.strictEqual(yield* reasonOf(open(`${dir}/none`, "r+")), "NotFound")
        for (const flag of ["wx", "wx+", "ax", "ax+"] as const) {
          assert.strictEqual(yield* reasonOf(open(file, flag)), "AlreadyExists")
          yield* open(`${dir}/${flag}`, flag)
        }
        for (const flag of ["a", "a+", "r+"] as const) yield* open(file, flag)
        assert.strictEqual(yield* fs.readFileString(file), "abc")
        yield* open(file, "w+")
        assert.strictEqual(yield* fs.readFileString(file), "")
        yield* open(`${dir}/fresh`, "w")
        assert.strictEqual(yield* fs.readFileString(`${dir}/fresh`), "")
      })
    )

    it.effect("a file is created with the mode that is asked for", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        const handle = yield* fs.open(`${dir}/private`, { flag: "w", mode: 0o600 })
        assert.strictEqual((yield* handle.stat).mode & 0o777, 0o600)
      })
    )

    it.effect("a handle does only what it was opened for", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abc")
        const reader = yield* fs.open(file, { flag: "r" })
        const writer = yield* fs.open(file, { flag: "a" })
        assert.strictEqual(yield* reasonOf(reader.write(bytes("x"))), "BadResource")
        assert.strictEqual(yield* reasonOf(writer.readAlloc(1)), "BadResource")
      })
    )

    it.effect("noFollow refuses a symbolic link and opens the file itself", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("x")
        yield* fs.symlink(file, `${dir}/link`)
        yield* fs.open(file, { noFollow: true })
        yield* fs.open(`${dir}/link`)
        assert.strictEqual(yield* reasonOf(fs.open(`${dir}/link`, { noFollow: true })), "BadResource")
        assert.strictEqual(yield* reasonOf(fs.open(`${dir}/link`, { flag: "w", noFollow: true })), "BadResource")
        assert.strictEqual(yield* fs.readFileString(file), "x")
      })
    )

    it.effect("a handle is closed with its Scope", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("abc")
        const handle = yield* Effect.scoped(
          Effect.tap(fs.open(file), (open) =>
            Effect.map(open.readAlloc(3), (read) => assert.strictEqual(text(read), "abc"))
          )
        )
        assert.strictEqual(yield* reasonOf(handle.readAlloc(3, { position: 0n })), "BadResource")
      })
    )
  })
}
