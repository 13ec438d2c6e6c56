/**
 * What a tool asks of its JSON Schema beyond being one: an object at the root, said there and not behind a reference,
 * and no reference that leads back to itself without consuming anything.
 */
import * as JsonPointer from "effect/JsonPointer"
import type * as JsonSchema from "effect/JsonSchema"
import { asserts } from "./keywordShapes.ts"
import { isSchema, schemasAt, schemasOf } from "./subschemas.ts"

type Json = JsonSchema.JsonSchema
type Definitions = JsonSchema.Definitions

/** True if validating could go round for ever. Rule this out before using the other functions here. */
export const isEndless = ({ definitions, schema }: JsonSchema.Document<"draft-2020-12">): boolean => {
  // Only a reference leads back, and there is nothing to refer to.
  if (Object.keys(definitions).length === 0) return false
  const finite = new Set<Json>()
  const isCycle = (current: Json, path: ReadonlyArray<Json>): boolean => {
    if (path.includes(current)) return true
    if (finite.has(current)) return false
    if (nextOf(current, definitions).some((next) => isCycle(next, [...path, current]))) return true
    finite.add(current)
    return false
  }
  return schemasOf({ definitions, schema }).some((start) => isCycle(start, []))
}

/** One schema with its definitions inside and no reference at the root. */
export const inlineRoot = ({ definitions, schema }: JsonSchema.Document<"draft-2020-12">): Json => {
  const root = dereference(schema, definitions)
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

/** The inlined root saying that it is an object, or nothing if it is none. A union of objects is an object. */
export const asObject = (root: Json, definitions: Definitions): Json | undefined => {
  const { type: _, ...rest } = root
  return isObject(root, definitions, new Map()) ? { type: "object", ...rest } : undefined
}

/** Remembers its answers: many alternatives may lead to one definition. */
const isObject = (schema: Json, definitions: Definitions, known: Map<Json, boolean>): boolean => {
  const answer = known.get(schema) ?? judge(schema, definitions, known)
  known.set(schema, answer)
  return answer
}

/** One thing that is demanded of a value and only an object has is enough. */
const judge = (schema: Json, definitions: Definitions, known: Map<Json, boolean>): boolean => {
  if ([schema["type"]].flat().every((type) => type === "object")) return true
  const target = targetOf(schema, definitions)
  const judgeOne = (one: Json) => isObject(one, definitions, known)
  return (
    (target !== undefined && judgeOne(target)) ||
    schemasAt(schema, "allOf").some(judgeOne) ||
    ["anyOf", "oneOf"].some((keyword) => isEach(schema[keyword], judgeOne))
  )
}

const isEach = (alternatives: unknown, judgeOne: (schema: Json) => boolean): boolean =>
  Array.isArray(alternatives) &&
  alternatives.length > 0 &&
  alternatives.every((alternative) => isSchema(alternative) && judgeOne(alternative))

/** What stands next to a reference holds as well: it must not take the place of what the target demands. */
const dereference = (schema: Json, definitions: Definitions): Json => {
  const target = targetOf(schema, definitions)
  if (target === undefined) return schema
  const { $ref: _, ...siblings } = schema
  // The definition stays where it is, so its copy at the root must not go by the same name.
  const { $anchor: _anchor, $id: _id, ...inlined } = dereference(target, definitions)
  const said = pick(siblings, (keyword) => !asserts(keyword))
  const demanded = pick(siblings, asserts)
  return Object.keys(demanded).length === 0 ? { ...inlined, ...said } : { ...said, allOf: [inlined, demanded] }
}

const pick = (schema: Json, isPicked: (keyword: string) => boolean): Json =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => isPicked(keyword)))

/** The schemas that judge the same value, not a part of it. */
export const nextOf = (schema: Json, definitions: Definitions): ReadonlyArray<Json> => [
  ...[targetOf(schema, definitions) ?? []].flat(),
  ...["anyOf", "oneOf", "allOf"].flatMap((keyword) => schemasAt(schema, keyword))
]

/** What a schema refers to, in a definition or below one. What is just true or false has nothing to find in it. */
export const targetOf = (schema: Json, definitions: Definitions): Json | undefined => {
  const reference = schema["$ref"]
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined
  const [root, ...keys] = JsonPointer.parseUriFragment(reference) ?? []
  const target = root === "$defs" && keys.length > 0 ? keys.reduce<unknown>(memberAt, definitions) : undefined
  return isSchema(target) ? target : undefined
}

const memberAt = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
