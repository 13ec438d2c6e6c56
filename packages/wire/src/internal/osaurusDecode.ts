/** What Osaurus envelopes tell. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answer, Options } from "../Answer.ts"
import * as Retry from "../Retry.ts"
import * as Slot from "../Slot.ts"
import { answerOf, unreadable } from "./answers.ts"
import { compact } from "./compact.ts"
import { checker } from "./envelopes.ts"
import { cellOf, defaults, fallbacks, isSuccess, retryableOf } from "./osaurusColumn.ts"
import { halfDone } from "./osaurusEncode.ts"
import { Received } from "./osaurusEnvelopes.ts"
import * as Sentences from "./sentences.ts"

const check = checker({ contract: "osaurus", envelope: "envelope" }, Received)

export const decode = (document: unknown, options: Options = {}): Answer =>
  Result.match(check(document), {
    onFailure: (error) => unreadable(error, options),
    onSuccess: (received) => (received.ok ? readSuccess(received, options) : readFailure(received, options))
  })

type Success = Extract<Received, { readonly ok: true }>
type Failure = Extract<Received, { readonly ok: false }>

const readSuccess = (received: Success, options: Options): Answer =>
  answerOf(
    {
      slot: undefined,
      fits: ({ tag }) => isSuccess(tag),
      fallback: "by-access",
      isFinal: false,
      fields: { output: received.result },
      told: compact({ toolName: received.tool, warnings: warningsOf(received, options.journal) })
    },
    options
  )

/** Without the one that only says what the journal says, too. */
const warningsOf = ({ warnings = [] }: Success, journal: Slot.Result | undefined): ReadonlyArray<string> =>
  journal?.tag === "Prepared" ? warnings.filter((warning) => warning !== halfDone(journal)) : warnings

const decodeSlot = Schema.decodeUnknownOption(Slot.Result)

const readFailure = (received: Failure, options: Options): Answer => {
  const { kind, retryable = defaults[kind] } = received
  const offered = Option.getOrUndefined(decodeSlot(received.haft))
  return answerOf(
    {
      slot: received.haft,
      fits: (slot) => isShownAs(slot, kind, retryable),
      fallback: fallbacks[kind],
      isFinal: !retryable,
      ...saidBy(received.message ?? "", offered),
      fields: compact({
        ...argumentOf(received),
        partial: received.partial,
        retry: retryable === defaults[kind] ? undefined : { model: retryable }
      }),
      told: compact({ toolName: received.tool })
    },
    options
  )
}

const isShownAs = (slot: Slot.Result, kind: string, retryable: boolean): boolean => {
  const { advice, attempts: { length: attempts } = [], retry, tag } = slot
  const isUnsafe = Retry.isUnsafe({ tag, advice, effect: Slot.effectOf(slot), attempts, retry })
  return cellOf(tag)?.kind === kind && retryableOf(tag, { advice, attempts, isUnsafe }) === retryable
}

/** Takes off what was appended, if a slot says what that was. */
const saidBy = (message: string, slot: Slot.Result | undefined) => {
  const added = slot === undefined ? "" : Sentences.appended(slot)
  return added !== "" && message.endsWith(added)
    ? { message: message.slice(0, -added.length), hint: slot?.hint }
    : { message }
}

const argumentOf = ({ expected, field }: Failure) =>
  field === undefined ? {} : { field, violations: [{ path: field, ...compact({ expected }) }] }
