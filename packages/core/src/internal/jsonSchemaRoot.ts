/**
 * What a tool asks of its JSON Schema beyond being one: an object at the root, said there and not behind a reference,
 * and no reference that leads back to itself without consuming anything.
 */
import * as JsonPointer from "effect/JsonPointer"
import type * as JsonSchema from "effect/JsonSchema"

type Json = JsonSchema.JsonSchema
type Definitions = JsonSchema.Definitions

/** True if validating could go round for ever. Rule this out before using the other functions here. */
export const isEndless = ({ definitions, schema }: JsonSchema.Document<"draft-2020-12">): boolean => {
  const finite = new Set<Json>()
  const isCycle = (current: Json, path: ReadonlyArray<Json>): boolean => {
    if (path.includes(current)) return true
    if (finite.has(current)) return false
    if (nextOf(current, definitions).some((next) => isCycle(next, [...path, current]))) return true
    finite.add(current)
    return false
  }
  return [schema, ...Object.values(definitions)].some((start) => isCycle(start, []))
}

/** One schema with its definitions inside and no reference at the root. */
export const inlineRoot = ({ definitions, schema }: JsonSchema.Document<"draft-2020-12">): Json => {
  const root = dereference(schema, definitions)
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

/** The inlined root saying that it is an object, or nothing if it is none. A union of objects is an object. */
export const asObject = (root: Json, definitions: Definitions): Json | undefined => {
  if (root["type"] === "object") return root
  return isObject(root, definitions, new Map()) ? { type: "object", ...root } : undefined
}

/** Remembers its answers: many alternatives may lead to one definition. */
const isObject = (schema: Json, definitions: Definitions, known: Map<Json, boolean>): boolean => {
  const answer = known.get(schema) ?? judge(schema, definitions, known)
  known.set(schema, answer)
  return answer
}

const judge = (schema: Json, definitions: Definitions, known: Map<Json, boolean>): boolean => {
  if (schema["type"] === "object") return true
  const target = targetOf(schema, definitions)
  if (target !== undefined) return isObject(target, definitions, known)
  const members = [...schemasAt(schema, "anyOf"), ...schemasAt(schema, "oneOf")]
  return members.length > 0 && members.every((member) => isObject(member, definitions, known))
}

const dereference = (schema: Json, definitions: Definitions): Json => {
  const target = targetOf(schema, definitions)
  if (target === undefined) return schema
  const { $ref: _, ...siblings } = schema
  return { ...dereference(target, definitions), ...siblings }
}

/** The schemas that judge the same value, not a part of it. */
const nextOf = (schema: Json, definitions: Definitions): ReadonlyArray<Json> => [
  ...[targetOf(schema, definitions) ?? []].flat(),
  ...["anyOf", "oneOf", "allOf"].flatMap((keyword) => schemasAt(schema, keyword))
]

const targetOf = (schema: Json, definitions: Definitions): Json | undefined => {
  const reference = schema["$ref"]
  if (typeof reference !== "string") return undefined
  const [root, name, ...rest] = JsonPointer.parseUriFragment(reference) ?? []
  const isLocal = root === "$defs" && name !== undefined && rest.length === 0
  return isLocal && Object.hasOwn(definitions, name) ? definitions[name] : undefined
}

const schemasAt = (schema: Json, keyword: string): ReadonlyArray<Json> => {
  const members = schema[keyword]
  return Array.isArray(members) ? members.filter(isSchema) : []
}

const isSchema = (member: unknown): member is Json => typeof member === "object" && member !== null
