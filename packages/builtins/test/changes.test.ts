import { assert, describe, it } from "@effect/vitest"
import { LocationFiles } from "@haft/builtins"
import { EffectSignal } from "@haft/core"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import * as Fs from "node:fs"
import { assertSameError } from "./support/errors.ts"
import { makePlace, openDescriptors, type Place } from "./support/place.ts"

const target = Effect.fnUntraced(function* ({ files }: Place, path: string) {
  const located = yield* files.resolve(path)
  return located._tag === "Target" ? located : yield* Effect.die(new Error(`${path} is outside`))
})

const bytes = (text: string) => new TextEncoder().encode(text)

const replace = (place: Place, where: LocationFiles.Target, text: string, since: LocationFiles.Since = "Nothing") =>
  place.files.change([where], since, () =>
    Effect.succeed({ changes: [LocationFiles.put(where, bytes(text))], result: undefined })
  )

/** Adds a line to what is there. */
const append = Effect.fnUntraced(function* (place: Place, path: string, line: string) {
  const where = yield* target(place, path)
  yield* place.files.change([where], "OwnChanges", ([current]) =>
    Effect.map(current?.read ?? Effect.succeed(bytes("")), (content) => ({
      changes: [LocationFiles.put(where, bytes(`${Buffer.from(content).toString()}${line}\n`))],
      result: undefined
    }))
  )
})

describe("a changed file", () => {
  it.effect("keeps its mode without the right to become another user, and its owner where that is possible", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("run.sh", "old")
      Fs.chmodSync(place.at("run.sh"), 0o4754)
      yield* replace(place, yield* target(place, "run.sh"), "new")
      assert.strictEqual(place.read("run.sh"), "new")
      assert.strictEqual(Fs.statSync(place.at("run.sh")).mode & 0o7777, 0o754)
    })
  )

  it.effect("that is new has the mode that the mask of the process gives", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("plain", "")
      yield* replace(place, yield* target(place, "new"), "")
      assert.strictEqual(Fs.statSync(place.at("new")).mode, Fs.statSync(place.at("plain")).mode)
    })
  )

  it.effect("is another file than before, so that whoever reads the old one reads it to its end", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "old")
      const reader = Fs.openSync(place.at("a"), "r")
      yield* replace(place, yield* target(place, "a"), "new")
      assert.strictEqual(Fs.readFileSync(reader, "utf8"), "old")
      Fs.closeSync(reader)
    })
  )

  it.effect("gets the directories that it needs", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      yield* replace(place, yield* target(place, "a/b/c/d"), "deep")
      assert.strictEqual(place.read("a/b/c/d"), "deep")
      assert.deepStrictEqual(place.names(), ["a", "a/b", "a/b/c", "a/b/c/d"])
    })
  )
})

describe("a file that changed after it was resolved", () => {
  const changes: ReadonlyArray<readonly [string, (path: string) => void]> = [
    ["rewritten", (path) => Fs.writeFileSync(path, "else")],
    ["rewritten with the same length and the old times", rewriteInPlace],
    ["replaced", (path) => replaceBy(path, "old")],
    ["removed", (path) => Fs.rmSync(path)]
  ]

  it.effect.each(changes)("is left alone: %s", ([, change]) =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "old")
      const where = yield* target(place, "a")
      change(place.at("a"))
      const before = place.names().map((name) => place.read(name))
      for (const since of ["Nothing", "OwnChanges"] as const) {
        const error = yield* Effect.flip(replace(place, where, "new", since))
        assertSameError(error, new LocationFiles.ChangedError({ path: "a" }))
      }
      assert.deepStrictEqual(
        place.names().map((name) => place.read(name)),
        before
      )
    })
  )

  it.effect("is left alone if it has appeared", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const where = yield* target(place, "a")
      place.write("a", "theirs")
      assertSameError(yield* Effect.flip(replace(place, where, "new")), new LocationFiles.ChangedError({ path: "a" }))
      assert.strictEqual(place.read("a"), "theirs")
    })
  )

  it.effect("is left alone if it appears at the last moment", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const where = yield* target(place, "a")
      const appears = {
        ...(yield* EffectSignal.Service),
        starting: Effect.sync(() => place.write("a", "theirs"))
      }
      const error = yield* Effect.flip(
        Effect.provideService(replace(place, where, "new"), EffectSignal.Service, appears)
      )
      assertSameError(error, new LocationFiles.ChangedError({ path: "a" }))
      assert.strictEqual(place.read("a"), "theirs")
      assert.deepStrictEqual(place.names(), ["a"])
    })
  )

  it.effect("by our own hand is changed further if the plan looks at what is there, and not if it does not", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "old")
      const [first, second, third] = yield* Effect.all([target(place, "a"), target(place, "a"), target(place, "a")])
      yield* replace(place, first, "1")
      yield* replace(place, second, "2", "OwnChanges")
      assertSameError(yield* Effect.flip(replace(place, third, "3")), new LocationFiles.ChangedError({ path: "a" }))
      assert.strictEqual(place.read("a"), "2")
    })
  )
})

