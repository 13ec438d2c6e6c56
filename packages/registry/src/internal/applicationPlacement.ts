/** The process's placement as registries see it: readable, where `ApplicationTools` can only register. */
import * as Context from "effect/Context"
import type { Placement } from "./placement.ts"

export class ApplicationPlacement extends Context.Service<ApplicationPlacement, Placement>()(
  "@haft/registry/internal/applicationPlacement"
) {}
