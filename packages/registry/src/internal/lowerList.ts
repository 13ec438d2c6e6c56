/** Lists in a provider's dialect: those of one type, and those with positions. */
import { restKey, same } from "./dialectReading.ts"
import { speak } from "./dialectWords.ts"
import { closedObject, type Lowered, type Lowering, type Path, plainField } from "./lowered.ts"
import { optionalField } from "./lowerOptional.ts"
import type { Profile } from "./modelProfile.ts"
import * as Sentences from "./sentences.ts"
import { type List, type Shape, unionOf } from "./shape.ts"

const everyElement = "*"

export const lowerList = (lowering: Lowering, shape: List, path: Path): Lowered => {
  if (shape.prefix.length === 0) return lowerItems(lowering, shape, shape.items, path)
  switch (lowering.profile.tuples) {
    case "prefixItems":
      return lowerPrefix(lowering, shape, lowerElements(lowering, shape, path))
    case "items":
      return lowerMixed(lowering, shape, path)
    case "object":
      return lowerPositions(lowering.profile, shape, lowerElements(lowering, shape, path))
  }
}

/** A list that stays empty still needs a type for its elements in some dialects. */
const lowerItems = ({ lower, profile }: Lowering, shape: List, of: Shape, path: Path, note?: string): Lowered => {
  const items = lower(of, [...path, everyElement])
  const empty = of._tag === "Nothing" ? { maxItems: 0 } : {}
  const spoken = speak(profile, { ...shape, rules: { ...shape.rules, ...empty } }, note)
  return {
    schema: { type: "array", items: items.schema, ...spoken },
    reading: items.reading._tag === "Same" ? same : { _tag: "Items", items: items.reading },
    forms: [{ kind: "array" }]
  }
}

/** Whether there may be elements after the positions. */
const isClosed = ({ items, prefix, rules }: List): boolean =>
  items._tag === "Nothing" || (typeof rules["maxItems"] === "number" && rules["maxItems"] <= prefix.length)

/** The elements that cannot be left out. */
const requiredCount = ({ prefix, rules }: List): number =>
  Math.min(prefix.length, typeof rules["minItems"] === "number" ? rules["minItems"] : 0)

const closedAt = (shape: List): List =>
  isClosed(shape) ? { ...shape, rules: { maxItems: shape.prefix.length, ...shape.rules } } : shape

/** The elements of a list with positions. */
interface Elements {
  readonly prefix: ReadonlyArray<Lowered>
  readonly rest: Lowered | undefined
}

const lowerElements = ({ lower }: Lowering, shape: List, path: Path): Elements => ({
  prefix: shape.prefix.map((element, index) => lower(element, [...path, String(index)])),
  rest: isClosed(shape) ? undefined : lower(shape.items, [...path, everyElement])
})

/** A list that is read element by element has to say which is which. */
const lowerPrefix = ({ profile }: Lowering, shape: List, elements: Elements): Lowered => {
  const { prefix, rest } = elements
  const isSame = [...prefix, ...(rest === undefined ? [] : [rest])].every(({ reading }) => reading._tag === "Same")
  if (!isSame) return lowerPositions(profile, shape, elements)
  const schema = {
    type: "array",
    prefixItems: prefix.map((element) => element.schema),
    ...(rest === undefined ? {} : { items: rest.schema }),
    ...speak(profile, closedAt(shape))
  }
  return { schema, reading: same, forms: [{ kind: "array" }] }
}

/** Any of the elements at any position: the tool itself is more precise. */
const lowerMixed = (lowering: Lowering, shape: List, path: Path): Lowered => {
  const elements = unionOf([...shape.prefix, ...(isClosed(shape) ? [] : [shape.items])])
  return lowerItems(lowering, closedAt(shape), elements, path, Sentences.stands.elements(shape.prefix.length))
}

const lowerPositions = (profile: Profile, shape: List, { prefix, rest }: Elements): Lowered => {
  const positions = prefix.map((element, index) => lowerPosition(profile, shape, element, index))
  const others = rest === undefined ? [] : [lowerRest(profile, rest)]
  const properties = Object.fromEntries([...positions, ...others].map(({ key, schema }) => [key, schema]))
  const required = [...positions, ...others].filter(({ isRequired }) => isRequired).map(({ key }) => key)
  const { maxItems: _max, minItems: _min, ...rules } = shape.rules
  return {
    schema: {
      ...closedObject(profile, properties, required),
      ...speak(profile, { ...shape, rules }, Sentences.stands.positions)
    },
    reading: {
      _tag: "Positions",
      fields: new Map(positions.map(({ field, key }) => [key, field])),
      rest: rest?.reading ?? same
    },
    forms: [{ kind: "object", keys: { required, declared: new Set(Object.keys(properties)), tags: new Map() } }]
  }
}

const lowerPosition = (profile: Profile, shape: List, element: Lowered, index: number) => {
  const key = `item_${index + 1}`
  if (index >= requiredCount(shape)) return { key, ...optionalField(profile, key, element) }
  return { key, schema: element.schema, field: plainField(key, element.reading), isRequired: true }
}

const lowerRest = (profile: Profile, { schema }: Lowered) => ({
  key: restKey,
  schema: { type: "array", items: schema, description: Sentences.stands.otherElements },
  isRequired: profile.optional === "null"
})
