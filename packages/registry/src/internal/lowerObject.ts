/** Objects in a provider's dialect: those with names for their properties, and those with free keys. */
import type { Keys } from "./dialectForm.ts"
import { entryKey, entryValue, type Reading, same } from "./dialectReading.ts"
import { speak, understands } from "./dialectWords.ts"
import { KeyNames } from "./keyNames.ts"
import { closedObject, type Lowered, type Lowering, type Path, plainField, text } from "./lowered.ts"
import { type LoweredField, optionalField } from "./lowerOptional.ts"
import type { Profile } from "./modelProfile.ts"
import * as Sentences from "./sentences.ts"
import { isPlain, type Json, type Member, type ObjectShape, type Shape, unionOf } from "./shape.ts"

const everyKey = "*"

export const lowerObject = (lowering: Lowering, object: ObjectShape, path: Path): Lowered => {
  const { profile } = lowering
  const shape = withPatterns(profile, object)
  const others = otherProperties(profile, shape)
  if (profile.records === "object") return lowerOpen(lowering, shape, others, path)
  const named = nameFields(lowering, shape, path)
  // What else would make sense in an object that is open without a word about it, no model can know.
  const isFree = others._tag === "Anything" && isPlain(others)
  const isOpen = isFree && !understands(profile, "additionalProperties")
  if (others._tag === "Nothing" || (isFree && named.length > 0)) return closed(profile, shape, named, isOpen)
  if (named.length > 0) return closed(profile, shape, [...named, spread(lowering, shape, others, path)])
  return isFree
    ? text(speak(profile, shape, Sentences.stands.anyObject))
    : lowerEntries(lowering, shape, others, path, Sentences.stands.entries)
}

/** Of properties without a name of their own. Patterns that the dialect does not have become part of them. */
const otherProperties = (profile: Profile, { patterns, rest }: ObjectShape): Shape =>
  patterns.size === 0 || understands(profile, "patternProperties") ? rest : unionOf([...patterns.values(), rest])

/** Patterns that the dialect does not have are said in words. */
const withPatterns = (profile: Profile, shape: ObjectShape): ObjectShape => {
  const { patterns, rules } = shape
  if (patterns.size === 0 || understands(profile, "patternProperties")) return shape
  return { ...shape, rules: { ...rules, keys: [...patterns.keys()] } }
}

const lowerOpen = (lowering: Lowering, shape: ObjectShape, others: Shape, path: Path): Lowered => {
  const { lower, profile } = lowering
  const named = nameFields(lowering, shape, path)
  const object = closed(profile, shape, named)
  const patterns = lowerPatterns(lowering, shape, path)
  const rest = others._tag === "Nothing" ? undefined : lower(others, [...path, everyKey])
  if (rest === undefined && patterns === undefined) return object
  return {
    schema: {
      ...object.schema,
      ...(patterns === undefined ? {} : { patternProperties: patterns }),
      ...(rest === undefined ? {} : { additionalProperties: rest.schema })
    },
    reading: fieldsReading(named, rest?.reading ?? same),
    forms: [{ kind: "object" }]
  }
}

const lowerPatterns = ({ lower, profile }: Lowering, { patterns }: ObjectShape, path: Path): Json | undefined => {
  if (patterns.size === 0 || !understands(profile, "patternProperties")) return undefined
  return Object.fromEntries(
    [...patterns].map(([pattern, shape]) => [pattern, lower(shape, [...path, everyKey]).schema])
  )
}

/** Entries that are properties of the object which they are in. */
const spread = (lowering: Lowering, shape: ObjectShape, others: Shape, path: Path): Named => {
  const unspoken = { ...shape, said: {}, rules: {} }
  const { reading, schema } = lowerEntries(lowering, unspoken, others, path, Sentences.stands.otherProperties)
  return {
    key: unusedKey(shape.properties, "other_properties"),
    tags: undefined,
    schema,
    field: { ...plainField(undefined, reading), isSpread: true },
    isRequired: lowering.profile.optional === "null"
  }
}

const unusedKey = (taken: ReadonlyMap<string, unknown>, key: string): string =>
  taken.has(key) ? unusedKey(taken, `${key}_`) : key

const lowerEntries = (
  { lower, profile }: Lowering,
  shape: ObjectShape,
  others: Shape,
  path: Path,
  note: string
): Lowered => {
  const value = lower(others, [...path, everyKey])
  const properties = { [entryKey]: { type: "string" }, [entryValue]: value.schema }
  return {
    schema: {
      type: "array",
      items: closedObject(profile, properties, [entryKey, entryValue]),
      ...speak(profile, shape, note)
    },
    reading: { _tag: "Entries", value: value.reading },
    forms: [{ kind: "array" }]
  }
}

/** A property under the key that it has in the dialect. */
interface Named extends LoweredField {
  readonly key: string
  readonly tags: ReadonlyArray<Member> | undefined
}

/** A property that nothing fits cannot be there. */
const nameFields = (lowering: Lowering, shape: ObjectShape, path: Path): ReadonlyArray<Named> => {
  const keys = new KeyNames(lowering.profile, shape.properties.keys())
  return [...shape.properties]
    .filter(([, property]) => property._tag !== "Nothing")
    .map(([name, property]) => {
      const lowered = lowering.lower(property, [...path, name])
      const { field, isRequired, schema } = lowerField(lowering.profile, shape, name, lowered)
      return { key: keys.of(name), tags: tagsOf(lowered), field, isRequired, schema }
    })
}

const tagsOf = ({ forms: [form, ...others] }: Lowered): ReadonlyArray<Member> | undefined =>
  others.length === 0 ? form?.members : undefined

const lowerField = (profile: Profile, { required }: ObjectShape, name: string, lowered: Lowered): LoweredField =>
  required.has(name)
    ? { schema: lowered.schema, field: plainField(name, lowered.reading), isRequired: true }
    : optionalField(profile, name, lowered)

/** As far as the dialect can say so. */
const closed = (profile: Profile, shape: ObjectShape, fields: ReadonlyArray<Named>, isOpen = false): Lowered => {
  const named = fields.length > 0 || profile.emptyObjects ? fields : [unused]
  const properties = Object.fromEntries(named.map(({ key, schema }) => [key, schema]))
  const required = named.filter(({ isRequired }) => isRequired).map(({ key }) => key)
  const tags = new Map(named.flatMap(({ key, tags }) => (tags === undefined ? [] : [[key, tags] as const])))
  const keys: Keys = { required, declared: new Set(Object.keys(properties)), isOpen, tags }
  return {
    schema: { ...closedObject(profile, properties, required), ...speak(profile, shape) },
    reading: fieldsReading(named, same),
    forms: [{ kind: "object", keys }]
  }
}

/** Where an object may not be empty, one without properties gets one that nobody needs. */
const unused: Named = {
  key: "unused",
  tags: undefined,
  schema: { type: "string", description: Sentences.stands.unused },
  field: plainField(undefined),
  isRequired: false
}

const fieldsReading = (named: ReadonlyArray<Named>, rest: Reading): Reading => {
  const isSame = named.every(
    ({ field, key }) => field.name === key && !field.nullIsAbsent && field.reading._tag === "Same"
  )
  if (isSame && rest._tag === "Same") return same
  return { _tag: "Fields", fields: new Map(named.map(({ field, key }) => [key, field])), rest }
}
