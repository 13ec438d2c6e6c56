/** Whether a provider takes a schema as it stands, so that nothing about it has to change. */
import { looksAround, understands } from "./dialectWords.ts"
import { KeyNames } from "./keyNames.ts"
import type { Profile } from "./modelProfile.ts"
import { holding, holdingByName } from "./schemaKeywords.ts"
import { isObject, type Json } from "./shape.ts"

/** Keywords that say of a value something else than what it consists of. */
const combining = ["anyOf", "oneOf", "allOf", "enum", "const", "not", "if"]

/** Says no for a dialect in which most schemas look different: there writing it anew is no loss. */
export const acceptsSchema = (profile: Profile, schema: Json): boolean =>
  isLoose(profile) &&
  (profile.rootAlternatives || !combining.some((keyword) => keyword in schema)) &&
  acceptsPart(profile, schema)

const isLoose = (profile: Profile): boolean =>
  profile.optional === "notRequired" &&
  profile.nulls === "type" &&
  profile.records === "object" &&
  profile.anything === "schema" &&
  profile.enums === "any" &&
  profile.references &&
  profile.emptyObjects

const acceptsPart = (profile: Profile, schema: Json): boolean =>
  Object.keys(schema).every((keyword) => understands(profile, keyword)) &&
  hasItems(profile, schema) &&
  hasFitNames(profile, schema) &&
  hasFitPattern(profile, schema) &&
  partsOf(schema).every((part) => acceptsPart(profile, part))

const hasItems = ({ tuples }: Profile, schema: Json): boolean =>
  tuples === "prefixItems" || ![schema["type"]].flat().includes("array") || isObject(schema["items"])

const hasFitNames = (profile: Profile, { properties }: Json): boolean => {
  const names = isObject(properties) ? Object.keys(properties) : []
  const keys = new KeyNames(profile, names)
  return names.every((name) => keys.of(name) === name)
}

const hasFitPattern = (profile: Profile, { pattern }: Json): boolean =>
  typeof pattern !== "string" || profile.lookaround || !looksAround(pattern)

const partsOf = (schema: Json): ReadonlyArray<Json> =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    if (holdingByName.includes(keyword)) return isObject(value) ? Object.values(value).filter(isObject) : []
    return holding.includes(keyword) ? [value].flat().filter(isObject) : []
  })
