/** Takes secrets out of what leaves the gateway. */
import type { Outcome } from "@haft/wire/Outcome"
import type * as Schema from "effect/Schema"
import { byName } from "../Scrubber.ts"
import type { Deps } from "./deps.ts"

/** By value everywhere; by name only in what is said, because data may speak of credentials and hold none. */
export const scrubbed = ({ secrets }: Pick<Deps, "secrets">, outcome: Outcome): Outcome => {
  // An outcome is JSON, and scrubbing changes nothing but what is secret.
  const scrubbed = secrets.scrubber().json(outcome as Schema.Json) as Outcome
  const { leaf } = scrubbed
  if (!("message" in leaf)) return scrubbed
  const message = byName(leaf.message)
  return message === leaf.message ? scrubbed : { ...scrubbed, leaf: { ...leaf, message } }
}
