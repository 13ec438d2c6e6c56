/**
 * What a JSON Schema admits, with one way to say each thing. Schemas are read into shapes and written out of them in the
 * words that a provider understands.
 */
import type * as JsonSchema from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import { UnfitSchema } from "./unfitSchema.ts"

export type Json = JsonSchema.JsonSchema

/** Keywords and their values, as an author wrote them. */
export type Keywords = Readonly<Record<string, unknown>>

/** A value that an enum can have. Null is a type of its own. */
export type Member = string | number | boolean

export type ScalarType = "null" | "boolean" | "integer" | "number" | "string"

interface Spoken {
  /** Keywords that describe and demand nothing. */
  readonly said: Keywords
  /** Keywords that demand something which the rest of the shape does not say. */
  readonly rules: Keywords
}

export interface Anything extends Spoken {
  readonly _tag: "Anything"
}

export interface Nothing extends Spoken {
  readonly _tag: "Nothing"
}

export interface Scalar extends Spoken {
  readonly _tag: "Scalar"
  readonly type: ScalarType
}

export interface Enum extends Spoken {
  readonly _tag: "Enum"
  readonly members: ReadonlyArray<Member>
}

export interface List extends Spoken {
  readonly _tag: "List"
  /** Of the first elements, one after the other. */
  readonly prefix: ReadonlyArray<Shape>
  /** Of the others. */
  readonly items: Shape
}

export interface ObjectShape extends Spoken {
  readonly _tag: "Object"
  readonly properties: ReadonlyMap<string, Shape>
  readonly required: ReadonlySet<string>
  /** Of properties that have no name of their own but match a pattern. */
  readonly patterns: ReadonlyMap<string, Shape>
  /** Of all other properties. */
  readonly rest: Shape
}

export interface Union extends Spoken {
  readonly _tag: "Union"
  readonly members: ReadonlyArray<Shape>
}

/** A part of the document that contains itself, by the reference that leads to it. */
export interface Reference extends Spoken {
  readonly _tag: "Reference"
  readonly target: string
}

export type Shape = Anything | Nothing | Scalar | Enum | List | ObjectShape | Union | Reference

const unspoken: Spoken = { said: {}, rules: {} }

export const anything: Shape = { _tag: "Anything", ...unspoken }
export const nothing: Shape = { _tag: "Nothing", ...unspoken }

export const scalar = (type: ScalarType, rules: Keywords = {}): Shape => ({ _tag: "Scalar", type, ...unspoken, rules })
export const enumOf = (members: ReadonlyArray<Member>): Shape =>
  members.length === 0 ? nothing : { _tag: "Enum", members, ...unspoken }
export const reference = (target: string): Shape => ({ _tag: "Reference", target, ...unspoken })

export const isNull = (shape: Shape): boolean => shape._tag === "Scalar" && shape.type === "null"

/** Nothing more is said or demanded than what kind of shape it is. */
export const isPlain = ({ rules, said }: Shape): boolean =>
  Object.keys(rules).length === 0 && Object.keys(said).length === 0

export const isMember = (value: unknown): value is Member => ["string", "number", "boolean"].includes(typeof value)

/** Unions inside plain unions are part of these, enums without a word of their own become one, and one member is no union. */
export const unionOf = (members: ReadonlyArray<Shape>): Shape => {
  const flat = members.flatMap((member) => (member._tag === "Union" && isPlain(member) ? member.members : [member]))
  const possible = flat.filter(({ _tag }) => _tag !== "Nothing")
  if (possible.some((member) => member._tag === "Anything" && isPlain(member))) return anything
  const merged = mergeEnums(possible)
  const [only] = merged
  if (only === undefined) return nothing
  if (merged.length > maxAlternatives) throw new UnfitSchema({ _tag: "TooLarge", limit: maxAlternatives })
  return merged.length === 1 ? only : { _tag: "Union", members: merged, ...unspoken }
}

/** More than any author writes; combined alternatives multiply, and those of a stranger could go on for ever. */
const maxAlternatives = 1_000

const mergeEnums = (members: ReadonlyArray<Shape>): ReadonlyArray<Shape> => {
  const enums = members.filter((member) => member._tag === "Enum" && isPlain(member))
  if (enums.length < 2) return members
  const values = enums.flatMap((member) => (member._tag === "Enum" ? member.members : []))
  const all = enumOf([...new Set(values)])
  return members.flatMap((member) => (member === enums[0] ? [all] : enums.includes(member) ? [] : [member]))
}

/** Guesses nothing: JSON that is no object has no keywords. */
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isJsonObject = (value: Schema.Json | undefined): value is Schema.JsonObject => isObject(value)
