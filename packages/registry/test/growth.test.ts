import { assert, beforeAll, describe, it } from "@effect/vitest"
import { ManagedOutput, OutputStore } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Bounds from "./support/bounds.ts"
import { succeeded } from "./support/settlements.ts"

const program = fileURLToPath(new URL("fixtures/growth.ts", import.meta.url))

/** In megabytes: more than is counted at a time, so that nothing is collected meanwhile. */
const youngGeneration = ["--max-semi-space-size=128", "--min-semi-space-size=128"]

interface Left {
  readonly registering: {
    readonly names: ReadonlyArray<string>
    readonly registrations: number
    readonly growth: number
    readonly keptGrowth: number
  }
  readonly previews: readonly [small: number, medium: number, large: number]
}

/** Less than a byte for each of a million; code that is compiled meanwhile takes some of it. */
const noGrowth = 500_000

/** Milliseconds. A tenth is usual. */
const slowMachine = 120_000

describe("a process that has worked for a long time", () => {
  let left: Left
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", ...youngGeneration, program])
    left = JSON.parse(stdout)
  }, slowMachine)

  it("has nothing left of a million registrations that were closed", () => {
    const { growth, keptGrowth, names, registrations } = left.registering
    assert.strictEqual(registrations, 1_000_000)
    assert.deepStrictEqual(names, ["stays"])
    assert.isBelow(growth, noGrowth)
    assert.isAbove(keptGrowth, noGrowth, "a few that stay are seen")
  })

  it("allocates the same for the preview of a text, whether it has one mebibyte or sixty-four", () => {
    const [small, medium, large] = left.previews
    assert.isAbove(small, OutputBounds.defaults.bytes, "the preview is counted")
    for (const bytes of [medium, large]) assert.isBelow(Math.abs(bytes - small) / small, 0.25)
  })
})

const ref = ManagedOutput.Ref.make("out_0123456789abcdef")

/** Looks at nothing of what it is given. */
const forgetful = OutputBounds.layer().pipe(
  Layer.provide(Layer.mock(OutputStore.Service, { retain: () => Effect.succeed({ ref, bytes: 1, lines: 1 }) }))
)

/** How often the preview of a list looks at an element of it. */
const looksAt = Effect.fnUntraced(function* (length: number) {
  let looks = 0
  const list = new Proxy(
    Array.from({ length }, () => 1),
    {
      get: (target, key, receiver) => {
        looks++
        return Reflect.get(target, key, receiver)
      }
    }
  )
  yield* Bounds.bound(succeeded({ list }), { bytes: 2_000 })
  return looks
})

describe("the preview of a list", () => {
  it.effect("looks at as many elements of a million as of ten thousand", () =>
    Effect.gen(function* () {
      const few = yield* looksAt(10_000)
      assert.isAbove(few, 10)
      // The number of those that are left out has more digits.
      assert.isBelow(Math.abs((yield* looksAt(1_000_000)) - few), 10)
    }).pipe(Effect.provide(forgetful))
  )
})
