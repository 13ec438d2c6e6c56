/** Whether a lowered schema is within what its provider takes. */
import type { Profile } from "./modelProfile.ts"
import { isObject, type Json } from "./shape.ts"
import { type Reason, UnfitSchema } from "./unfitSchema.ts"

/** Throws `UnfitSchema` for the first limit that is exceeded, with the place where there is one. */
export const checkLimits = (schema: Json, { limits }: Profile): void => {
  const parts = [...partsIn({ schema, path: [], depth: 0 })]
  const deepest = highest(parts, ({ depth }) => depth)
  const isLong = ({ schema }: Part) => membersOf(schema).length > (limits.longEnum?.above ?? Infinity)
  const longest = highest(parts.filter(isLong), ({ schema }) => lengthOf(membersOf(schema)))
  check(
    "TooManyProperties",
    limits.properties,
    sum(parts, ({ schema }) => namesIn(schema, "properties").length)
  )
  check("TooDeep", limits.nesting, deepest.count, deepest.path)
  check(
    "TooManyEnumMembers",
    limits.enumMembers,
    sum(parts, ({ schema }) => membersOf(schema).length)
  )
  check("TooMuchText", limits.text, sum(parts, textOf))
  check("EnumTooLong", limits.longEnum?.characters, longest.count, longest.path)
}

type Exceeded = Extract<Reason, { readonly count: number }>["_tag"]

const check = (_tag: Exceeded, limit: number | undefined, count: number, path: Part["path"] = []): void => {
  if (limit !== undefined && count > limit) throw new UnfitSchema({ _tag, limit, count }, path)
}

interface Part {
  readonly schema: Json
  readonly path: ReadonlyArray<string>
  /** How many objects it is in, itself included. */
  readonly depth: number
}

function* partsIn({ depth: outside, path, schema }: Part): Generator<Part> {
  const depth = outside + (schema["type"] === "object" ? 1 : 0)
  yield { schema, path, depth }
  for (const [name, part] of namedIn(schema)) yield* partsIn({ schema: part, path: [...path, name], depth })
  for (const [name, part] of listedIn(schema)) yield* partsIn({ schema: part, path: [...path, ...name], depth })
}

const namedIn = (schema: Json): ReadonlyArray<readonly [string, Json]> =>
  ["properties", "patternProperties", "$defs"].flatMap((keyword) => {
    const named = schema[keyword]
    return isObject(named)
      ? Object.entries(named).flatMap(([name, one]) => (isObject(one) ? [[name, one] as const] : []))
      : []
  })

/** Alternatives are in the same place. */
const listedIn = (schema: Json): ReadonlyArray<readonly [ReadonlyArray<string>, Json]> =>
  ["anyOf", "items", "prefixItems", "additionalProperties"].flatMap((keyword) =>
    [schema[keyword]].flat().flatMap((one) => (isObject(one) ? [[keyword === "anyOf" ? [] : ["*"], one] as const] : []))
  )

const namesIn = (schema: Json, keyword: string): ReadonlyArray<string> => Object.keys(Object(schema[keyword]))

const membersOf = (schema: Json): ReadonlyArray<unknown> => (Array.isArray(schema["enum"]) ? schema["enum"] : [])

const textOf = ({ schema }: Part): number =>
  lengthOf(namesIn(schema, "properties")) + lengthOf(namesIn(schema, "$defs")) + lengthOf(membersOf(schema))

const lengthOf = (texts: ReadonlyArray<unknown>): number =>
  texts.reduce<number>((total, text) => total + String(text).length, 0)

const sum = (parts: ReadonlyArray<Part>, count: (part: Part) => number): number =>
  parts.reduce((total, part) => total + count(part), 0)

const highest = (parts: ReadonlyArray<Part>, count: (part: Part) => number) =>
  parts.reduce((best, part) => (count(part) > best.count ? { count: count(part), path: part.path } : best), {
    count: 0,
    path: [] as Part["path"]
  })
