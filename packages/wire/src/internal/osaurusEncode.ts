/** Outcomes as Osaurus envelopes, which a model reads. */
import type * as Schema from "effect/Schema"
import * as Contract from "../Contract.ts"
import type { Leaf } from "../Leaf.ts"
import * as Outcome from "../Outcome.ts"
import * as Retry from "../Retry.ts"
import * as Slot from "../Slot.ts"
import { outputOf } from "./boxes.ts"
import { compact } from "./compact.ts"
import { cellOf, isSuccess, type Kind, retryableOf } from "./osaurusColumn.ts"
import type { Envelope } from "./osaurusEnvelopes.ts"
import * as Sentences from "./sentences.ts"

/** What a host decides about failures that are nobody's business but its own. */
export interface EncodeOptions {
  /** `surface` shows that there was one, in general words. */
  readonly operational?: "hide" | "surface"
}

export const encode = (
  outcome: Outcome.Outcome,
  { operational = "hide" }: EncodeOptions = {}
): Contract.Encoded<Envelope> => {
  const { leaf } = outcome
  const cell = cellOf(leaf._tag)
  if (isSuccess(leaf._tag)) return Contract.envelope(success(outcome))
  const isHidden = cell === undefined || (isOperational(leaf) && operational === "hide")
  return isHidden ? Contract.noEnvelope() : Contract.envelope(failure(outcome, cell.kind))
}

const isOperational = ({ _tag }: Leaf): boolean => _tag.startsWith("Operational.")

const success = ({ call, leaf, warnings }: Outcome.Outcome): Envelope => {
  const all = leaf._tag === "Prepared" ? [...warnings, halfDone(leaf)] : warnings
  return compact({
    ok: true,
    result: outputOf(leaf) ?? null,
    tool: call.toolName,
    warnings: all.length === 0 ? undefined : all
  })
}

/** What a success of the first phase says. */
export const halfDone = (prepared: { readonly commitToken?: string; readonly commitDeadline?: number }): string =>
  Sentences.notCommitted(prepared.commitToken ?? "", prepared.commitDeadline)

const failure = (outcome: Outcome.Outcome, kind: Kind): Envelope => {
  const { call, leaf, retry } = outcome
  const ended = Outcome.endedOf(outcome)
  const said = saidBy(leaf)
  return {
    ok: false,
    kind,
    message: said.message + Sentences.appended(said),
    retryable: retryableOf(leaf._tag, {
      advice: ended.advice,
      attempts: ended.attempts,
      isUnsafe: Retry.isUnsafe({ ...ended, retry })
    }),
    ...(kind === "invalid_args" ? firstOf(leaf) : {}),
    tool: call.toolName,
    ...("partial" in leaf ? compact({ partial: leaf.partial }) : {}),
    [Slot.key]: slotOf(outcome, said.hint)
  }
}

/** The words of an operational failure are those of its kind, whatever its maker said. */
const saidBy = (leaf: Leaf): { readonly message: string; readonly hint?: string; readonly feedback?: string } => {
  if (!("message" in leaf) || isOperational(leaf)) return { message: leaf._tag, ...Sentences.textOf(leaf._tag) }
  return compact({
    message: leaf.message,
    hint: leaf.hint,
    feedback: "feedback" in leaf ? leaf.feedback : undefined
  })
}

/** The first argument at fault. */
const firstOf = (leaf: Leaf) => {
  const [first] = "violations" in leaf ? leaf.violations : []
  const field = "field" in leaf ? leaf.field : undefined
  return compact({ field: field ?? first?.path, expected: first?.expected })
}

const slotOf = (outcome: Outcome.Outcome, hint: string | undefined): Schema.Json => {
  const { leaf } = outcome
  const { toolName: _, ...slot } = Slot.fromOutcome(outcome)
  const refused =
    leaf._tag === "Denied.Policy" || leaf._tag === "Denied.Approver"
      ? { origin: leaf.origin, by: leaf.by, feedback: leaf.feedback }
      : {}
  return { ...slot, ...compact({ ...refused, hint }) }
}
