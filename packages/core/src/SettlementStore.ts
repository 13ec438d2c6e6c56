/**
 * The durable record of calls: begun before an executor runs, ended exactly once. It is what makes a call run at most
 * once, across repeats and crashes.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Settlement } from "./Settlement.ts"
import { SideEffect } from "./SideEffect.ts"
import * as Tool from "./Tool.ts"
import type * as ToolCall from "./ToolCall.ts"

/**
 * Written before the executor starts. A store reads its fields one by one: some are computed when somebody asks, so a
 * copy made by spreading would lose them.
 */
export const Begun = Schema.Struct({
  context: Tool.Context,
  name: Schema.String,
  registrationDigest: Schema.String,
  inputFingerprint: Schema.String,
  determinism: Schema.Literals(["pure", "idempotent", "side_effectful"]),
  /** Whether the outside may have changed if the record goes no further than this. */
  effectPossible: Schema.Boolean,
  /** Milliseconds since the epoch. */
  begunAt: Schema.Finite
})
export type Begun = typeof Begun.Type

/** How a begun call ended. Only `Settled` is ever shown as a tool's result. */
export const Ended = Schema.TaggedUnion({
  Settled: { settlement: Settlement },
  Interrupted: { effect: SideEffect },
  Died: { effect: SideEffect },
  Operational: { effect: SideEffect, code: Schema.NonEmptyString }
})
export type Ended = typeof Ended.Type

/** What the store knows about a call. */
export type CallRecord =
  /** Begun and not ended, in a process that is alive. */
  | { readonly _tag: "Running"; readonly begun: Begun }
  /** Begun and not ended, and nobody will end it: its process is gone, or could not write the end down. */
  | { readonly _tag: "Unfinished"; readonly begun: Begun }
  | { readonly _tag: "Ended"; readonly begun: Begun; readonly ended: Ended }

/** An attempt that nobody will end. It is the right to end it: a store knows those that it gave, and takes no copies. */
export interface Unfinished {
  readonly begun: Begun
}

/** How to end an attempt that nobody else will. */
export interface Finish {
  readonly unfinished: Unfinished
  readonly ended: Ended
}

/** The store could not write or read. Nothing may be executed on the strength of it. */
export class StorageError extends Schema.TaggedError<StorageError>()("SettlementStore.StorageError", {
  operation: Schema.Literals(["open", "begin", "advance", "complete", "find", "unfinished"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The approval has been redeemed by another call. */
export class ApprovalSpentError extends Schema.TaggedError<ApprovalSpentError>()("SettlementStore.ApprovalSpentError", {
  approvalID: Schema.String
}) {}

/** What else to say when a call begins. */
export interface BeginOptions {
  /** The call ended before its executor could run: both records are written at once. */
  readonly ended?: Ended
  /** The host wants an earlier attempt that is unfinished, or ended without a settlement, to be followed by another. */
  readonly repeat?: boolean
}

export interface Interface {
  /**
   * Durable when it returns nothing. If the identity is not new it changes nothing and gives what is known; looking and
   * writing are one step, so of two that begin the same call one is told about the other. If it fails, nothing has begun.
   */
  readonly begin: (begun: Begun, options?: BeginOptions) => Effect.Effect<Option.Option<CallRecord>, StorageError>
  /** Durable: an effect is possible from here on. Redeems an approval in the same transaction, if one is named. */
  readonly advance: (
    identity: ToolCall.Identity,
    options?: { readonly approvalID?: string }
  ) => Effect.Effect<void, StorageError | ApprovalSpentError>
  /**
   * Ends what this store began. Durable when it returns, with the end that stands: the first one. If it fails, the call is
   * unfinished, unless the store is able to write the end down later.
   */
  readonly complete: (identity: ToolCall.Identity, ended: Ended) => Effect.Effect<Ended, StorageError>
  readonly find: (identity: ToolCall.Identity) => Effect.Effect<Option.Option<CallRecord>, StorageError>
  /** Calls that nobody will end, oldest first. */
  readonly unfinished: Effect.Effect<ReadonlyArray<Unfinished>, StorageError>
  /**
   * Ends any number of them, durable when it returns. Gives for each the end that stands, which is another one if somebody
   * was faster, and none if the call has begun again: whoever runs it now will end it. If it fails, some may have ended.
   */
  readonly finish: (ends: ReadonlyArray<Finish>) => Effect.Effect<ReadonlyArray<Option.Option<Ended>>, StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/core/SettlementStore") {}
