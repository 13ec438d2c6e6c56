import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, Option, Stream } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as NodeFileSystem from "@haft/node/NodeFileSystem"
import { fileSystem } from "./suites/fileSystem.ts"
import { bytes, reasonOf, scratch, scratchFile } from "./suites/temporary.ts"

// `make` derives glob, exists, stream, sink and the string forms again, from the methods of the service alone.
const delegating = Layer.effect(FileSystem.FileSystem, Effect.map(FileSystem.FileSystem, FileSystem.make)).pipe(
  Layer.provide(NodeFileSystem.layer)
)

fileSystem("NodeFileSystem", NodeFileSystem.layer)
fileSystem("a FileSystem that delegates", delegating)

/** How many descriptors of this process lead to the file. */
const descriptorsOf = (path: string): number =>
  Fs.readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return Fs.readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  }).length

/** Takes long enough to be interrupted on the way. */
const LARGE = 64 * 2 ** 20

/** Node warns when it finds a handle that nobody closed, and closes it. */
const warningsOfNode = Effect.gen(function* () {
  const warnings: Array<string> = []
  const onWarning = (warning: Error) => warnings.push(warning.message)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("warning", onWarning)),
    () => Effect.sync(() => process.off("warning", onWarning))
  )
  return warnings
})

layer(NodeFileSystem.layer)("NodeFileSystem", (it) => {
  it.effect("a stream that is left early or interrupted closes its file", () =>
    Effect.gen(function* () {
      const { fs, file } = yield* scratchFile("abcdef")
      const first = fs
        .stream(file, { chunkSize: 1 })
        .pipe(Stream.tap(() => Effect.sync(() => open.push(descriptorsOf(file)))))
      const open: Array<number> = []
      yield* Stream.runDrain(Stream.take(first, 1))
      const endless = yield* Effect.forkChild(
        Stream.runForEach(first, () => Effect.never),
        { startImmediately: true }
      )
      yield* Effect.repeat(Effect.yieldNow, { until: () => open.length === 2 })
      yield* Fiber.interrupt(endless)
      assert.deepStrictEqual(open, [1, 1])
      assert.strictEqual(descriptorsOf(file), 0)
    })
  )

  it.effect("opening for reading can be interrupted, and what opens too late is closed", () =>
    Effect.gen(function* () {
      const { fs, dir } = yield* scratch
      const [pipe, warnings] = [`${dir}/pipe`, yield* warningsOfNode]
      execFileSync("mkfifo", [pipe])
      const waiting = yield* Effect.forkChild(Effect.scoped(fs.open(pipe)), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      // The writer lets the pending open succeed. Once its reader has gone, writing fails.
      const writer = yield* fs.open(pipe, { flag: "a" })
      const error = yield* Effect.flip(Effect.forever(writer.write(bytes("x"))))
      assert.deepInclude(error.reason.cause, { code: "EPIPE" })
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.effect("an interrupted copy stops before its next entry", () =>
    Effect.gen(function* () {
      const { fs, dir } = yield* scratch
      yield* fs.makeDirectory(`${dir}/from`)
      const names = Array.from({ length: 300 }, (_, index) => `${dir}/from/${index}`)
      yield* Effect.forEach(names, (name) => fs.writeFileString(name, "x"), { concurrency: 8, discard: true })
      const copying = yield* Effect.forkChild(fs.copy(`${dir}/from`, `${dir}/half`), { startImmediately: true })
      yield* Fiber.interrupt(copying)
      yield* fs.copy(`${dir}/from`, `${dir}/whole`)
      yield* fs.makeDirectory(`${dir}/half`, { recursive: true })
      assert.isBelow((yield* fs.readDirectory(`${dir}/half`)).length, 300)
      assert.lengthOf(yield* fs.readDirectory(`${dir}/whole`), 300)
    })
  )

  it.effect("an interrupted change has ended when the interruption returns", () =>
    Effect.gen(function* () {
      const { fs, dir, file } = yield* scratchFile("")
      yield* fs.makeDirectory(`${dir}/tree`)
      yield* fs.truncate(file, LARGE)
      yield* fs.copyFile(file, `${dir}/tree/file`)
      const interrupted = Effect.fnUntraced(function* (target: string, change: Effect.Effect<void, unknown>) {
        const changing = yield* Effect.forkChild(change, { startImmediately: true })
        yield* Effect.repeat(Effect.yieldNow, { until: () => Fs.existsSync(target) })
        yield* Fiber.interrupt(changing)
        assert.strictEqual(descriptorsOf(target), 0)
        return Fs.statSync(target).size
      })
      assert.strictEqual(yield* interrupted(`${dir}/copied`, fs.copyFile(file, `${dir}/copied`)), LARGE)
      assert.strictEqual(yield* interrupted(`${dir}/copy/file`, fs.copy(`${dir}/tree`, `${dir}/copy`)), LARGE)
      yield* interrupted(`${dir}/written`, fs.writeFile(`${dir}/written`, new Uint8Array(LARGE)))
    })
  )

  it.effect("bytes that were read are a plain Uint8Array, whose slice is a copy", () =>
    Effect.gen(function* () {
      const { fs, file } = yield* scratchFile("abc")
      const read = yield* fs.readFile(file)
      assert.strictEqual(Object.getPrototypeOf(read), Uint8Array.prototype)
      read.slice(0, 1).fill(0)
      assert.deepStrictEqual(read, bytes("abc"))
    })
  )

  it.effect("a stream refuses sizes it cannot use", () =>
    Effect.gen(function* () {
      const { fs, file } = yield* scratchFile("abc")
      const drain = (options: Parameters<typeof fs.stream>[1]) => reasonOf(Stream.runDrain(fs.stream(file, options)))
      assert.strictEqual(yield* drain({ chunkSize: 0 }), "BadArgument")
      assert.strictEqual(yield* drain({ chunkSize: 1.5 }), "BadArgument")
      assert.strictEqual(yield* drain({ offset: -1 }), "BadArgument")
      assert.strictEqual(yield* drain({ bytesToRead: Number.NaN }), "BadArgument")
    })
  )

  it.effect("a name of a temporary file with a separator in it is refused", () =>
    Effect.gen(function* () {
      const { fs, dir } = yield* scratch
      assert.strictEqual(yield* reasonOf(fs.makeTempDirectory({ directory: dir, prefix: "../a" })), "BadArgument")
      assert.strictEqual(yield* reasonOf(fs.makeTempFile({ directory: dir, suffix: "/a" })), "BadArgument")
      assert.deepStrictEqual(yield* fs.readDirectory(dir), [])
    })
  )

  it.effect("a write beyond the largest offset Node can address is refused", () =>
    Effect.gen(function* () {
      const { fs, file } = yield* scratchFile("abc")
      const handle = yield* fs.open(file, { flag: "r+" })
      yield* handle.seek(2n ** 53n, "start")
      assert.strictEqual(yield* reasonOf(handle.write(bytes("x"))), "BadArgument")
      assert.strictEqual(yield* fs.readFileString(file), "abc")
    })
  )

  it.effect("fifos and devices have their kinds", () =>
    Effect.gen(function* () {
      const { fs, dir } = yield* scratch
      execFileSync("mkfifo", [`${dir}/pipe`])
      assert.strictEqual((yield* fs.stat(`${dir}/pipe`)).type, "FIFO")
      assert.strictEqual((yield* fs.stat("/dev/null")).type, "CharacterDevice")
    })
  )
})

const backend = Layer.succeed(FileSystem.WatchBackend, {
  register: (_path, info, options) =>
    info.type === "Directory"
      ? Option.none()
      : Option.some(Stream.make({ _tag: "Update", path: `from the backend, recursive ${options?.recursive}` }))
})

layer(Layer.provide(NodeFileSystem.layer, backend))("NodeFileSystem with a watch backend", (it) => {
  it.effect("the backend is asked first and may decline", () =>
    Effect.gen(function* () {
      const { fs, dir, file } = yield* scratchFile("x")
      const seen = yield* Stream.runCollect(fs.watch(file, { recursive: true }))
      assert.deepStrictEqual(seen, [{ _tag: "Update", path: "from the backend, recursive true" }])
      const declined = fs.watch(dir, { onReady: () => Fs.writeFileSync(`${dir}/new`, "x") })
      assert.deepStrictEqual(yield* Stream.runHead(declined), Option.some({ _tag: "Create" as const, path: "new" }))
    })
  )
})
