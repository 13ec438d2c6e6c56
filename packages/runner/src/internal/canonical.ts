/** Tells whether two calls ask for the same, however their arguments were written. */
import * as JsonText from "@haft/core/JsonText"
import * as Result from "effect/Result"
import { hash } from "node:crypto"

/** Short, and equal exactly for calls of one name whose arguments are equal as JSON, or as text if they are none. */
export const fingerprint = ({ input, name }: { readonly name: string; readonly input: string }): string => {
  const read = JsonText.read(input)
  return hash("sha256", JSON.stringify([name, Result.isSuccess(read) ? canonical(read.success) : input]))
}

/** As deep as the reader lets through, so recursion is safe. */
const canonical = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`
}
