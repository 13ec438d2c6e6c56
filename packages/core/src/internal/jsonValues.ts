/** How many values there are in JSON that a guard let through. */
import type * as Schema from "effect/Schema"

/** This one included. Recursion ends where the guard's limit of depth does. */
export const countValues = (value: Schema.Json): number => {
  if (typeof value !== "object" || value === null) return 1
  let count = 1
  if (Array.isArray(value)) for (const item of value) count += countValues(item)
  else for (const key in value) count += countValues(Reflect.get(value, key))
  return count
}
