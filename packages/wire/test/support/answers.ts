/** What an answer must say of an outcome that was written in a contract and read again. */
import type { Answer, Leaf, Outcome } from "@haft/wire"

/** Everything that some envelope and its slot can hold together. */
export const whole = (outcome: Outcome.Outcome): Answer.Answer => {
  const { attempts, call, costCents, governance, timing, trace } = outcome
  const { fn, registrationId: _, ...called } = call
  return {
    leaf: outcome.leaf,
    effect: outcome.effect,
    retry: outcome.retry,
    ...called,
    ...(fn === "invoke" ? {} : { fn }),
    durationMs: timing.durationMs,
    attemptCount: Math.max(1, attempts.length),
    attempts,
    warnings: outcome.warnings,
    artifacts: outcome.artifacts,
    citations: outcome.citations,
    riskTags: outcome.riskTags,
    ...(governance.approval === undefined ? {} : { approval: governance.approval }),
    ...(governance.policyDecisionId === undefined ? {} : { policyDecisionId: governance.policyDecisionId }),
    ...(costCents === undefined ? {} : { costCents }),
    replayed: outcome.idempotency.replayed,
    dryRun: outcome.dryRun,
    ...(trace === undefined ? {} : { trace })
  }
}

/** Without keys that the contract has no place for. */
export const without = <A extends object, const K extends keyof A>(value: A, ...keys: ReadonlyArray<K>): Omit<A, K> => {
  const copy = { ...value }
  for (const key of keys) delete copy[key]
  return copy
}

/** A leaf with another hint, or none. */
export const hinted = (leaf: Leaf.Leaf, hint: (own: string | undefined) => string | undefined): Leaf.Leaf => {
  if (!("message" in leaf)) return leaf
  const { hint: own, ...rest } = leaf
  const text = hint(own)
  return text === undefined ? rest : { ...rest, hint: text }
}
