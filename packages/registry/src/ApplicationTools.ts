/** The capability to register tools for the whole process. They are offered in every Location that has no other. */
import type * as Tools from "@haft/core/Tools"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApplicationPlacement } from "./internal/applicationPlacement.ts"
import * as Placement from "./internal/placement.ts"

export class Service extends Context.Service<Service, Tools.Interface>()("@haft/registry/ApplicationTools") {}

/** One placement, for holders to register in and for the registries of Locations to read. */
export const layer: Layer.Layer<Service | ApplicationPlacement> = Layer.effectContext(
  Effect.map(Placement.make, (placement) =>
    Context.make(Service, { register: placement.register }).pipe(Context.add(ApplicationPlacement, placement))
  )
)
