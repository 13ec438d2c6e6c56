/**
 * Puts an author's descriptions where a model looks for them. Those of a transformed schema, such as a date, do not
 * reach its JSON Schema by themselves, and those of a key end up in an `allOf` that some providers do not read.
 */
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"

type Json = JsonSchema.JsonSchema

/** `json` describes the encoded side of `ast`. Changes nothing about which values it admits. */
export const describe = (json: Json, ast: SchemaAST.AST): Json => {
  const text = descriptionOf(ast)
  const inside = describeParts(flatten(json), encodedEnd(ast))
  return text === undefined || "description" in inside || "$ref" in inside ? inside : { ...inside, description: text }
}

/** What was said before a check was added still holds after it. */
const descriptionOf = (ast: SchemaAST.AST): unknown =>
  [ast, ...(ast.checks ?? [])].map(({ annotations }) => annotations?.["description"]).findLast(Predicate.isString)

/** The schema at the far end of a chain of transformations. */
const encodedEnd = (ast: SchemaAST.AST): SchemaAST.AST => {
  const last = ast.encoding?.at(-1)
  return last === undefined ? ast : encodedEnd(last.to)
}

const describeParts = (json: Json, ast: SchemaAST.AST): Json => {
  const { items, properties } = json
  if (SchemaAST.isObjects(ast) && isSchema(properties)) {
    const types = new Map(ast.propertySignatures.map(({ name, type }) => [name, type]))
    return { ...json, properties: mapValues(properties, (property, key) => describeAt(property, types.get(key))) }
  }
  if (SchemaAST.isArrays(ast) && isSchema(items)) return { ...json, items: describeAt(items, ast.rest[0]) }
  return json
}

const describeAt = (json: unknown, ast: SchemaAST.AST | undefined): unknown =>
  isSchema(json) && ast !== undefined ? describe(json, ast) : json

/** Keywords that say something and demand nothing. */
const annotations = new Set(["title", "description", "default", "examples"])

/** Lifts annotations out of an `allOf` that holds nothing else, where they are not said already. */
const flatten = (json: Json): Json => {
  const { allOf, ...rest } = json
  if (!Array.isArray(allOf) || !allOf.every(onlyAnnotates)) return json
  return Object.assign({}, ...allOf, rest)
}

const onlyAnnotates = (member: unknown): boolean =>
  isSchema(member) && Object.keys(member).every((key) => annotations.has(key))

const isSchema = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const mapValues = (json: Json, f: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [key, f(value, key)]))
