/**
 * What each keyword of JSON Schema may hold. Importing a schema skips a keyword that holds something else, and with it
 * what the author asked for, so such a schema has to be refused first.
 */
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import { formatPath } from "./path.ts"
import type { Refusal } from "./refusal.ts"
import * as Sentences from "./registrationSentences.ts"
import { entriesOf, isSchema, type Located, schemasIn } from "./subschemas.ts"

/** The drafts that are understood. */
export type Draft = "draft-2020-12" | "draft-07"

/** `expected` completes "the keyword has to be …". */
interface Shape {
  readonly expected: string
  readonly fits: (value: unknown) => boolean
}

const shape = (expected: string, fits: Shape["fits"]): Shape => ({ expected, fits })

const listOf = (fits: Shape["fits"], value: unknown): boolean => Array.isArray(value) && value.every(fits)
const mapOf = (fits: Shape["fits"], value: unknown): boolean =>
  isSchema(value) && entriesOf(value).every(([, member]) => fits(member))
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0
const isDistinct = (value: unknown): boolean => Array.isArray(value) && new Set(value).size === value.length
const isSchemaOrBoolean = (value: unknown): boolean => isSchema(value) || Predicate.isBoolean(value)
const isNames = (value: unknown): boolean => listOf(Predicate.isString, value) && isDistinct(value)
const isSchemas = (value: unknown): boolean => isFilled(value) && listOf(isSchemaOrBoolean, value)

const typeNames = ["null", "boolean", "integer", "number", "string", "array", "object"]
const isTypeName = (value: unknown): boolean => typeNames.some((name) => name === value)
const isTypes = (value: unknown): boolean => isFilled(value) && isDistinct(value) && listOf(isTypeName, value)

const anything = shape("any JSON", () => true)
const text = shape("a string", Predicate.isString)
const flag = shape("true or false", Predicate.isBoolean)
const number = shape("a number", Predicate.isNumber)
const positive = shape("a number above 0", (value) => Predicate.isNumber(value) && value > 0)
const count = shape("an integer of at least 0", (value) => Number.isInteger(value) && Number(value) >= 0)
const list = shape("a list", Array.isArray)
const filledList = shape("a list that is not empty", isFilled)
const names = shape("a list of different strings", isNames)
const namesByName = shape("an object of lists of different strings", (value) => mapOf(isNames, value))
const schema = shape("a schema", isSchemaOrBoolean)
const schemas = shape("a list of schemas that is not empty", isSchemas)
const schemasByName = shape("an object of schemas", (value) => mapOf(isSchemaOrBoolean, value))
const type = shape(`one of ${typeNames.join(", ")}, or a list of these`, (value) => isTypeName(value) || isTypes(value))
const unknown = shape("left out, because the draft does not know it", () => false)

type Rows = ReadonlyArray<readonly [Shape, ReadonlyArray<string>]>
type Shapes = ReadonlyMap<string, Shape>

const tableOf = (rows: Rows): Shapes =>
  new Map(rows.flatMap(([shape, keywords]) => keywords.map((keyword) => [keyword, shape] as const)))

/** Keywords that say something and demand nothing. */
const annotations = tableOf([
  [text, ["$schema", "$id", "$anchor", "$comment", "title", "description", "format"]],
  [flag, ["deprecated", "readOnly", "writeOnly"]],
  [list, ["examples"]],
  [anything, ["default"]],
  [schemasByName, ["$defs", "definitions"]]
])

const assertions = tableOf([
  [text, ["$ref", "$dynamicRef", "pattern"]],
  [type, ["type"]],
  [anything, ["const"]],
  [filledList, ["enum"]],
  [number, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]],
  [positive, ["multipleOf"]],
  [count, ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]],
  [count, ["minContains", "maxContains"]],
  [flag, ["uniqueItems", "nullable"]],
  [names, ["required"]],
  [namesByName, ["dependentRequired"]],
  [schemasByName, ["properties", "patternProperties", "dependentSchemas"]],
  [schema, ["items", "contains", "unevaluatedItems", "propertyNames", "additionalProperties", "unevaluatedProperties"]],
  [schema, ["not", "if", "then", "else"]],
  [schemas, ["allOf", "anyOf", "oneOf", "prefixItems"]],
  [unknown, ["$recursiveRef", "divisibleBy", "disallow", "extends"]]
])

const isSchemaOrNames = (value: unknown): boolean => isSchemaOrBoolean(value) || isNames(value)

/** Where the drafts differ. */
const ofDraft: Readonly<Record<Draft, Shapes>> = {
  "draft-2020-12": tableOf([[unknown, ["additionalItems", "dependencies"]]]),
  "draft-07": tableOf([
    [shape("a schema or a list of schemas", (value) => isSchemaOrBoolean(value) || isSchemas(value)), ["items"]],
    [schema, ["additionalItems"]],
    [shape("an object of schemas and lists of strings", (value) => mapOf(isSchemaOrNames, value)), ["dependencies"]]
  ])
}

/** Whether a keyword can make a value unfit. One that no draft knows cannot. */
export const asserts = (keyword: string): boolean => assertions.has(keyword)

/** The first keyword, in the order of the document, that could not be held to. */
export const keywordFault = (document: JsonSchema.JsonSchema, draft: Draft): Refusal | undefined => {
  for (const located of schemasIn(document)) {
    const [keyword, expected] = shapeFault(located, draft) ?? hiddenKeyword(located, draft) ?? []
    if (keyword !== undefined && expected !== undefined) {
      return Sentences.unfitKeyword(keyword, formatPath(located.path), expected)
    }
  }
  return undefined
}

type Fault = readonly [keyword: string, expected: string]

const shapeFault = (located: Located, draft: Draft): Fault | undefined => {
  for (const [keyword, value] of Object.entries(located.schema)) {
    const shape = ofDraft[draft].get(keyword) ?? assertions.get(keyword) ?? annotations.get(keyword)
    if (shape !== undefined && !shape.fits(value)) return [keyword, shape.expected]
  }
  return undefined
}

/** Draft-07 ignores what stands next to a reference, which hardly any author knows. */
const hiddenKeyword = (located: Located, draft: Draft): Fault | undefined => {
  if (draft !== "draft-07" || located.schema["$ref"] === undefined) return undefined
  const hidden = Object.keys(located.schema).find((keyword) => keyword !== "$ref" && asserts(keyword))
  return hidden === undefined
    ? undefined
    : [hidden, "in an allOf together with $ref, next to which draft-07 ignores it"]
}
