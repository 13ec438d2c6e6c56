/** How a call ended, for a model to read and a store to keep: exactly one of these for each call. */
import * as Schema from "effect/Schema"
import { Violation } from "./InvalidInput.ts"
import * as ManagedOutput from "./ManagedOutput.ts"
import { SideEffect } from "./SideEffect.ts"
import * as Tool from "./Tool.ts"
import { ToolFailure } from "./ToolFailure.ts"
import { ToolOutput } from "./ToolOutput.ts"

/** Why the executor never ran. */
export const Rejection = Schema.TaggedUnion({
  /** The name is not among those advertised for the turn. */
  UnknownTool: {},
  /** The registration that was advertised has been removed or replaced since. */
  StaleCall: {},
  InvalidInput: { violations: Schema.Array(Violation), violationsOmitted: Schema.Int }
})
export type Rejection = typeof Rejection.Type

/** Something the reader should know about a call that went through. */
export const Warning = Schema.Struct({
  code: Schema.NonEmptyString,
  message: Schema.String,
  /** The argument concerned. */
  path: Schema.optionalKey(Schema.String)
})
export type Warning = typeof Warning.Type

/** Milliseconds since the epoch. */
export const Timing = Schema.Struct({ startedAt: Schema.Finite, endedAt: Schema.Finite })
export type Timing = typeof Timing.Type

const shared = {
  context: Tool.Context,
  /** As the model wrote it. */
  name: Schema.String,
  effect: SideEffect,
  warnings: Schema.Array(Warning),
  timing: Timing,
  /** Where the complete output is, if the model was shown less. */
  managed: Schema.Array(ManagedOutput.Ref)
}

export const Settlement = Schema.TaggedUnion({
  Succeeded: { ...shared, output: ToolOutput },
  Failed: { ...shared, failure: ToolFailure },
  Rejected: { ...shared, rejection: Rejection, message: Schema.String }
})
export type Settlement = typeof Settlement.Type

export type Succeeded = typeof Settlement.cases.Succeeded.Type
export type Failed = typeof Settlement.cases.Failed.Type
export type Rejected = typeof Settlement.cases.Rejected.Type

/** The constructors trust their argument: a settlement is made by one pipeline from parts that were checked there. */
export const succeeded = (fields: Omit<Succeeded, "_tag">): Succeeded => ({ _tag: "Succeeded", ...fields })
export const failed = (fields: Omit<Failed, "_tag">): Failed => ({ _tag: "Failed", ...fields })
export const rejected = (fields: Omit<Rejected, "_tag">): Rejected => ({ _tag: "Rejected", ...fields })
