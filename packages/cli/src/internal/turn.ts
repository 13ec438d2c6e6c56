/** What the project offers, without the tools that its configuration hides. */
import * as ToolRegistry from "@haft/registry/ToolRegistry"
import type * as Visibility from "@haft/registry/Visibility"
import * as Effect from "effect/Effect"
import * as Project from "../Project.ts"

export const turn = Effect.gen(function* () {
  const registry = yield* ToolRegistry.Service
  const { config } = yield* Project.Service
  const hidden = (config.hide ?? []).map((action): Visibility.Rule => ({ action, resource: "*", effect: "deny" }))
  return yield* registry.materialize({ rules: [...(config.permissions ?? []), ...hidden] })
})

/** For whoever takes turns and knows nothing of projects. */
export const toolsOf = Effect.map(Effect.context<Effect.Services<typeof turn>>(), (services) =>
  Effect.provideContext(turn, services)
)
