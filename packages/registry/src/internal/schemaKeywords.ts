/** Keywords of JSON Schema, by what they are about. */
import type { Keywords } from "./shape.ts"

const words = (text: string): ReadonlyArray<string> => text.split(" ")

/** Those that describe and demand nothing. */
export const describing = words("title description default examples")

export const ofText = words("minLength maxLength pattern format contentEncoding contentMediaType")
export const ofNumbers = words("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf")
export const ofLists = words("items prefixItems minItems maxItems uniqueItems contains minContains maxContains")
export const ofObjects = words(
  "properties required additionalProperties patternProperties minProperties maxProperties propertyNames dependentRequired dependentSchemas"
)

/** Those that a shape expresses by being what it is. */
export const structural = words(
  "type enum const allOf anyOf oneOf $ref nullable items prefixItems properties required additionalProperties patternProperties"
)

/** Those that neither describe nor demand anything. */
export const silent = words("$schema $id $anchor $comment $defs deprecated readOnly writeOnly")

/** Those that hold schemas by name. */
export const holdingByName = words("properties patternProperties $defs dependentSchemas")

/** Those that hold one schema or a list of them. */
export const holding = words(
  "allOf anyOf oneOf not if then else items prefixItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties"
)

export const pick = (keywords: Keywords, isPicked: (keyword: string, value: unknown) => boolean): Keywords =>
  Object.fromEntries(Object.entries(keywords).filter(([keyword, value]) => isPicked(keyword, value)))
