/** The capability to add tools to one placement. Holders can register; they cannot list, resolve or execute. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Tool from "./Tool.ts"

export interface Interface {
  /** Adds tools until the current Scope closes: all of them or, if one is bad, none. The newest of a name wins. */
  readonly register: (
    tools: Readonly<Record<string, Tool.Any>>
  ) => Effect.Effect<void, Tool.RegistrationError, Scope.Scope>
}

export class Service extends Context.Service<Service, Interface>()("@haft/core/Tools") {}
