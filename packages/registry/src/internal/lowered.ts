/** What lowering gives for each part of a schema, and the parts that are made in several places. */
import type { Form } from "./dialectForm.ts"
import { type Field, type Reading, same } from "./dialectReading.ts"
import { understands } from "./dialectWords.ts"
import type { Profile } from "./modelProfile.ts"
import type { Json, Keywords, Shape } from "./shape.ts"

/** A part of a schema in the dialect. */
export interface Lowered {
  readonly schema: Json
  readonly reading: Reading
  readonly forms: ReadonlyArray<Form>
}

/** Into the tool's own schema, for errors. */
export type Path = ReadonlyArray<string>

export interface Lowering {
  readonly profile: Profile
  readonly lower: (shape: Shape, path: Path) => Lowered
  /** What a reference stands for. */
  readonly resolve: (target: string) => Shape
}

/** JSON text in place of the value. */
export const text = (spoken: Keywords): Lowered => ({
  schema: { type: "string", ...spoken },
  reading: { _tag: "Text" },
  forms: [{ kind: "string" }]
})

/** An object with these keys and no others, as far as the dialect can say so. */
export const closedObject = (profile: Profile, properties: Json, required: ReadonlyArray<string>): Json => ({
  type: "object",
  properties,
  ...(required.length > 0 || profile.optional === "null" ? { required } : {}),
  ...(understands(profile, "additionalProperties") ? { additionalProperties: false } : {})
})

/** A field that is read like the value in it. */
export const plainField = (name: string | undefined, reading: Reading = same): Field => ({
  name,
  reading,
  nullIsAbsent: false,
  nullKey: undefined,
  isSpread: false
})

/** Whether a value of this form could be null. */
export const admitsNull = ({ forms }: Lowered): boolean => forms.some(({ kind }) => kind === "null")

/** The same schema with one more alternative. */
export const orElse = (schema: Json, other: Json): Json => {
  const { anyOf, ...rest } = schema
  if (Array.isArray(anyOf) && Object.keys(rest).every((keyword) => keyword === "description" || keyword === "title")) {
    return { ...rest, anyOf: [...anyOf, other] }
  }
  return { anyOf: [schema, other] }
}
