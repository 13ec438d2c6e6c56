/** Arguments inside something that the model put around them. Data that has such a key by right never comes here. */
import type * as Schema from "effect/Schema"
import { bareFrom } from "../bare.ts"
import { readContainer } from "./containers.ts"
import type { Declared } from "./declared.ts"
import type { Draft } from "./draft.ts"
import { isObject } from "./json.ts"
import { changed, one } from "./outcome.ts"
import { costs, noWarnings, type Warnings } from "./warning.ts"

type Contents = Schema.JsonObject

/** Echoes of the schema, which stand beside `properties` when a model fills in the schema itself. */
const schemaWords = new Set([
  "type",
  "required",
  "additionalProperties",
  "title",
  "description",
  "$schema",
  "$defs",
  "definitions"
])

const properties = "properties"

/** What other call formats put around arguments. */
const envelopes = new Set(["arguments", "args", "parameters", "params", "input"])

const callees = new Set(["name", "tool"])

interface Unwrapped {
  readonly object: Contents
  readonly warnings: Warnings
}

/** What is inside the wrapper, or nothing if there is none. */
export const unwrap = (draft: Draft): Contents | undefined => {
  const { ast, declared, object, run, spot, tally } = draft
  if (!run.does("unwrapped") || !declared.isClosed) return undefined
  const found = inProperties(draft) ?? inEnvelope(draft)
  if (found === undefined) return undefined
  tally.add(found.warnings, 0)
  tally.add(one(changed(spot, ast, { kind: "unwrapped", from: object, to: found.object })), costs.reshaped)
  return found.object
}

/** Its keys move up; one that is outside already wins. */
const inProperties = (draft: Draft): Unwrapped | undefined => {
  const { declared, object } = draft
  const inner = contentsOf(draft, properties)
  if (inner === undefined || !hasDeclared(declared, inner.object)) return undefined
  const isEcho = (key: string) => schemaWords.has(key) && !declared.fields.has(key)
  const outside = Object.entries(object).filter(([key]) => key === properties || !isEcho(key))
  const taken = new Set(outside.map(([key]) => key))
  const moved = Object.entries(inner.object).filter(([key]) => key === properties || !taken.has(key))
  const entries = outside.flatMap((entry) => (entry[0] === properties ? moved : [entry]))
  return { object: bareFrom(entries), warnings: inner.warnings }
}

/** Around the arguments as a whole only, alone or beside the name of this very tool. */
const inEnvelope = (draft: Draft): Unwrapped | undefined => {
  const { declared, object, run, spot } = draft
  const keys = Object.keys(object)
  const [wrapper, ...others] = keys.filter((key) => !isCallee(draft, key))
  const isEnvelope = wrapper !== undefined && others.length === 0 && keys.length <= 2 && envelopes.has(wrapper)
  if (!isEnvelope || !run.isDefault || spot.holder !== undefined) return undefined
  const inner = contentsOf(draft, wrapper)
  return inner !== undefined && isPlausible(declared, inner.object) ? inner : undefined
}

const isCallee = ({ declared, object, run }: Draft, key: string): boolean =>
  callees.has(key) && !declared.fields.has(key) && object[key] === run.name

const contentsOf = ({ ast, declared, object, run, spot }: Draft, key: string): Unwrapped | undefined => {
  const inner = declared.fields.has(key) ? undefined : object[key]
  if (isObject(inner)) return { object: inner, warnings: noWarnings }
  if (typeof inner !== "string") return undefined
  const read = readContainer(run, ast, inner, spot, "object_from_string", isObject)
  return read === undefined ? undefined : { object: read.value, warnings: read.warnings }
}

const hasDeclared = ({ fields }: Declared, object: Contents): boolean =>
  Object.keys(object).some((key) => fields.has(key))

/** Something that could be arguments, or could hold them. */
const isPlausible = (declared: Declared, object: Contents): boolean => {
  const keys = Object.keys(object)
  if (keys.length === 0) return declared.fields.size > 0
  return keys.some((key) => declared.fields.has(key) || envelopes.has(key) || key === properties)
}
