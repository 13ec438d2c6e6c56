import { assert, describe, it } from "@effect/vitest"
import { SettlementStore, SideEffect } from "@haft/core"
import * as Recovery from "@haft/registry/Recovery"
import { Context, Effect, Layer, Option, Ref } from "effect"
import { begun, settled } from "./support/calls.ts"
import { databaseFile, layerFile } from "./support/settlementStore.ts"

const interrupted: SettlementStore.Ended = { _tag: "Interrupted", effect: SideEffect.none }
const unknown: SettlementStore.Ended = { _tag: "Operational", effect: SideEffect.unknown, code: "Unfinished" }

type Determinism = SettlementStore.Begun["determinism"]

const call = (id: string, determinism: Determinism, effectPossible: boolean): SettlementStore.Begun => ({
  ...begun(id),
  determinism,
  effectPossible
})

/** What a fake store was asked to end, in order. Ends are kept by the id of the call. */
class Ends extends Context.Service<Ends, Ref.Ref<ReadonlyMap<string, SettlementStore.Ended>>>()("test/Ends") {}

/** What a fake store does when it is asked to end a call. */
type Ending = (id: string) => "takes it" | "fails once" | "has begun it again" | "has another end"

const takesAll: Ending = () => "takes it"

const other: SettlementStore.Ended = { _tag: "Died", effect: SideEffect.none }

/** A store after a crash. It can begin nothing. */
const layerCrashed = (calls: ReadonlyArray<SettlementStore.Begun>, ending = takesAll) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const ends = yield* Ref.make<ReadonlyMap<string, SettlementStore.Ended>>(new Map())
      const failed = new Set<string>()
      const end = (id: string, ended: SettlementStore.Ended) => {
        const does = ending(id)
        if (does === "has begun it again") return Effect.succeedNone
        if (does === "has another end") return Effect.succeedSome(other)
        if (does === "takes it" || failed.has(id))
          return Effect.as(
            Ref.update(ends, (known) => new Map(known).set(id, ended)),
            Option.some(ended)
          )
        failed.add(id)
        return Effect.fail(new SettlementStore.StorageError({ operation: "complete" }))
      }
      const store: SettlementStore.Interface = {
        begin: () => Effect.die("recovery begins nothing"),
        advance: () => Effect.die("recovery advances nothing"),
        complete: () => Effect.die("recovery ends nothing that runs"),
        find: () => Effect.succeedNone,
        unfinished: Effect.map(Ref.get(ends), (known) =>
          calls.filter(({ context }) => !known.has(context.toolCallID)).map((begun) => ({ begun }))
        ),
        finish: (all) =>
          Effect.forEach(all, ({ ended, unfinished }) => end(unfinished.begun.context.toolCallID, ended), {
            concurrency: "unbounded"
          })
      }
      return Context.make(SettlementStore.Service, store).pipe(Context.add(Ends, ends))
    })
  )

const ends = Effect.flatMap(Ends, Ref.get)

describe("recovery", () => {
  const table: ReadonlyArray<readonly [string, Determinism, boolean, SettlementStore.Ended]> = [
    ["pure", "pure", false, interrupted],
    ["idempotent before any effect was possible", "idempotent", false, interrupted],
    ["side-effectful before any effect was possible", "side_effectful", false, interrupted],
    ["idempotent", "idempotent", true, unknown],
    ["side-effectful", "side_effectful", true, unknown],
    ["declared pure and yet about to change something", "pure", true, unknown]
  ]

  it.effect.each(table)("ends a call that was %s", ([, determinism, effectPossible, ended]) => {
    const left = call("call", determinism, effectPossible)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* Recovery.recover, [{ begun: left, ended }])
      assert.deepStrictEqual(yield* ends, new Map([["call", ended]]))
    }).pipe(Effect.provide(layerCrashed([left])))
  })

  it.effect("has nothing to do the second time", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Recovery.recover).length, 2)
      const after = yield* ends
      assert.deepStrictEqual(yield* Recovery.recover, [])
      assert.strictEqual(yield* ends, after)
    }).pipe(Effect.provide(layerCrashed([call("1", "pure", false), call("2", "side_effectful", true)])))
  )

  it.effect("reports the calls in the order they began", () => {
    const calls = Array.from({ length: 200 }, (_, index) => call(`${index}`, "pure", false))
    return Effect.gen(function* () {
      const recovered = yield* Recovery.recover
      assert.deepStrictEqual(
        recovered.map(({ begun }) => begun),
        calls
      )
    }).pipe(Effect.provide(layerCrashed(calls)))
  })

  it.effect("reports the end that stands, and leaves out what has begun again", () => {
    const calls = ["again", "ended", "left"].map((id) => call(id, "pure", false))
    const ending: Ending = (id) => {
      if (id === "again") return "has begun it again"
      return id === "ended" ? "has another end" : "takes it"
    }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* Recovery.recover, [
        { begun: call("ended", "pure", false), ended: other },
        { begun: call("left", "pure", false), ended: interrupted }
      ])
    }).pipe(Effect.provide(layerCrashed(calls, ending)))
  })

  it.effect("that the store cuts short says so, and goes on the next time", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Recovery.recover)
      assert.deepInclude(error, { _tag: "SettlementStore.StorageError", operation: "complete" })
      const rest = yield* Recovery.recover
      assert.include(
        rest.map(({ begun }) => String(begun.context.toolCallID)),
        "2"
      )
      assert.deepStrictEqual([...(yield* ends).keys()].toSorted(), ["1", "2", "3"])
    }).pipe(
      Effect.provide(
        layerCrashed(
          ["1", "2", "3"].map((id) => call(id, "pure", false)),
          (id) => (id === "2" ? "fails once" : "takes it")
        )
      )
    )
  )
})

describe("recovery on a SQLite file", () => {
  const withStore = <A, E>(filename: string, use: (store: SettlementStore.Interface) => Effect.Effect<A, E>) =>
    Effect.provide(Effect.flatMap(SettlementStore.Service, use), Layer.fresh(layerFile(filename)))

  it.effect("ends what a closed store left behind, and neither what it had ended nor what is running", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const [left, advanced, done, running] = [
        call("left", "pure", false),
        { ...call("advanced", "pure", false), begunAt: 1 },
        call("done", "side_effectful", true),
        call("running", "side_effectful", true)
      ]
      yield* withStore(filename, (store) =>
        Effect.gen(function* () {
          for (const one of [left, advanced, done]) yield* store.begin(one)
          yield* store.advance(advanced.context)
          yield* store.complete(done.context, settled(done))
        })
      )
      const check = Effect.gen(function* () {
        const store = yield* SettlementStore.Service
        yield* store.begin(running)
        assert.deepStrictEqual(yield* Recovery.recover, [
          { begun: left, ended: interrupted },
          { begun: { ...advanced, effectPossible: true }, ended: unknown }
        ])
        assert.deepStrictEqual(yield* Recovery.recover, [])
        const tags = yield* Effect.forEach([left, advanced, done, running], ({ context }) => store.find(context))
        assert.deepStrictEqual(
          tags.map((record) => {
            const found = Option.getOrThrow(record)
            return found._tag === "Ended" ? found.ended : found._tag
          }),
          [interrupted, unknown, settled(done), "Running"]
        )
      })
      yield* Effect.provide(check, layerFile(filename))
    })
  )
})
