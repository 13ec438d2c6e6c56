/** Files as streams and sinks. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, type Layer, Stream } from "effect"
import { bytes, reasonOf, scratch, scratchFile, text } from "./temporary.ts"

const read = (path: string, options?: Parameters<FileSystem.FileSystem["stream"]>[1]) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Stream.runCollect(fs.stream(path, options))).pipe(
    Effect.map((chunks) => chunks.map(text))
  )

export const fileSystemStreams = (name: string, files: Layer.Layer<FileSystem.FileSystem>) =>
  layer(files)(name, (it) => {
    it.effect("a stream has the bytes of the file, in chunks of the size that is asked for", () =>
      Effect.gen(function* () {
        const { file } = yield* scratchFile("abcdefgh")
        assert.deepStrictEqual(yield* read(file), ["abcdefgh"])
        assert.deepStrictEqual(yield* read(file, { chunkSize: 3 }), ["abc", "def", "gh"])
      })
    )

    it.effect("a stream starts at the offset and ends after the bytes that are asked for", () =>
      Effect.gen(function* () {
        const { file } = yield* scratchFile("abcdefgh")
        assert.deepStrictEqual(yield* read(file, { offset: 2 }), ["cdefgh"])
        assert.deepStrictEqual(yield* read(file, { offset: 2n, bytesToRead: 3 }), ["cde"])
        assert.deepStrictEqual(yield* read(file, { bytesToRead: 5, chunkSize: 2 }), ["ab", "cd", "e"])
        assert.deepStrictEqual(yield* read(file, { bytesToRead: 0 }), [])
        assert.deepStrictEqual(yield* read(file, { offset: 100 }), [])
      })
    )

    it.effect("a stream of nothing fails", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        assert.strictEqual(yield* reasonOf(Stream.runDrain(fs.stream(`${dir}/none`))), "NotFound")
      })
    )

    it.effect("a sink writes every chunk, from the start or to the end", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("old and long")
        const chunks = Stream.make(bytes("one"), bytes("two"))
        yield* Stream.run(chunks, fs.sink(file))
        assert.strictEqual(yield* fs.readFileString(file), "onetwo")
        yield* Stream.run(chunks, fs.sink(file, { flag: "a" }))
        assert.strictEqual(yield* fs.readFileString(file), "onetwoonetwo")
        assert.strictEqual(yield* reasonOf(Stream.run(chunks, fs.sink(file, { flag: "wx" }))), "AlreadyExists")
      })
    )

    it.effect("a sink creates its file with the mode that is asked for", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        yield* Stream.run(Stream.make(bytes("x")), fs.sink(`${dir}/private`, { mode: 0o600 }))
        assert.strictEqual((yield* fs.stat(`${dir}/private`)).mode & 0o777, 0o600)
      })
    )
  })
