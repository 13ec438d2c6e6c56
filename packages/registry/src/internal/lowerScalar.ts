/** Values without parts in a provider's dialect: text, numbers, null, enums, and values of any type. */
import { type Kind, kindOf } from "./dialectForm.ts"
import { same } from "./dialectReading.ts"
import { speak } from "./dialectWords.ts"
import { type Lowered, orElse, text } from "./lowered.ts"
import type { Profile } from "./modelProfile.ts"
import * as Sentences from "./sentences.ts"
import type { Anything, Enum, Json, Keywords, Member, Scalar } from "./shape.ts"

export const lowerAnything = (profile: Profile, shape: Anything): Lowered => {
  if (profile.anything === "text") return text(speak(profile, shape, Sentences.stands.anyJson))
  const kinds: ReadonlyArray<Kind> = ["null", "boolean", "number", "string", "array", "object"]
  return { schema: speak(profile, shape), reading: same, forms: kinds.map((kind) => ({ kind })) }
}

export const lowerScalar = (profile: Profile, shape: Scalar): Lowered => {
  if (shape.type === "null" && profile.nulls === "nullable") return labelled([null], speak(profile, shape))
  const kind = shape.type === "integer" ? "number" : shape.type
  return { schema: { type: shape.type, ...speak(profile, shape) }, reading: same, forms: [{ kind }] }
}

export const lowerEnum = (profile: Profile, shape: Enum): Lowered => {
  const spoken = speak(profile, shape)
  return profile.enums === "text" ? labelled(shape.members, spoken) : typed(shape.members, spoken)
}

/** Each type has an enum of its own. */
const typed = (members: ReadonlyArray<Member>, spoken: Keywords): Lowered => {
  const types = [...new Set(members.map((member) => typeof member))]
  const enums = types.map((type): Json => ({ type, enum: members.filter((member) => typeof member === type) }))
  const [first = {}, ...others] = enums
  const schema = others.reduce(orElse, first)
  const forms = types.map((type) => {
    const ofType = members.filter((member) => typeof member === type)
    return { kind: kindOf(ofType[0] ?? ""), members: ofType }
  })
  return { schema: { ...schema, ...spoken }, reading: same, forms }
}

/** For a dialect whose enums are of text: each member goes by a text of its own. */
const labelled = (members: ReadonlyArray<Member | null>, spoken: Keywords): Lowered => {
  const texts = new Set(members.filter((member) => typeof member === "string"))
  const labels = new Map<string, Member | null>()
  for (const member of members) labels.set(labelOf(member, texts, labels), member)
  const names = [...labels.keys()]
  const isSame = [...labels].every(([label, member]) => label === member)
  return {
    schema: { type: "string", enum: names, ...spoken },
    reading: isSame ? same : { _tag: "Labels", members: labels },
    forms: [{ kind: "string", members: names }]
  }
}

/** A text goes by itself, but for an empty one, which is refused; anything else must not look like one of the texts. */
const labelOf = (member: Member | null, texts: ReadonlySet<unknown>, taken: ReadonlyMap<string, unknown>): string => {
  if (typeof member === "string" && member !== "") return member
  const type = member === "" ? "empty" : typeof member
  const free = (label: string): string => (texts.has(label) || taken.has(label) ? free(`${label} (${type})`) : label)
  return free(member === "" ? '""' : String(member))
}
