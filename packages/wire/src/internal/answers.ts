/** From what an envelope shows to an answer: the slot if it may be believed, the rules for strangers' envelopes if not. */
import * as SideEffect from "@haft/core/SideEffect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { type Answer, type Options, slotIgnored } from "../Answer.ts"
import type { DecodeError } from "../EnvelopeError.ts"
import { adviceOf, type Tag } from "../Leaf.ts"
import * as Retry from "../Retry.ts"
import * as Slot from "../Slot.ts"
import { compact } from "./compact.ts"
import { effectsOf } from "./effects.ts"
import { readLeaf } from "./leaves.ts"

/** A leaf, or the rule by which it depends on what is known about the call. */
export type Fallback = Tag | "by-access" | "by-repeat-safety"

/** What one envelope shows, in the words of no contract. */
export interface Seen {
  /** As it came. */
  readonly slot: Schema.Json | undefined
  /** Whether an outcome with this slot could look like the envelope. */
  readonly fits: (slot: Slot.Result) => boolean
  readonly fallback: Fallback
  /** The sender says that the same call is not to be sent again. */
  readonly isFinal: boolean
  /** What the contract itself shows of effects. */
  readonly effect?: SideEffect.SideEffect | undefined
  /** What its words mean where nothing is shown and no slot says more. */
  readonly impliedEffect?: SideEffect.SideEffect | undefined
  readonly message?: string | undefined
  readonly hint?: string | undefined
  readonly details?: Schema.JsonObject
  /** Keys of the details that the contract adds by itself. */
  readonly reserved?: (tag: Tag) => ReadonlyArray<string>
  /** Fields of the leaf that stand elsewhere, by name. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly told: Told
}

/** What an answer says besides its leaf, its effect and its retry. */
export type Told = Partial<Omit<Answer, "leaf" | "effect" | "retry">>

const decodeSlot = Schema.decodeUnknownOption(Slot.Result)

export const answerOf = (seen: Seen, options: Options): Answer => {
  const offered = seen.slot === undefined ? Option.fromUndefinedOr(options.journal) : decodeSlot(seen.slot)
  const slot = Option.getOrUndefined(Option.filter(offered, (slot) => isBelievable(seen, slot)))
  const isIgnored = slot === undefined && (seen.slot !== undefined || options.journal !== undefined)
  const told = { ...empty, ...toldBy(slot), ...seen.told }
  return {
    ...told,
    ...ended(seen, slot, options),
    warnings: isIgnored ? [...told.warnings, slotIgnored] : told.warnings
  }
}

/** A slot may say more than the envelope, and nothing else. */
const isBelievable = (seen: Seen, slot: Slot.Result): boolean =>
  effectsOf[slot.tag].includes(slot.effect) &&
  (seen.effect === undefined || slot.effect === "Committed") &&
  (slot.tag !== "Prepared" || isToken(seen.fields?.["commitToken"] ?? slot.commitToken)) &&
  Retry.isPossible(slot.tag, slot.retry) &&
  seen.fits(slot)

const isToken = (value: unknown): boolean => typeof value === "string" && value !== ""

const empty = { attempts: [], warnings: [], artifacts: [], citations: [], riskTags: [], replayed: false, dryRun: false }

const toldBy = (slot: Slot.Result | undefined): Told =>
  slot === undefined
    ? {}
    : compact({
        callId: slot.callId,
        fn: slot.fn,
        toolName: slot.toolName,
        toolId: slot.toolId,
        version: slot.version,
        digest: slot.digest,
        attempts: slot.attempts,
        warnings: slot.warnings,
        artifacts: slot.artifacts,
        citations: slot.citations,
        riskTags: slot.riskTags,
        approval: slot.approval,
        costCents: slot.costCents,
        replayed: slot.replayed,
        dryRun: slot.dryRun,
        trace: slot.trace
      })

type Ended = Pick<Answer, "leaf" | "effect" | "retry">

const ended = (seen: Seen, slot: Slot.Result | undefined, options: Options): Ended => {
  if (slot !== undefined) {
    const effect = slot.mutations === undefined ? (seen.effect ?? Slot.effectOf(slot)) : Slot.effectOf(slot)
    const retry = Retry.makeSafe(slot.retry, { tag: slot.tag, effect }, options)
    return { leaf: readLeaf(slot.tag, seen, slot), effect, retry }
  }
  const tag = fallbackOf(seen, options)
  const [leaf, effect] = [readLeaf(tag, seen), guessEffect(tag, seen, options)]
  return { leaf, effect, retry: retryOf(seen, { leaf, effect }, options) }
}

const fallbackOf = (seen: Seen, options: Options): Tag => {
  if (seen.fallback === "by-access") return options.access === "read" ? "Success.Read" : "Success.Effect"
  if (seen.fallback !== "by-repeat-safety") return seen.fallback
  const isSafe = Retry.isRepeatSafe(isHarmless(options) ? SideEffect.none : SideEffect.unknown, options)
  return isSafe && !seen.isFinal ? "TimedOut.EffectNone" : "TimedOut.EffectUnknown"
}

const isHarmless = ({ access, determinism }: Options): boolean => access === "read" || determinism === "pure"

/** An answer that does not speak of effects says nothing about them; what the tool can do at all does. */
const guessEffect = (tag: Tag, seen: Seen, options: Options): SideEffect.SideEffect => {
  const isPossible = (effect: SideEffect.SideEffect) => effectsOf[tag].includes(effect._tag)
  const told = seen.effect ?? seen.impliedEffect
  if (told !== undefined && isPossible(told)) return told
  return likely(tag, options).find(isPossible) ?? SideEffect.unknown
}

/** A refusal comes before anything is done. */
const likely = (tag: Tag, options: Options): ReadonlyArray<SideEffect.SideEffect> => {
  if (tag.startsWith("Denied.")) return [SideEffect.notStarted]
  if (tag === "Success.Effect" && options.access === "write") return [SideEffect.committed([])]
  return isHarmless(options)
    ? [SideEffect.none, SideEffect.notStarted]
    : [SideEffect.unknown, SideEffect.none, SideEffect.notStarted]
}

/** What the sender marked as final is never sent again, whatever the leaf would allow. */
const retryOf = (seen: Seen, { effect, leaf }: Omit<Ended, "retry">, options: Options): Retry.Retry => {
  const attempts = seen.told.attemptCount ?? 1
  const retry = Retry.resolve({ tag: leaf._tag, advice: adviceOf(leaf), effect, attempts }, options)
  return seen.isFinal ? { ...retry, runtime: "never" } : retry
}

/** How an answer broke its contract; `what` names the place. */
interface Breach {
  readonly what: string
  readonly isFinal?: boolean
  readonly details?: Schema.JsonObject
}

export const brokenAnswer = ({ details = {}, isFinal = false, what }: Breach, options: Options): Answer =>
  answerOf(
    {
      slot: undefined,
      fits: () => false,
      fallback: "Operational.Protocol",
      isFinal,
      details,
      fields: { what },
      told: {}
    },
    Struct.omit(options, ["journal"])
  )

/** An answer that is no envelope at all. Everything that is wrong with it stands in the details. */
export const unreadable = (error: DecodeError, options: Options): Answer => {
  if (error._tag === "EnvelopeError.UnsupportedVersion") {
    const { expected, field, received } = error
    return brokenAnswer({ what: field, details: { expected, received } }, options)
  }
  const { violations } = error
  return brokenAnswer({ what: violations[0]?.path ?? "", details: { violations } }, options)
}
