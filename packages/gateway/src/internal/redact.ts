/** Takes secrets out of what leaves the gateway. */
import type { Outcome } from "@haft/wire/Outcome"
import type * as Schema from "effect/Schema"
import type { Closing, Requested } from "../Audit.ts"
import { isSkipped } from "../Audit.ts"
import { byName } from "../Scrubber.ts"
import type { Deps } from "./deps.ts"

/** By value everywhere; by name only in what is said, because data may speak of credentials and hold none. */
export const scrubbed = ({ secrets }: Pick<Deps, "secrets">, outcome: Outcome): Outcome => {
  // An outcome is JSON, and scrubbing changes nothing but what is secret.
  const clean = secrets.scrubber().json(outcome as Schema.Json) as Outcome
  const scrubbed = clean === outcome ? outcome : { ...clean, ...oursOf(outcome) }
  const { leaf } = scrubbed
  if (!("message" in leaf)) return scrubbed
  const message = byName(leaf.message)
  return message === leaf.message ? scrubbed : { ...scrubbed, leaf: { ...leaf, message } }
}

/** Times and ids that were made here hold nobody's secret, even if they look like a short one. */
const oursOf = ({ attempts, id, limits, timing }: Outcome) =>
  limits === undefined ? { attempts, id, timing } : { attempts, id, limits, timing }

/** Callers write what they like into ids and names. */
export const scrubbedRequest = ({ secrets }: Pick<Deps, "secrets">, requested: Requested): Requested => {
  const clean = secrets.scrubber().json(requested)
  const { at, leaseUntil, recordId } = requested
  return clean === requested ? requested : { ...clean, at, leaseUntil, recordId }
}

/** Under the id of its request, whatever that looks like. */
export const scrubbedClosing = ({ secrets }: Pick<Deps, "secrets">, closing: Closing): Closing => {
  const clean = secrets.scrubber().json(closing)
  if (clean === closing) return closing
  if (isSkipped(closing)) return { ...clean, ...skippedOursOf(closing) } as Closing
  const { budget_usage, record_id, timestamp } = closing
  return { ...clean, budget_usage, record_id, timestamp } as Closing
}

const skippedOursOf = ({ at, kind, record_id }: Extract<Closing, { readonly kind: "SKIPPED" }>) => ({
  at,
  kind,
  record_id
})
