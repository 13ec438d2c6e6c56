import { Capability, Fetch } from "@haft/plugin-api"
import { Locations, PluginHost } from "@haft/registry"
import * as Plugins from "@haft/registry/plugins"
import { Layer } from "effect"

export const locations = Locations.make({
  layer: (ref) =>
    Plugins.layerFolder({ folder: `${ref}/${Plugins.defaultFolder}`, watch: true }).pipe(
      Layer.provideMerge(PluginHost.layer({ grants: () => [Capability.grant(Fetch.Service, globalThis.fetch)] }))
    )
})
