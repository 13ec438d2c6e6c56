/** Where references in a JSON Schema lead, and which of them lead back to themselves. */
import * as JsonPointer from "effect/JsonPointer"
import type { Json } from "./shape.ts"

/** The part of a document that a reference leads to. One that leads nowhere admits anything. */
export const schemaAt = (document: Json, target: string): unknown =>
  (JsonPointer.parseUriFragment(target) ?? []).reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    document
  )

/** References from which the same reference can be reached again. */
export const recursiveReferences = (document: Json): ReadonlySet<string> => {
  const next = new Map<string, ReadonlySet<string>>()
  const visit = (target: string): void => {
    if (next.has(target)) return
    const found = referencesIn(schemaAt(document, target))
    next.set(target, found)
    found.forEach(visit)
  }
  referencesIn(document).forEach(visit)
  return new Set([...next.keys()].filter((target) => reaches(next, target)))
}

const reaches = (next: ReadonlyMap<string, ReadonlySet<string>>, target: string): boolean => {
  const seen = new Set(next.get(target))
  for (const one of seen) for (const other of next.get(one) ?? []) seen.add(other)
  return seen.has(target)
}

export const referencesIn = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return
    if ("$ref" in part && typeof part.$ref === "string") found.add(part.$ref)
    Object.values(part).forEach(visit)
  }
  visit(value)
  return found
}
