/**
 * The services of each Location, built when somebody first borrows them, shared by all who borrow the same Location, and
 * released some time after the last of them has left. Locations share nothing but what the process provides to all.
 */
import type * as Location from "@haft/core/Location"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type * as Tools from "@haft/core/Tools"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import type * as Scope from "effect/Scope"
import type { ApplicationPlacement } from "./internal/applicationPlacement.ts"
import type * as OutputBounds from "./OutputBounds.ts"
import * as ToolRegistry from "./ToolRegistry.ts"

/** Which Location the services around it belong to. */
export class Current extends Context.Service<Current, Location.Ref>()("@haft/registry/Locations") {}

/** What every Location has of its own. */
export type Own = Current | ToolRegistry.Service | Tools.Service

/** What the process provides to all of them. */
export type Shared = ApplicationPlacement | OutputBounds.Service | SettlementStore.Service

/** What a host decides about its Locations. */
export interface Options<A, E, R> {
  /** What else a Location has. It is built for each of them anew; what is to be shared, it requires. */
  readonly layer: (ref: Location.Ref) => Layer.Layer<A, E, R>
  /** How long a Location stays when nobody borrows it. */
  readonly idleTimeToLive?: Duration.Input
}

/** A person who thinks between two turns should not wait for a Location to be built again. */
export const defaultIdleTimeToLive = "5 minutes"

/**
 * A borrower keeps its Location until its own Scope closes, so borrow for as long as a turn is used. A Location that
 * cannot be built fails for those who wait for it, and is built again for the next one who asks.
 */
export const make = Effect.fnUntraced(function* <A, E, R>(
  options: Options<A, E, R>
): Effect.fn.Return<LayerMap.LayerMap<Location.Ref, A | Own, E>, never, Exclude<R, Own> | Shared | Scope.Scope> {
  const shared = yield* Effect.context<Exclude<R, Own> | Shared>()
  const map: LayerMap.LayerMap<Location.Ref, A | Own, E> = yield* LayerMap.make(
    (ref: Location.Ref) =>
      layerOf(ref, options.layer).pipe(
        Layer.tapCause(() => forget(map, ref)),
        // A borrower may stand in another Location, and what is there is not for this one.
        Layer.provide(Layer.succeedContext(shared))
      ),
    { idleTimeToLive: options.idleTimeToLive ?? defaultIdleTimeToLive }
  )
  return map
})

/** Without `fresh`, whatever does not depend on the reference would be built once for all Locations. */
const layerOf = <A, E, R>(ref: Location.Ref, layer: Options<A, E, R>["layer"]) => {
  const own = Layer.provideMerge(ToolRegistry.layer, Layer.succeed(Current, ref))
  return Layer.fresh(
    Layer.provideMerge(
      Layer.suspend(() => layer(ref)),
      own
    )
  )
}

/** In a fiber of its own: closing what was built waits for the fiber that is building. */
const forget = <A, E>(map: LayerMap.LayerMap<Location.Ref, A, E>, ref: Location.Ref) =>
  Effect.forkDetach(map.invalidate(ref), { startImmediately: true })
