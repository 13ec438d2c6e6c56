import { assert, describe, it } from "@effect/vitest"
import { LocationFiles } from "@haft/builtins"
import { EffectSignal } from "@haft/core"
import { NodeOwners } from "@haft/node"
import { Context, Deferred, Effect, Fiber, Layer, Logger } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import { makePlace, type Place } from "./support/place.ts"

const journalOf = ({ above }: Place): LocationFiles.Journal => ({
  directory: join(above, "journal"),
  owners: NodeOwners.make({ directory: join(above, "journal", "owners") })
})

/** As another process that starts in the same project. */
const start = Effect.fnUntraced(
  function* (place: Place, journal = journalOf(place)) {
    const context = yield* Layer.build(Layer.fresh(LocationFiles.layer({ root: place.root, journal })))
    return Context.get(context, LocationFiles.Service)
  },
  Effect.provide(Logger.layer([]))
)

const entries = ({ above }: Place): ReadonlyArray<string> =>
  Fs.readdirSync(join(above, "journal")).filter((name) => name !== "owners")

const bytes = (text: string) => new TextEncoder().encode(text)

const putAll = Effect.fnUntraced(function* (files: LocationFiles.Interface, paths: ReadonlyArray<string>) {
  const located = yield* Effect.forEach(paths, files.resolve)
  const targets = located.filter((one) => one._tag === "Target")
  const changes = targets.map((target) => LocationFiles.put(target, bytes("new")))
  yield* files.change(targets, "Nothing", () => Effect.succeed({ changes, result: undefined }))
})

const contentOf = (path: string): string => {
  const { ino, mtimeNs, size } = Fs.lstatSync(path, { bigint: true })
  return [ino, size, mtimeNs].join(":")
}

const stem = `.haft-${"0".repeat(32)}`

/** As a process leaves it that dies between two renames: `a` is new, and `b` is not yet. */
const abandon = (place: Place, directory = "") => {
  const at = (name: string) => join(directory, name)
  place.write(at("a"), "new")
  place.write(at(`${stem}.old`), "old")
  place.write(at("b"), "old")
  place.write(at(`${stem}1.tmp`), "new")
  const names = (name: string) => ({ root: place.root, names: at(name).split("/") })
  const steps = [
    {
      place: names("a"),
      temporary: `${stem}.tmp`,
      backup: `${stem}.old`,
      before: contentOf(place.at(at(`${stem}.old`))),
      after: contentOf(place.at(at("a")))
    },
    {
      place: names("b"),
      temporary: `${stem}1.tmp`,
      backup: `${stem}1.old`,
      before: contentOf(place.at(at("b"))),
      after: contentOf(place.at(at(`${stem}1.tmp`)))
    }
  ]
  leaveEntry(place, { isRenaming: true, steps, directories: [] })
}

const leaveEntry = (place: Place, entry: object) => {
  const { directory } = journalOf(place)
  Fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  const name = `${Buffer.from("somebody who died").toString("hex")}-${"0".repeat(32)}.json`
  Fs.writeFileSync(join(directory, name), JSON.stringify(entry))
}

/** As a process leaves it that dies while it makes new files, each in its own way, in a directory that was not there. */
const abandonNew = (place: Place) => {
  const stepOf = (name: string, temporary: string) => ({
    place: { root: place.root, names: ["sub", name] },
    temporary,
    backup: `${name}.old`,
    after: contentOf(place.at(`sub/${temporary}`))
  })
  for (const name of ["linked", "reserved", "taken"]) place.write(`sub/${stem}${name}.tmp`, "new")
  Fs.linkSync(place.at(`sub/${stem}linked.tmp`), place.at("sub/linked"))
  place.write("sub/reserved", "")
  place.write("sub/taken", "by somebody else")
  const steps = ["linked", "reserved", "taken"].map((name) => stepOf(name, `${stem}${name}.tmp`))
  leaveEntry(place, { isRenaming: true, steps, directories: [{ root: place.root, names: ["sub"] }] })
}

