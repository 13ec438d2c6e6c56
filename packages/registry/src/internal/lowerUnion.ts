/** Alternatives in a provider's dialect, so that what a model sends can be told apart where that matters. */
import { areApart, type Form, type Kind, kindOf } from "./dialectForm.ts"
import { type Reading, same } from "./dialectReading.ts"
import { speak } from "./dialectWords.ts"
import { closedObject, type Lowered, type Lowering, type Path, orElse } from "./lowered.ts"
import type { Profile } from "./modelProfile.ts"
import { isNull, type Json, type Shape, type Union } from "./shape.ts"

export const lowerUnion = (lowering: Lowering, shape: Union, path: Path): Lowered => {
  const { lower, profile } = lowering
  const members = shape.members.filter((member) => !isNull(member)).map((member) => lower(member, path))
  const shown = members.length > 1 && mayBeConfused(members) ? asOptions(profile, members) : asAlternatives(members)
  const nullable = members.length < shape.members.length
  const schema = nullable ? orNull(profile, shown.schema) : shown.schema
  return {
    schema: { ...schema, ...speak(profile, shape) },
    reading: shown.reading,
    forms: nullable ? [...shown.forms, { kind: "null" }] : shown.forms
  }
}

/** Which of two alternatives is meant does not matter where both are read as they come. */
const mayBeConfused = (members: ReadonlyArray<Lowered>): boolean =>
  members.some((left, index) => members.slice(index + 1).some((right) => areConfused(left, right)))

const areConfused = (left: Lowered, right: Lowered): boolean =>
  (left.reading._tag !== "Same" || right.reading._tag !== "Same") &&
  left.forms.some((form) => right.forms.some((other) => !areApart(form, other)))

const asAlternatives = (members: ReadonlyArray<Lowered>): Lowered => {
  const [first, ...others] = members
  if (first === undefined || others.length === 0) return first ?? { schema: {}, reading: same, forms: [] }
  return {
    schema: { anyOf: members.flatMap(({ schema }) => alternativesIn(schema)) },
    reading: readingOf(members),
    forms: members.flatMap(({ forms }) => forms)
  }
}

const alternativesIn = (schema: Json): ReadonlyArray<unknown> =>
  Array.isArray(schema["anyOf"]) && Object.keys(schema).length === 1 ? schema["anyOf"] : [schema]

const readingOf = (members: ReadonlyArray<Lowered>): Reading =>
  members.every(({ reading }) => reading._tag === "Same")
    ? same
    : { _tag: "Alternatives", alternatives: members.map(({ forms, reading }) => ({ forms, reading })) }

/** Each in an object of its own, whose key says which it is. */
const asOptions = (profile: Profile, members: ReadonlyArray<Lowered>): Lowered => {
  const options = members.map((member, index) => ({ key: `option_${index + 1}`, ...member }))
  const forms = options.map(({ key }): Form => ({
    kind: "object",
    keys: { required: [key], declared: new Set([key]), tags: new Map() }
  }))
  return {
    schema: { anyOf: options.map(({ key, schema }) => closedObject(profile, { [key]: schema }, [key])) },
    reading: { _tag: "Options", options: new Map(options.map(({ key, reading }) => [key, reading])) },
    forms
  }
}

/** The keyword of OpenAPI needs a type beside it. */
const orNull = (profile: Profile, schema: Json): Json => {
  if (profile.nulls === "type") return orElse(schema, { type: "null" })
  if (!Array.isArray(schema["anyOf"])) return { ...schema, nullable: true }
  const [first, ...others] = schema["anyOf"]
  return { ...schema, anyOf: [{ ...first, nullable: true }, ...others] }
}

/** At least the types that values of a shape can have in the dialect, without looking into them. */
export const kindsOf = (
  shape: Shape,
  { profile, resolve }: Pick<Lowering, "profile" | "resolve">
): ReadonlyArray<Kind> => {
  switch (shape._tag) {
    case "Nothing":
      return []
    case "Anything":
      return profile.anything === "text" ? ["string"] : ["null", "boolean", "number", "string", "array", "object"]
    case "Scalar":
      return [shape.type === "integer" ? "number" : shape.type]
    case "Enum":
      return shape.members.map(kindOf)
    case "List":
      return shape.prefix.length === 0 ? ["array"] : ["array", "object"]
    case "Object":
      return profile.records === "object" || shape.properties.size > 0 ? ["object"] : ["array", "object", "string"]
    case "Union":
      return ["object", ...shape.members.flatMap((member) => kindsOf(member, { profile, resolve }))]
    case "Reference":
      return kindsOf(resolve(shape.target), { profile, resolve })
  }
}
