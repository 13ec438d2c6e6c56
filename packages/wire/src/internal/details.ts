/** The fields of a leaf as the `details` of an error, and back. Keys of the maker's own details are never changed. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { Leaf, type Tag, tags } from "../Leaf.ts"
import { parseJson } from "./jsonText.ts"

/** Shown elsewhere in every contract. */
const elsewhere = new Set(["_tag", "message", "hint", "details", "retry", "output", "commitToken", "commitDeadline"])

/** Contracts write names in lower case, with underscores. */
const keyOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A field of a leaf that stands in details. */
interface Field {
  readonly name: string
  readonly key: string
  readonly isRequired: boolean
  readonly admits: (value: unknown) => boolean
}

const makeFields = (tag: Tag): ReadonlyArray<Field> =>
  Object.entries<Schema.Constraint>(Leaf.cases[tag].fields)
    .filter(([name]) => !elsewhere.has(name))
    .map(([name, schema]) => ({
      name,
      key: keyOf(name),
      isRequired: !SchemaAST.isOptional(schema.ast),
      admits: Schema.is(schema)
    }))

const fields = new Map(tags.map((tag) => [tag, makeFields(tag)]))

/** All that stand in details. */
export const fieldsOf = (tag: Tag): ReadonlyArray<Field> => fields.get(tag) ?? []

/** What a leaf has in these fields, under the keys of a contract. */
const typedDetails = (leaf: Leaf): Schema.JsonObject => {
  const values = new Map<string, Schema.Json>(Object.entries(leaf))
  return Object.fromEntries(
    fieldsOf(leaf._tag).flatMap(({ key, name }) => {
      const value = values.get(name)
      return value === undefined ? [] : [[key, value]]
    })
  )
}

/** The details of an error. `own` is set where the maker's cannot stand among ours: they belong in the slot. */
export interface Shown {
  readonly details: Schema.JsonObject
  readonly own?: Schema.JsonObject
}

/** `reserved` are the keys that the contract adds by itself. An empty object would be gone if it were not kept apart. */
export const showDetails = (leaf: Leaf, reserved: ReadonlyArray<string>): Shown => {
  const typed = typedDetails(leaf)
  const own = "details" in leaf ? leaf.details : undefined
  if (own === undefined) return { details: typed }
  const taken = new Set([...fieldsOf(leaf._tag).map(({ key }) => key), ...reserved])
  const keys = Object.keys(own)
  const stands = keys.length > 0 && !keys.some((key) => taken.has(key))
  return stands ? { details: { ...own, ...typed } } : { details: typed, own }
}

/** What is found in the details of an error. */
export interface Found {
  /** By the name of the field. */
  readonly fields: Readonly<Record<string, unknown>>
  /** What is not ours. */
  readonly rest: Schema.JsonObject
}

/** A value that does not fit its field is somebody else's, and stays among the rest. */
export const findDetails = (tag: Tag, details: Schema.JsonObject, reserved: ReadonlyArray<string>): Found => {
  const found = fieldsOf(tag).flatMap(({ admits, key, name }) => {
    const value = Object.hasOwn(details, key) ? admittedOf(details[key], admits) : undefined
    return value === undefined ? [] : [{ key, name, value }]
  })
  const taken = new Set([...found.map(({ key }) => key), ...reserved])
  return {
    fields: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    rest: Object.fromEntries(Object.entries(details).filter(([key]) => !taken.has(key)))
  }
}

/** Some implementations write everything in details as text. */
const admittedOf = (value: Schema.Json | undefined, admits: Field["admits"]): Schema.Json | undefined => {
  if (admits(value)) return value
  return typeof value === "string" ? Option.getOrUndefined(Option.filter(parseJson(value), admits)) : undefined
}
