/** How the plugins of a host stand, as data. */
import { Manifest } from "@haft/plugin-api/Plugin"
import { PluginFailure } from "@haft/plugin-api/PluginFailure"
import * as Schema from "effect/Schema"

export const Status = Schema.TaggedUnion({
  /** It is being loaded or installed. What was there before works until then. */
  Loading: { manifest: Schema.optionalKey(Manifest) },
  Active: { manifest: Manifest },
  /** Its newest version could not be installed, and this is the last good one. */
  Outdated: { manifest: Manifest, failure: PluginFailure },
  Failed: { failure: PluginFailure }
})
export type Status = typeof Status.Type

export const State = Schema.Struct({
  /** Where it comes from: a file, a package, or whatever it was installed as. */
  source: Schema.String,
  status: Status,
  /** What versions of before did not clean up, the last one last. */
  leaks: Schema.Array(Schema.String)
})
export type State = typeof State.Type

export const { Active: active, Failed: failed, Loading: loading, Outdated: outdated } = Status.cases