function rewriteInPlace(path: string): void {
  const { atimeMs, mtimeMs } = Fs.statSync(path)
  Fs.writeFileSync(path, "OLD")
  Fs.utimesSync(path, atimeMs / 1000, mtimeMs / 1000)
}

function replaceBy(path: string, content: string): void {
  Fs.writeFileSync(`${path}.new`, content)
  Fs.renameSync(`${path}.new`, path)
}

describe("parallel changes", () => {
  it.effect("of one file all happen, also through another name and another Location", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "")
      Fs.symlinkSync("a", place.at("link"))
      const other = yield* Layer.build(LocationFiles.layer({ root: place.root }))
      const places = [place, { ...place, files: Context.get(other, LocationFiles.Service) }]
      const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
      yield* Effect.forEach(
        lines,
        (line, index) => append(places[index % 2] ?? place, index % 3 === 0 ? "a" : "link", line),
        { concurrency: "unbounded", discard: true }
      )
      assert.sameMembers(place.read("a").trimEnd().split("\n"), lines)
      assert.deepStrictEqual(place.names(), ["a", "link"])
    })
  )

  it.effect("of two files that are asked for in opposite order do not wait for each other for ever", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "")
      place.write("b", "")
      const both = (first: string, second: string) =>
        Effect.flatMap(Effect.all([target(place, first), target(place, second)]), (targets) =>
          place.files.change(targets, "OwnChanges", () =>
            Effect.succeed({ changes: targets.map((one) => LocationFiles.put(one, bytes(first))), result: undefined })
          )
        )
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => (index % 2 === 0 ? both("a", "b") : both("b", "a")),
        { concurrency: "unbounded", discard: true }
      )
      assert.strictEqual(place.read("a"), place.read("b"))
    })
  )
})

describe("several changes", () => {
  it.effect("happen all or not at all: the last one fails, and everything is as it was", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("changed", "old")
      place.write("removed", "old")
      place.write("last", "old")
      const targets = yield* Effect.forEach(["changed", "removed", "new/file", "last"], (path) => target(place, path))
      const [changed, removed, created, last] = targets
      assert(changed !== undefined && removed !== undefined && created !== undefined && last !== undefined)
      const fails = {
        ...(yield* EffectSignal.Service),
        starting: Effect.sync(() => place.write("last", "theirs"))
      }
      const change = place.files.change(targets, "Nothing", () =>
        Effect.succeed({
          changes: [
            LocationFiles.put(changed, bytes("new")),
            LocationFiles.remove(removed),
            LocationFiles.put(created, bytes("new")),
            LocationFiles.put(last, bytes("new"))
          ],
          result: undefined
        })
      )
      const error = yield* Effect.flip(Effect.provideService(change, EffectSignal.Service, fails))
      assertSameError(error, new LocationFiles.ChangedError({ path: "last" }))
      assert.deepStrictEqual(
        place.names().map((name) => [name, place.read(name)]),
        [
          ["changed", "old"],
          ["last", "theirs"],
          ["removed", "old"]
        ]
      )
    })
  )
})

describe("an interruption", () => {
  /** Stops a change of `path` where `at` says so, and gives what is left. */
  const interrupted = Effect.fnUntraced(function* (place: Place, at: "plan" | "starting") {
    const reached = yield* Deferred.make<void>()
    const stop = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    const signal = yield* EffectSignal.Service
    const where = yield* target(place, "new/a")
    const change = place.files.change([where], "Nothing", () =>
      Effect.as(at === "plan" ? stop : Effect.void, {
        changes: [LocationFiles.put(where, bytes("new"))],
        result: undefined
      })
    )
    const fiber = yield* Effect.forkChild(
      Effect.provideService(change, EffectSignal.Service, {
        ...signal,
        starting: at === "starting" ? Effect.interruptible(stop) : Effect.void
      })
    )
    yield* Deferred.await(reached)
    yield* Fiber.interrupt(fiber)
    return place.names()
  })

  it.effect.each(["plan", "starting"] as const)("before the first rename leaves nothing at all: %s", (at) =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const before = openDescriptors()
      assert.deepStrictEqual(yield* interrupted(place, at), [])
      assert.strictEqual(openDescriptors(), before)
      yield* replace(place, yield* target(place, "new/a"), "free again")
      assert.strictEqual(place.read("new/a"), "free again")
    })
  )

  it.live("at any moment leaves the old file or the new one, and nothing beside it", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const [old, next] = ["o".repeat(3_000_000), "n".repeat(3_000_000)]
      const before = openDescriptors()
      for (let turns = 0; turns < 60; turns++) {
        place.write("a", old)
        const fiber = yield* Effect.forkChild(
          Effect.flatMap(target(place, "a"), (where) => replace(place, where, next))
        )
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* Fiber.interrupt(fiber)
        assert.include([old, next], place.read("a"))
        assert.deepStrictEqual(place.names(), ["a"])
      }
      assert.strictEqual(openDescriptors(), before)
    })
  )
})
