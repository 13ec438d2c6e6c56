/**
 * The `SettlementStore` that needs nothing else. The one that survives its process is in `@haft/registry/sql`.
 */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Layer from "effect/Layer"
import { MemoryStore } from "./internal/memoryStore.ts"

/**
 * Keeps every call in memory until the layer's Scope closes, each build for itself. Nothing is ever unfinished here: the
 * record of a call is gone as soon as its process is.
 */
export const layerMemory: Layer.Layer<SettlementStore.Service> = Layer.fresh(
  Layer.sync(SettlementStore.Service, () => new MemoryStore())
)
