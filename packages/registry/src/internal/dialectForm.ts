/** What alternatives look like in a dialect, as far as it can be seen at a glance: enough to tell one from another. */
import type * as Schema from "effect/Schema"
import { isJsonObject, type Member } from "./shape.ts"

export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object"

export interface Form {
  readonly kind: Kind
  /** The only values that there are. */
  readonly members?: ReadonlyArray<Member>
  /** Of an object whose keys are known. */
  readonly keys?: Keys
}

export interface Keys {
  readonly required: ReadonlyArray<string>
  readonly declared: ReadonlySet<string>
  /** Whether there may be others, which the dialect cannot forbid. */
  readonly isOpen?: boolean
  /** Keys with an enum. */
  readonly tags: ReadonlyMap<string, ReadonlyArray<Member>>
}

/** True if no value can have both forms. */
export const areApart = (left: Form, right: Form): boolean => {
  if (left.kind !== right.kind) return true
  if (left.members !== undefined && right.members !== undefined) return areDisjoint(left.members, right.members)
  if (left.keys === undefined || right.keys === undefined) return false
  return hasOwnKey(left.keys, right.keys) || hasOwnKey(right.keys, left.keys) || haveOtherTags(left.keys, right.keys)
}

const areDisjoint = (left: ReadonlyArray<Member>, right: ReadonlyArray<Member>): boolean =>
  !left.some((member) => right.includes(member))

const hasOwnKey = ({ required }: Keys, { declared, isOpen = false }: Keys): boolean =>
  !isOpen && required.some((key) => !declared.has(key))

const haveOtherTags = (left: Keys, right: Keys): boolean =>
  [...left.tags].some(([key, members]) => {
    const others = right.tags.get(key)
    const isInBoth = left.required.includes(key) && right.required.includes(key)
    return others !== undefined && isInBoth && areDisjoint(members, others)
  })

/** Looks at the value and its keys, never deeper. */
export const hasForm = (value: Schema.Json, { keys, kind, members }: Form): boolean => {
  if (kindOf(value) !== kind) return false
  if (members !== undefined) return members.some((member) => member === value)
  return keys === undefined || (isJsonObject(value) && hasKeys(value, keys))
}

const hasKeys = (value: Schema.JsonObject, { declared, isOpen = false, required, tags }: Keys): boolean =>
  required.every((key) => Object.hasOwn(value, key)) &&
  (isOpen || Object.keys(value).every((key) => declared.has(key))) &&
  [...tags].every(([key, members]) => !Object.hasOwn(value, key) || members.some((member) => member === value[key]))

export const kindOf = (value: Schema.Json): Kind => {
  if (value === null) return "null"
  if (typeof value === "string") return "string"
  if (typeof value === "number") return "number"
  if (typeof value === "boolean") return "boolean"
  return Array.isArray(value) ? "array" : "object"
}
