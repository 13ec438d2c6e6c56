/**
 * The one boundary that everything a model reads passes. What is within the limits goes through untouched; of anything
 * else the model gets a preview with a reference, and the complete output is kept in the `OutputStore`.
 */
import * as OutputStore from "@haft/core/OutputStore"
import type { Settlement } from "@haft/core/Settlement"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as internal from "./internal/boundary.ts"
import * as BoundLimits from "./internal/boundLimits.ts"
import * as TurnBudget from "./internal/turnBudget.ts"

/** How much of a call and of a turn a model reads. Whole numbers. */
export type Limits = BoundLimits.Limits

/**
 * Lines and bytes of a call: what people accept to scroll through, some 15,000 tokens. Of a turn: five such calls, less
 * than half of a context of 200,000 tokens.
 *
 * Media, by the strictest of the large providers. Bytes of a part: Amazon Bedrock takes images of 3.75 MB, which are the
 * 5 MB in base64 that Anthropic takes. Parts: Bedrock takes 20 in a message, and from 20 on Anthropic takes only small
 * ones. Bytes of a call: in base64 half of a request of 20 MB, the least that providers take (Bedrock, Google's inline
 * data), because the conversation has to fit as well. Bytes of a turn: the same, because the results of a turn go out in
 * one request. The same holds for parts.
 */
export const defaults: Limits = {
  lines: 2_000,
  bytes: 51_200,
  turnLines: 10_000,
  turnBytes: 256_000,
  mediaBytes: 3_750_000,
  mediaTotalBytes: 7_500_000,
  turnMediaBytes: 7_500_000,
  mediaParts: 20,
  turnMediaParts: 20
}

/**
 * The least that a call can be limited to, by whatever limit, and what it gets when the budget of its turn is used up: a
 * reference and a few words. Lower limits count as these.
 */
export const smallest: { readonly bytes: number; readonly lines: number } = TurnBudget.smallest

/** Of one turn, with one budget for all of its calls. */
export interface Boundary {
  /** Gives the same settlement back, or a shorter one that refers to what was left out. Never a shorter one without. */
  readonly bound: (settlement: Settlement) => Effect.Effect<Settlement, OutputStore.StorageError>
  /** Lets go of what a bounded settlement refers to, because it was not recorded. */
  readonly withdraw: (settlement: Settlement) => Effect.Effect<void>
}

export interface Interface {
  /** `tools` are those that the turn offers, by name. A turn can only lower limits; throws on what is no limit. */
  readonly forTurn: (tools: ReadonlyMap<string, ToolDefinition>, limits?: Partial<Limits>) => Boundary
}

export class Service extends Context.Service<Service, Interface>()("@haft/registry/OutputBounds") {}

/** Limits that are not given are the defaults. A limit that is none is a defect, found when the layer is built. */
export const layer = (limits?: Partial<Limits>): Layer.Layer<Service, never, OutputStore.Service> =>
  Layer.effect(
    Service,
    Effect.map(OutputStore.Service, (store) => {
      const ofHost = BoundLimits.chosen(defaults, limits)
      return {
        forTurn: (tools, limits) => new internal.Boundary(store, tools, BoundLimits.lowered(ofHost, limits))
      }
    })
  )
