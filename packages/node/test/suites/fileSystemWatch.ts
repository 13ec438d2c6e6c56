/** Changes as they happen. Every wait is for an event. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, FileSystem, type Layer, Queue, Stream } from "effect"
import { reasonOf, scratch, scratchFile } from "./temporary.ts"

/** The events from now on, as a queue. */
const watching = Effect.fnUntraced(function* (path: string, options?: FileSystem.WatchOptions) {
  const fs = yield* FileSystem.FileSystem
  const [ready, events] = [yield* Deferred.make<void>(), yield* Queue.unbounded<FileSystem.WatchEvent>()]
  const onReady = () => Deferred.doneUnsafe(ready, Effect.void)
  const watched = fs.watch(path, { ...options, onReady })
  yield* Effect.forkScoped(Stream.runForEach(watched, (event) => Queue.offer(events, event)))
  yield* Deferred.await(ready)
  return events
})

/** Waits for the event, whatever comes before it. */
const untilEvent = (events: Queue.Queue<FileSystem.WatchEvent>, tag: FileSystem.WatchEvent["_tag"], path: string) =>
  Effect.repeat(Queue.take(events), { until: (event) => event._tag === tag && event.path === path })

export const fileSystemWatch = (name: string, files: Layer.Layer<FileSystem.FileSystem>) =>
  layer(files)(name, (it) => {
    it.effect("a file in the directory is reported when it appears, changes and goes", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        const events = yield* watching(dir)
        yield* fs.writeFileString(`${dir}/new`, "")
        assert.deepStrictEqual(yield* Queue.take(events), { _tag: "Create", path: "new" })
        yield* fs.writeFileString(`${dir}/new`, "x")
        yield* untilEvent(events, "Update", "new")
        yield* fs.remove(`${dir}/new`)
        yield* untilEvent(events, "Remove", "new")
      })
    )

    it.effect("a rename is one file gone and another one there", () =>
      Effect.gen(function* () {
        const { fs, dir, file } = yield* scratchFile("x")
        const events = yield* watching(dir)
        yield* fs.rename(file, `${dir}/other`)
        yield* untilEvent(events, "Remove", "file")
        yield* untilEvent(events, "Create", "other")
      })
    )

    it.effect("events come in the order of the changes", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        const events = yield* watching(dir)
        const names = Array.from({ length: 50 }, (_, index) => `file-${index}`)
        yield* Effect.forEach(names, (entry) => fs.makeDirectory(`${dir}/${entry}`), { discard: true })
        const seen = yield* Effect.forEach(names, () => Queue.take(events))
        assert.deepStrictEqual(
          seen,
          names.map((path) => ({ _tag: "Create" as const, path }))
        )
      })
    )

    it.effect("a watched file reports its own changes", () =>
      Effect.gen(function* () {
        const { fs, file } = yield* scratchFile("x")
        const events = yield* watching(file)
        yield* fs.writeFileString(file, "changed")
        yield* untilEvent(events, "Update", "file")
      })
    )

    it.effect("directories below are watched only when asked", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        yield* fs.makeDirectory(`${dir}/sub`)
        const [direct, recursive] = [yield* watching(dir), yield* watching(dir, { recursive: true })]
        yield* fs.writeFileString(`${dir}/sub/deep`, "x")
        yield* untilEvent(recursive, "Create", "sub/deep")
        yield* fs.writeFileString(`${dir}/last`, "x")
        yield* untilEvent(recursive, "Create", "last")
        const seen: Array<string> = []
        yield* Effect.repeat(Queue.take(direct), { until: ({ path }) => seen.push(path) > 0 && path === "last" })
        assert.notInclude(seen, "sub/deep")
      })
    )

    it.effect("what is not there cannot be watched", () =>
      Effect.gen(function* () {
        const { fs, dir } = yield* scratch
        assert.strictEqual(yield* reasonOf(Stream.runDrain(fs.watch(`${dir}/none`))), "NotFound")
      })
    )
  })
