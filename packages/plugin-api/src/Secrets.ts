/** The capability `secrets`: values that no model, log or record may show, by their names. */
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Capability from "./Capability.ts"

/** There is no such secret for this plugin. */
export class MissingError extends Schema.TaggedError<MissingError>()("Secrets.MissingError", { name: Schema.String }) {}

export interface Interface {
  /** Ask for it at each call, and keep it no longer: secrets are rotated. */
  readonly get: (name: string) => Effect.Effect<Redacted.Redacted, MissingError>
}

export class Service extends Capability.Service<Service, Interface>()("secrets") {}
