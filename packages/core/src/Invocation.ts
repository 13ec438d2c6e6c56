/** What exactly is being executed, for a permission implementation that binds its answer to it. */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Tool from "./Tool.ts"
import type { ToolName } from "./ToolName.ts"

export interface Interface {
  readonly name: ToolName
  /** Of the definition that the model was shown. */
  readonly registrationDigest: string
  /** The arguments as they are decoded, after any repair, for the person who is asked. */
  readonly input: Schema.JsonObject
  /** Of the arguments as they are decoded, after any repair; with the registration they determine the input. */
  readonly inputFingerprint: string
  readonly determinism: NonNullable<Tool.Annotations["determinism"]>
}

/** None outside a settlement, in a unit test of a tool for instance. */
export const Service = Context.Reference<Option.Option<Interface>>("@haft/core/Invocation", {
  defaultValue: Option.none
})