describe("a journal", () => {
  it.effect("undoes what a dead process left half done, and leaves nothing of it", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      abandon(place)
      yield* start(place)
      assert.deepStrictEqual([place.read("a"), place.read("b")], ["old", "old"])
      assert.deepStrictEqual(place.names(), ["a", "b"])
      assert.deepStrictEqual(entries(place), [])
    })
  )

  it.effect("takes away new files that are its own, and no other of the same name", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      abandonNew(place)
      yield* start(place)
      assert.deepStrictEqual(place.names(), ["sub", "sub/taken"])
      assert.strictEqual(place.read("sub/taken"), "by somebody else")
      Fs.rmSync(place.at("sub"), { recursive: true })
      abandonNew(place)
      Fs.rmSync(place.at("sub/taken"))
      yield* start(place)
      assert.deepStrictEqual(place.names(), [])
    })
  )

  it.effect("leaves alone what a living process is changing, which then goes on to its end", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      for (const path of ["a", "b"]) place.write(path, "old")
      const [reached, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const starting = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(go))
      const signal = { asking: Effect.void, granted: () => Effect.void, starting, committed: () => Effect.void }
      const change = putAll(yield* start(place), ["a", "b", "sub/c"])
      const fiber = yield* Effect.forkChild(Effect.provideService(change, EffectSignal.Service, signal))
      yield* Deferred.await(reached)
      const during = place.names()
      yield* start(place)
      assert.deepStrictEqual(place.names(), during)
      assert.lengthOf(entries(place), 1)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(["a", "b", "sub/c"].map(place.read), ["new", "new", "new"])
      assert.deepStrictEqual(entries(place), [])
    })
  )

  it.effect("does not touch what somebody has changed since, and keeps the old content beside it", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      abandon(place)
      place.write("a", "by hand")
      yield* start(place)
      assert.deepStrictEqual([place.read("a"), place.read("b")], ["by hand", "old"])
      assert.deepStrictEqual(place.names(), [`${stem}.old`, "a", "b"])
    })
  )

  it.effect("follows no link that stands where a directory was", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      abandon(place, "sub")
      Fs.renameSync(place.at("sub"), join(place.above, "moved"))
      Fs.symlinkSync(join(place.above, "moved"), place.at("sub"))
      const names = Fs.readdirSync(join(place.above, "moved"))
      yield* start(place)
      assert.deepStrictEqual(Fs.readdirSync(join(place.above, "moved")), names)
    })
  )

  it.effect("waits for a directory that is not there, and cleans up when it is", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const [away, other] = [join(place.above, "away"), yield* makePlace()]
      abandon(place)
      Fs.renameSync(place.root, away)
      yield* Effect.scoped(start({ ...other, above: place.above }))
      assert.lengthOf(entries(place), 1)
      Fs.renameSync(away, place.root)
      yield* start({ ...other, above: place.above })
      assert.deepStrictEqual(place.names(), ["a", "b"])
      assert.deepStrictEqual(entries(place), [])
    })
  )

  it.effect("drops an entry that cannot be read, since nothing was changed before it was complete", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      abandon(place)
      const [name = ""] = entries(place)
      Fs.truncateSync(join(place.above, "journal", name), 10)
      Fs.writeFileSync(join(place.above, "journal", name.replace("json", "new")), "{")
      Fs.writeFileSync(join(place.above, "journal", "notes.txt"), "of somebody else")
      yield* start(place)
      assert.deepStrictEqual(entries(place), ["notes.txt"])
    })
  )

  it.effect.each([
    ["JournalInside", (place: Place) => place.at("journal")],
    ["JournalNotPrivate", ({ above }: Place) => above],
    ["JournalUnusable", ({ at, write }: Place) => (write("file", ""), at("file"))]
  ] as const)("is refused where it could be forged or is of no use: %s", ([reason, directoryOf]) =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      Fs.chmodSync(place.above, 0o755)
      const error = yield* Effect.flip(start(place, { ...journalOf(place), directory: directoryOf(place) }))
      assert.strictEqual(error.reason, reason)
    })
  )

  it.effect("that cannot be written keeps a change from being made", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      place.write("a", "old")
      const files = yield* start(place)
      Fs.rmSync(join(place.above, "journal"), { recursive: true })
      const error = yield* Effect.flip(putAll(files, ["a", "b"]))
      assert.strictEqual(error._tag, "LocationFiles.SystemError")
      assert.deepStrictEqual(place.names(), ["a"])
      assert.strictEqual(place.read("a"), "old")
    })
  )
})
