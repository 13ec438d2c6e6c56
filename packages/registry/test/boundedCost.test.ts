import { assert, describe, it } from "@effect/vitest"
import { ManagedOutput, OutputStore, ToolContent } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import { Effect, Layer, type Schema } from "effect"
import { pick } from "../src/internal/jsonEntries.ts"
import { Keys } from "../src/internal/keys.ts"
import * as Bounds from "./support/bounds.ts"
import { readOf } from "./support/read.ts"
import { succeeded } from "./support/settlements.ts"

/** An object that knows how often its keys were listed, and its members looked at. */
const watched = (members: Record<string, Schema.Json>) => {
  const seen = { listings: 0, looks: 0 }
  const object = new Proxy(members, {
    ownKeys: (target) => {
      seen.listings++
      return Reflect.ownKeys(target)
    },
    get: (target, key) => {
      seen.looks++
      return Reflect.get(target, key)
    }
  })
  return { object, seen }
}

const keyed = (count: number, key: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), index]))

const ref = ManagedOutput.Ref.make("out_0123456789abcdef")

/** Looks at nothing of what it is given. */
const forgetful = OutputBounds.layer().pipe(
  Layer.provide(Layer.mock(OutputStore.Service, { retain: () => Effect.succeed({ ref, bytes: 1, lines: 1 }) }))
)

const many = 100_000

describe("an object with very many keys", () => {
  it.effect("has them listed once, and is looked at no further than what is shown of it", () =>
    Effect.gen(function* () {
      const { object, seen } = watched(keyed(many, (index) => `key ${index}`))
      const shown = yield* Bounds.bound(succeeded({ some: [{ object }] }), { bytes: 2_000 })
      assert.isAtMost(readOf(shown).bytes, 2_000)
      assert.strictEqual(seen.listings, 1)
      assert.isAtMost(seen.looks, 2_000)
    }).pipe(Effect.provide(forgetful))
  )

  it.effect("has them listed once even where it is kept, and each member written once", () =>
    Effect.gen(function* () {
      const members = keyed(many, (index) => `key ${index}`)
      const { object, seen } = watched(members)
      yield* Bounds.bound(succeeded([object, 1]), { bytes: 2_000 })
      assert.deepStrictEqual(yield* Bounds.keptTexts, [["application/json", JSON.stringify([members, 1])]])
      assert.strictEqual(seen.listings, 1)
      assert.isAtMost(seen.looks, many + 2_000)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("beside media has them listed once too", () =>
    Effect.gen(function* () {
      const { object, seen } = watched(keyed(many, (index) => `key ${index}`))
      const image = ToolContent.media({ mimeType: "image/png", data: new Uint8Array(1_000) })
      yield* Bounds.bound(succeeded({ object }, [image]), { bytes: 2_000 })
      assert.strictEqual(seen.listings, 1)
    }).pipe(Effect.provide(forgetful))
  )

  it.effect("that are all too long to be shown says how many there are", () =>
    Effect.gen(function* () {
      const value = keyed(2_000, (index) => `${"x".repeat(300)} ${index}`)
      const shown = yield* Bounds.bound(succeeded(value), { bytes: 2_000 })
      assert(shown._tag === "Succeeded")
      assert.deepNestedInclude(shown.output.structured, { value: { "…": "2000 keys left out" } })
    }).pipe(Effect.provide(forgetful))
  )

  it("that are all too long to be shown is not searched for one that is not", () => {
    let looks = 0
    const overheadAt = () => {
      looks++
      return undefined
    }
    const ends = pick({ count: 1_000_000, valueAt: () => null, overheadAt }, 2_000, new Keys())
    assert.deepStrictEqual(ends, { first: [], last: [] })
    assert.isAtMost(looks, 2_000)
  })

  it.effect("that changes between two calls is kept as it is at each", () =>
    Effect.gen(function* () {
      const object = keyed(20_000, (index) => `key ${index}`)
      const { bound } = (yield* OutputBounds.Service).forTurn(new Map())
      yield* bound(succeeded(object))
      object["one more"] = 1
      yield* bound(succeeded(object))
      const [, second] = yield* Bounds.keptTexts
      assert.strictEqual(second?.[1], JSON.stringify(object))
    }).pipe(Effect.provide(Bounds.layer))
  )
})
