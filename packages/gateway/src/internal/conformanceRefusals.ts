/** Requests that are no calls, and the statuses that say so. */
import { type Contract } from "./conformanceEnvelopes.ts"
import type { Sent } from "./conformanceExchange.ts"

export interface Refusal {
  readonly name: string
  readonly sent: Sent
  readonly status: number
}

/** As in the example of the contract. */
const defaultMaxPayloadBytes = 1024 * 1024

export const refusals = (
  contract: Contract,
  { maxPayloadBytes = defaultMaxPayloadBytes, token }: { readonly token?: unknown; readonly maxPayloadBytes?: number }
): ReadonlyArray<Refusal> => [
  { name: `${contract}: a body that is no JSON`, sent: { body: "{" }, status: 400 },
  { name: `${contract}: another media type`, sent: { body: "{}", mediaType: "text/plain" }, status: 415 },
  { name: `${contract}: a body that is too large`, sent: { body: `"${"x".repeat(maxPayloadBytes)}"` }, status: 413 },
  ...(token === undefined ? [] : unauthenticated(contract))
]

const unauthenticated = (contract: Contract): ReadonlyArray<Refusal> => [
  { name: `${contract}: no token`, sent: { body: "{}", authorization: "none" }, status: 401 },
  { name: `${contract}: a forged token`, sent: { body: "{}", authorization: "forged" }, status: 401 }
]
