/** Digests of JSON that are equal exactly when the values are: SHA-256 of the form that RFC 8785 fixes. */
import { hash } from "node:crypto"

export const fingerprint = (json: unknown): string => `sha256:${hash("sha256", canonical(json))}`

/** Keys in the order of their UTF-16 units, no space, numbers as JavaScript writes them. */
export const canonical = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  return `{${Object.entries(value).toSorted(byKey).map(member).join(",")}}`
}

type Member = readonly [key: string, value: unknown]

const byKey = ([left]: Member, [right]: Member): number => (left < right ? -1 : 1)

const member = ([key, value]: Member): string => `${JSON.stringify(key)}:${canonical(value)}`
