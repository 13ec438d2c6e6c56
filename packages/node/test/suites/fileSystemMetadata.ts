/** Kinds, sizes, times, owners and permissions. */
import { assert, layer } from "@effect/vitest"
import { ByteSize, Effect, type FileSystem, type Layer, Option } from "effect"
import { reasonOf, scratch, scratchFile } from "./temporary.ts"

/** The superuser may read and write what nobody else may. */
const isSuperuser = process.getuid?.() === 0

export const fileSystemMetadata = (name: string, files: Layer.Layer<FileSystem.FileSystem>) =>
  layer(files)(name, (it) => {
    it.effect("stat tells what a link points to, lstat tells the link", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("12345")
        yield* fs.symlink(file, `${dir}/link`)
        assert.strictEqual((yield* fs.stat(`${dir}/link`)).type, "File")
        assert.strictEqual((yield* fs.lstat(`${dir}/link`)).type, "SymbolicLink")
        assert.strictEqual((yield* fs.lstat(file)).type, "File")
        assert.strictEqual((yield* fs.stat(dir)).type, "Directory")
        assert.strictEqual(ByteSize.toBigInt((yield* fs.stat(file)).size), 5n)
      })
    )

    it.effect("a link that points nowhere has metadata of its own only", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        yield* fs.symlink("none", `${dir}/dangling`)
        assert.strictEqual((yield* fs.lstat(`${dir}/dangling`)).type, "SymbolicLink")
        assert.strictEqual(yield* reasonOf(fs.stat(`${dir}/dangling`)), "NotFound")
      })
    )

    it.effect("every field of the metadata is reported", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("x")
        yield* fs.link(file, `${dir}/second`)
        const info = yield* fs.stat(file)
        const { atime, birthtime, blksize, blocks, gid, ino, mtime, nlink, rdev, uid } = info
        const optional = [atime, birthtime, blksize, blocks, gid, ino, mtime, nlink, rdev, uid]
        assert.isTrue(optional.every((field) => Option.isSome<unknown>(field)))
        assert.deepStrictEqual(nlink, Option.some(2n))
        assert.isTrue(info.dev >= 0n)
      })
    )

    it.effect("the mode is the one that was set", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("x")
        yield* fs.chmod(file, 0o640)
        assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o640)
        assert.strictEqual(yield* reasonOf(fs.chmod(`${file}x`, 0o640)), "NotFound")
        assert.strictEqual(yield* reasonOf(fs.chmod(file, -1)), "BadArgument")
      })
    )

    it.effect("a file can be given to the user and group that own it already", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("x")
        const before = yield* fs.stat(file)
        yield* fs.chown(file, Option.getOrThrow(before.uid), Option.getOrThrow(before.gid))
        const after = yield* fs.stat(file)
        assert.deepStrictEqual([after.uid, after.gid], [before.uid, before.gid])
        assert.strictEqual(yield* reasonOf(fs.chown(`${file}x`, 0, 0)), "NotFound")
      })
    )

    it.effect("access answers for existing, for reading and for writing", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("x")
        yield* fs.access(file)
        yield* fs.access(file, { ok: true, readable: true, writable: true })
        assert.strictEqual(yield* reasonOf(fs.access(`${dir}/none`, { ok: true })), "NotFound")
      })
    )

    it.effect.skipIf(isSuperuser)("what the mode forbids is denied", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("x")
        yield* fs.chmod(file, 0o400)
        yield* fs.access(file, { readable: true })
        assert.strictEqual(yield* reasonOf(fs.access(file, { writable: true })), "PermissionDenied")
        assert.strictEqual(yield* reasonOf(fs.writeFileString(file, "y")), "PermissionDenied")
        yield* fs.chmod(file, 0o200)
        assert.strictEqual(yield* reasonOf(fs.access(file, { readable: true })), "PermissionDenied")
      })
    )

    it.effect("times are set from dates and from seconds, also before 1970", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("x")
        const times = Effect.map(fs.stat(file), ({ atime, mtime }) =>
          [atime, mtime].map((time) => Option.getOrThrow(time).getTime())
        )
        yield* fs.utimes(file, new Date(5_000), 1_000_000)
        assert.deepStrictEqual(yield* times, [5_000, 1_000_000_000])
        yield* fs.utimes(file, -5, new Date(-7_000))
        assert.deepStrictEqual(yield* times, [-5_000, -7_000])
      })
    )

    it.effect("what is no point in time is refused and changes nothing", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("x")
        yield* fs.utimes(file, 1, 2)
        assert.strictEqual(yield* reasonOf(fs.utimes(file, new Date(Number.NaN), 2)), "BadArgument")
        assert.strictEqual(yield* reasonOf(fs.utimes(file, 1, Number.NaN)), "BadArgument")
        assert.strictEqual(yield* reasonOf(fs.utimes(file, 1, Number.POSITIVE_INFINITY)), "BadArgument")
        assert.deepStrictEqual((yield* fs.stat(file)).mtime, Option.some(new Date(2_000)))
      })
    )
  })
