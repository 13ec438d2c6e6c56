/** What a call did to the world outside, said explicitly: neither a failure nor a timeout says anything about it. */
import * as Schema from "effect/Schema"

/** One thing that a call changed. */
export const Mutation = Schema.Struct({
  kind: Schema.NonEmptyString,
  target: Schema.String,
  bytes: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
})
export type Mutation = typeof Mutation.Type

/**
 * - `NotStarted`: the executor was never entered.
 * - `None`: it was, and nothing changed.
 * - `Committed`: something changed; the mutations may not be itemised.
 * - `Unknown`: it was stopped after a change had become possible. Look before repeating.
 */
export const SideEffect = Schema.TaggedUnion({
  NotStarted: {},
  None: {},
  Committed: { mutations: Schema.Array(Mutation) },
  Unknown: {}
})
export type SideEffect = typeof SideEffect.Type

/** Of every rejection. */
export const notStarted: SideEffect = { _tag: "NotStarted" }
/** Of a call that only looked. */
export const none: SideEffect = { _tag: "None" }
/** Of a call that was cut off at the wrong moment. */
export const unknown: SideEffect = { _tag: "Unknown" }
/** Of a call that changed something; an empty list means that it did not say what. */
export const committed = (mutations: ReadonlyArray<Mutation>): SideEffect => ({ _tag: "Committed", mutations })
