/** Builds the leaf of an answer from whatever its envelope and its slot told. */
import * as Schema from "effect/Schema"
import { Leaf, type Tag } from "../Leaf.ts"
import type * as Slot from "../Slot.ts"
import type { Seen } from "./answers.ts"
import { compact } from "./compact.ts"
import { fieldsOf, findDetails } from "./details.ts"
import * as Sentences from "./sentences.ts"

const decode = Schema.decodeUnknownSync(Leaf)

/** Every part that is used has been held against its field, so the leaf as a whole decodes. */
export const readLeaf = (tag: Tag, seen: Seen, slot?: Slot.Result): Leaf => {
  const found = findDetails(tag, seen.details ?? {}, seen.reserved?.(tag) ?? [])
  const fields = { ...missing(tag, seen), ...found.fields, ...admitted(tag, { ...seen.fields, ...kept(slot) }) }
  return decode({
    ...fields,
    ...compact({ ...textOf(tag, seen), details: detailsOf(found.rest, slot), retry: adviceOf(tag, seen, slot) }),
    ...elsewhere(tag, seen, slot),
    _tag: tag
  })
}

const textOf = (tag: Tag, { hint, message }: Seen) => {
  const isSaid = message !== undefined && message !== ""
  return { message: isSaid ? message : Sentences.textOf(tag).message, hint }
}

const detailsOf = (rest: Schema.JsonObject, slot?: Slot.Result): Schema.JsonObject | undefined =>
  slot?.details ?? (Object.keys(rest).length === 0 ? undefined : rest)

/** Only failures of a tool carry advice. */
const adviceOf = (tag: Tag, { fields }: Seen, slot?: Slot.Result): unknown => {
  if (!tag.startsWith("Failure.")) return undefined
  return slot === undefined ? fields?.["retry"] : slot.advice
}

/** What a slot keeps of a leaf. */
const kept = (slot?: Slot.Result) =>
  slot === undefined
    ? {}
    : compact({ origin: slot.origin, by: slot.by, feedback: slot.feedback, partial: slot.partial })

/** Fields that never stand in details. */
const elsewhere = (tag: Tag, { fields = {} }: Seen, slot?: Slot.Result) => {
  const output = "output" in fields ? { output: fields["output"] } : {}
  if (tag !== "Prepared") return output
  const { commitDeadline, commitToken } = { ...slot, ...fields }
  return { ...output, ...compact({ commitToken, commitDeadline }) }
}

const admitted = (tag: Tag, values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(fieldsOf(tag).flatMap(({ admits, name }) => (admits(values[name]) ? [[name, values[name]]] : [])))

/** Stands for what a leaf must have and a stranger's envelope did not tell: nothing, or the most general of its values. */
const missing = (tag: Tag, { told }: Seen): Readonly<Record<string, unknown>> => {
  const known: Readonly<Record<string, unknown>> = {
    name: told.toolName ?? "",
    requestId: told.callId ?? "",
    origin: "gate",
    by: tag === "Interrupted" ? "caller" : deniedBy(tag),
    boundBy: "call",
    violations: [],
    candidates: []
  }
  return Object.fromEntries(
    fieldsOf(tag).flatMap(({ isRequired, name }) => (isRequired ? [[name, known[name] ?? ""]] : []))
  )
}

const deniedBy = (tag: Tag): string => (tag === "Denied.Approver" ? "user" : "policy")
