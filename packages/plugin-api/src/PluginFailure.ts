/** Why a plugin is not there. People read it: what went wrong, where, and what its author can do. */
import * as Schema from "effect/Schema"

/** What went wrong, as far as it makes a difference. */
export const Reason = Schema.Literals([
  "NotFound",
  "NotLoaded",
  "NotAPlugin",
  "ForeignPlugin",
  "InvalidOptions",
  "DuplicateID",
  "NotGranted",
  "BadRegistration",
  "Failed",
  "Died",
  "TimedOut"
])
export type Reason = typeof Reason.Type

/** Concerns one plugin and nobody else. */
export class PluginFailure extends Schema.TaggedError<PluginFailure>()("PluginFailure", {
  reason: Reason,
  message: Schema.String
}) {}
