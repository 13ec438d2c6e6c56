/** Digests of JSON that are equal exactly when the values are: SHA-256 of the form that RFC 8785 fixes. */
import type * as Crypto from "node:crypto"

/** Loaded for the first digest: it takes as long as all of this package, and whoever only offers tools has no use for it. */
let crypto: typeof Crypto | undefined

export const fingerprint = (json: unknown): string => {
  crypto ??= process.getBuiltinModule("node:crypto")
  return `sha256:${crypto.hash("sha256", canonical(json))}`
}

/** Keys in the order of their UTF-16 units, no space, numbers as JavaScript writes them. */
export const canonical = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  return `{${Object.entries(value).toSorted(byKey).map(member).join(",")}}`
}

type Member = readonly [key: string, value: unknown]

const byKey = ([left]: Member, [right]: Member): number => (left < right ? -1 : 1)

const member = ([key, value]: Member): string => `${JSON.stringify(key)}:${canonical(value)}`
