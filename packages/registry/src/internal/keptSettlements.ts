/** The complete settlements that `OutputBounds.layerMemory` keeps, by the reference that a model was given. */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import type { Settlement } from "@haft/core/Settlement"
import * as Context from "effect/Context"
import type * as Ref from "effect/Ref"

export class KeptSettlements extends Context.Service<
  KeptSettlements,
  Ref.Ref<ReadonlyMap<ManagedOutput.Ref, Settlement>>
>()("@haft/registry/internal/keptSettlements") {}
