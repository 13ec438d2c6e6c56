/** The registry for tests on another store for outputs. */
import type { OutputStore } from "@haft/core"
import { ApplicationTools, OutputBounds, SettlementStores, ToolRegistry } from "@haft/registry"
import { Layer } from "effect"
import * as Probe from "../../src/internal/probe.ts"

export const layer = <A>(outputs: Layer.Layer<A | OutputStore.Service>) =>
  Layer.fresh(
    ToolRegistry.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          ApplicationTools.layer,
          OutputBounds.layer(),
          Probe.layer.pipe(Layer.provide(SettlementStores.layerMemory))
        )
      ),
      Layer.provideMerge(outputs)
    )
  )
