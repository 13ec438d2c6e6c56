import { ToolFailure } from "@haft/core"
import { Capability, Fetch, PromisePlugin } from "@haft/plugin-api"
import * as Testing from "@haft/plugin-api/testing"
import { z } from "zod"

const Weather = z.object({ degrees: z.number() })

// In a file of its own, `.haft/plugins/weather.ts`, this is the default export.
const plugin = PromisePlugin.make({
  id: "weather",
  capabilities: [Fetch.Service],
  install: ({ capabilities: { fetch }, register }) =>
    register({
      forecast: {
        description: "How warm it will be in a city tomorrow",
        input: z.object({ city: z.string() }),
        output: Weather,
        execute: async ({ city }, { signal }) => {
          const response = await fetch(`https://weather.example/${encodeURIComponent(city)}`, { signal })
          if (response.status === 404) throw ToolFailure.notFound({ message: `No city called ${city}` })
          return Weather.parse(await response.json())
        }
      }
    })
})

// A test hands it whatever it asks for, and looks whether it leaves anything behind.
const fakeFetch: Fetch.Interface = async (url) =>
  String(url).endsWith("/Oslo") ? Response.json({ degrees: -3 }) : new Response("", { status: 404 })
const kit = await Testing.start(plugin, Capability.grant(Fetch.Service, fakeFetch))
console.log(kit.names())
console.log(await kit.call("forecast", { city: "Oslo" }))
console.log(await kit.call("forecast", { city: "Olso" }).catch((failure) => failure.message))
console.log(await kit.close())
