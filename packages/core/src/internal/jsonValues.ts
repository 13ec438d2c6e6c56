/** How many values there are in JSON that a guard let through. */
import type * as Schema from "effect/Schema"

/** This one included. */
export const countValues = (value: Schema.Json): number => {
  if (typeof value !== "object" || value === null) return 1
  const pending: Array<Schema.Json> = [value]
  let count = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    count++
    if (typeof next === "object" && next !== null) for (const child of Object.values(next)) pending.push(child)
  }
  return count
}
