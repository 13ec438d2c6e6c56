/** Properties that may be left out, in a dialect that may not leave anything out. */
import type { Field } from "./dialectReading.ts"
import { admitsNull, closedObject, type Lowered, orElse, plainField } from "./lowered.ts"
import type { Profile } from "./modelProfile.ts"
import * as Sentences from "./sentences.ts"
import type { Json } from "./shape.ts"

export interface LoweredField {
  readonly schema: Json
  readonly field: Field
  readonly isRequired: boolean
}

/** Where null stands for what is left out, a value that may itself be null gets another way to be. */
export const optionalField = (profile: Profile, name: string, lowered: Lowered): LoweredField => {
  const field = plainField(name, lowered.reading)
  if (profile.optional === "notRequired") return { schema: lowered.schema, field, isRequired: false }
  const nullKey = admitsNull(lowered) ? unusedKey(lowered.schema) : undefined
  const schema = nullKey === undefined ? lowered.schema : orElse(lowered.schema, nullItself(profile, nullKey))
  const shown = admitsNull(lowered) ? schema : orElse(schema, { type: "null" })
  return { schema: shown, field: { ...field, nullIsAbsent: true, nullKey }, isRequired: true }
}

/** A key that occurs nowhere in the schema, so that the object with it cannot be anything else. */
const unusedKey = (schema: Json): string => {
  const text = JSON.stringify(schema)
  const keyFrom = (key: string): string => (text.includes(key) ? keyFrom(`${key}_`) : key)
  return keyFrom("null_itself")
}

const nullItself = (profile: Profile, key: string): Json => ({
  ...closedObject(profile, { [key]: { type: "null" } }, [key]),
  description: Sentences.stands.nullItself
})
