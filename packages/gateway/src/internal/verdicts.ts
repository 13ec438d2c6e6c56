/** What rules may say about a call. */
import type * as Leaf from "@haft/wire/Leaf"
import type { Verdict } from "../Authorizer.ts"

/** Nothing is against it. */
export const allow = (ruleRefs: ReadonlyArray<string> = [], policyDecisionId?: string): Verdict => ({
  _tag: "Allow",
  ruleRefs,
  ...(policyDecisionId === undefined ? {} : { policyDecisionId })
})

/** A rule forbids it. */
export const deny = (leaf: Leaf.Leaf, ruleRefs: ReadonlyArray<string> = []): Verdict => ({
  _tag: "Deny",
  leaf,
  ruleRefs
})

/** Not without somebody's approval. */
export const ask = (reason: string, ruleRefs: ReadonlyArray<string> = [], gateId?: string): Verdict => ({
  _tag: "Ask",
  reason,
  ruleRefs,
  ...(gateId === undefined ? {} : { gateId })
})
