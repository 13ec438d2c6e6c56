/** How a call ended, for a model to read and a store to keep: exactly one of these for each call. */
import * as Schema from "effect/Schema"
import type * as ArgumentRepair from "./ArgumentRepair.ts"
import { Violation } from "./InvalidInput.ts"
import * as Sentences from "./internal/sentences.ts"
import * as Contents from "./internal/settlementContent.ts"
import * as ManagedOutput from "./ManagedOutput.ts"
import { SideEffect } from "./SideEffect.ts"
import * as Tool from "./Tool.ts"
import type { ToolContent } from "./ToolContent.ts"
import { ToolFailure } from "./ToolFailure.ts"
import { ToolOutput } from "./ToolOutput.ts"

/** Why the executor never ran. */
export const Rejection = Schema.TaggedUnion({
  /** The name is not among those advertised for the turn. */
  UnknownTool: {},
  /** The registration that was advertised has been removed or replaced since. */
  StaleCall: {},
  InvalidInput: { violations: Schema.Array(Violation), violationsOmitted: Schema.Int },
  /** An earlier call has this identity and asked for something else. */
  DuplicateCall: {}
})
export type Rejection = typeof Rejection.Type

/** Something the reader should know about a call. */
export const Warning = Schema.Struct({
  /** Of a repair, its kind. */
  code: Schema.NonEmptyString,
  /** For the model: what happened, and what to do the next time. */
  message: Schema.String,
  /** The argument concerned. */
  path: Schema.optionalKey(Schema.String),
  /** What was sent, as `ArgumentRepair.Warning` shows it. */
  from: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** What it was read as. */
  to: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type Warning = typeof Warning.Type

/** The repairs of a call, as its settlement tells them. Those that are too many are one warning together. */
export const repairWarnings = (repaired: {
  readonly warnings: ReadonlyArray<ArgumentRepair.Warning>
  readonly warningsOmitted: number
}): ReadonlyArray<Warning> => {
  const { warnings, warningsOmitted: count } = repaired
  const told = warnings.map((warning) => {
    const { from, kind, path, to } = warning
    return { code: kind, message: Sentences.repair(warning), path, from, to }
  })
  return count === 0 ? told : [...told, { code: "warnings_omitted", message: Sentences.omittedWarnings(count) }]
}

/** What a model is told about warnings: a line for each of the first few, then how many more there are. */
export const warningLines = (warnings: ReadonlyArray<Warning>): ReadonlyArray<string> =>
  Sentences.warningLines(
    warnings.map(({ message }) => message),
    0
  )

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

/** The executor returned, and its output fits the codec. */
export type Succeeded = typeof Settlement.cases.Succeeded.Type
/** The executor gave up in a way it expected. */
export type Failed = typeof Settlement.cases.Failed.Type
/** The executor never ran. */
export type Rejected = typeof Settlement.cases.Rejected.Type

/** Trusts its argument, like the other two: one pipeline makes settlements, from parts that it has checked. */
export const succeeded = (fields: Omit<Succeeded, "_tag">): Succeeded => ({ _tag: "Succeeded", ...fields })
/** For the one failure that the executor ended with. */
export const failed = (fields: Omit<Failed, "_tag">): Failed => ({ _tag: "Failed", ...fields })
/** With the sentence that the model reads. */
export const rejected = (fields: Omit<Rejected, "_tag">): Rejected => ({ _tag: "Rejected", ...fields })

/**
 * What a model reads of it: the parts of a success, or a text that says what went wrong and what to do. Warnings are
 * apart from it, see `warningLines`.
 */
export const content: (settlement: Settlement) => ReadonlyArray<ToolContent> = Contents.content
