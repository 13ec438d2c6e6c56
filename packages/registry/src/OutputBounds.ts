/**
 * The one boundary that everything a model reads passes. What is within the limits goes through untouched; of anything
 * else the model gets a preview with a reference, and the complete settlement is kept.
 */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import type * as OutputStore from "@haft/core/OutputStore"
import type { Settlement } from "@haft/core/Settlement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import { KeptSettlements } from "./internal/keptSettlements.ts"
import { isWithin, shorten } from "./internal/shorten.ts"

/** Characters that a model reads of one call at most, of text and structured output together. */
export const defaultMaxCharacters = 51_200

export interface Interface {
  /** Gives the same settlement back, or a shorter one that refers to the complete one. Never a shorter one without. */
  readonly bound: (settlement: Settlement) => Effect.Effect<Settlement, OutputStore.StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/registry/OutputBounds") {}

/** Keeps complete settlements in memory until the layer's Scope closes. */
export const layerMemory = (options?: { readonly maxCharacters?: number }): Layer.Layer<Service | KeptSettlements> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const limit = options?.maxCharacters ?? defaultMaxCharacters
      if (!(limit >= 1)) return yield* Effect.die(new RangeError(`maxCharacters must be at least 1, not ${limit}`))
      const kept = yield* Ref.make<ReadonlyMap<ManagedOutput.Ref, Settlement>>(new Map())
      const keep = Effect.fnUntraced(function* (settlement: Settlement) {
        const ref = yield* makeRef
        yield* Ref.update(kept, (before) => new Map(before).set(ref, settlement))
        return shorten(settlement, limit, ref)
      })
      const bound = (settlement: Settlement) =>
        isWithin(settlement, limit) ? Effect.succeed(settlement) : keep(settlement)
      return Context.make(Service, { bound }).pipe(Context.add(KeptSettlements, kept))
    })
  )

/** Eight hexadecimal digits. */
const randomWord = Effect.map(Random.nextIntBetween(0, 2 ** 32), (word) => word.toString(16).padStart(8, "0"))

const makeRef: Effect.Effect<ManagedOutput.Ref> = Effect.map(
  Effect.all([randomWord, randomWord, randomWord, randomWord]),
  (words) => ManagedOutput.Ref.make(`out_${words.join("")}`)
)
