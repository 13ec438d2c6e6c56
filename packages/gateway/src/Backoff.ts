/**
 * How long to wait before a call is sent again: exact functions of the policy, the tool and the attempt, so that a schedule
 * can be told in advance and two processes agree on it.
 */
import type { RetryPolicy } from "@haft/wire/CallRequest"

/** A number from 0 up to 1, of an attempt of a tool. The default is the same everywhere; a host may bring randomness. */
export type Jitter = (tool: string, attempt: number) => number

/** Doubling more often says nothing: the cap has been reached long before. */
const maxDoublings = 10

/** What is waited at most without a policy that says otherwise. */
const defaultCapMs = 30_000

/** However many a policy asks for: what has failed so often is not repeated into health. */
export const maxAttempts = 20

/** Of a caller that asks for nothing: one attempt, and no wait before the one repeat that some failures deserve. */
export const defaultPolicy: RetryPolicy = { maxAttempts: 1, baseMs: 0, capMs: defaultCapMs, jitter: "none" }

/** Before jitter, after `attempt` has failed. */
export const delayMs = ({ baseMs, capMs }: RetryPolicy, attempt: number): number =>
  Math.min(baseMs * 2 ** Math.min(attempt - 1, maxDoublings), capMs)

/** A full jitter of nothing would send at once. */
const leastFullMs = 1

/** What is waited after `attempt` has failed. Nothing is rounded. */
export const waitMs = (policy: RetryPolicy, tool: string, attempt: number, jitter: Jitter = fraction): number => {
  const delay = delayMs(policy, attempt)
  if (policy.jitter === "none" || delay === 0) return delay
  const share = jitter(tool, attempt)
  if (policy.jitter === "equal") return delay / 2 + (delay / 2) * share
  return share === 0 ? leastFullMs : delay * share
}

const fractionSteps = 10_000

/** Looks random and is not. */
export const fraction: Jitter = (tool, attempt) => (fnv1a(`${tool}:${attempt}`) % fractionSteps) / fractionSteps

const fnvBasis = 0x811c9dc5
const fnvPrime = 0x01000193

/** FNV-1a in 32 bits, over UTF-8. */
const fnv1a = (text: string): number =>
  new TextEncoder().encode(text).reduce((hash, byte) => Math.imul(hash ^ byte, fnvPrime) >>> 0, fnvBasis)
