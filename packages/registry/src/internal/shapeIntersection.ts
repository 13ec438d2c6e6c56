/** The shape of what fits two shapes: what `allOf` means, and what stands next to alternatives. */
import { UnfitSchema } from "./unfitSchema.ts"
import {
  anything,
  type Enum,
  enumOf,
  type Keywords,
  type List,
  type Member,
  nothing,
  type ObjectShape,
  type Scalar,
  type Shape,
  unionOf
} from "./shape.ts"

/** Gives what a reference stands for. */
export type Resolve = (target: string) => Shape

/** Never narrower than both together; where it cannot be exact the tool's own codec is. */
export const intersect = (left: Shape, right: Shape, resolve: Resolve): Shape => {
  const both = (first: Shape, second: Shape) => intersect(first, second, resolve)
  if (left._tag === "Nothing" || right._tag === "Nothing") return nothing
  if (left._tag === "Anything") return spoken(right, left)
  if (right._tag === "Anything") return spoken(left, right)
  if (left._tag === "Union") return spoken(unionOf(left.members.map((member) => both(member, right))), left)
  if (right._tag === "Union") return spoken(unionOf(right.members.map((member) => both(left, member))), right)
  if (left._tag === "Reference" && right._tag === "Reference") return sameReference(left, right)
  if (left._tag === "Reference") return both(resolve(left.target), right)
  if (right._tag === "Reference") return both(left, resolve(right.target))
  return spoken(ofKinds(left, right, both), right)
}

type Both = (left: Shape, right: Shape) => Shape
type Kind = Exclude<Shape, { readonly _tag: "Anything" | "Nothing" | "Union" | "Reference" }>

const sameReference = (left: Extract<Shape, { _tag: "Reference" }>, right: typeof left): Shape => {
  if (left.target === right.target) return spoken(left, right)
  throw new UnfitSchema({ _tag: "TwoReferences" })
}

const ofKinds = (left: Kind, right: Kind, both: Both): Shape => {
  if (left._tag === "Enum") return ofEnum(left, right)
  if (right._tag === "Enum") return spoken(ofEnum(right, left), left)
  if (left._tag === "Scalar" && right._tag === "Scalar") return ofScalars(left, right)
  if (left._tag === "List" && right._tag === "List") return ofLists(left, right, both)
  return left._tag === "Object" && right._tag === "Object" ? ofObjects(left, right, both) : nothing
}

const ofEnum = (shape: Enum, other: Kind): Shape => {
  const members = shape.members.filter((member) => fits(member, other))
  return spoken(enumOf(members), shape)
}

const fits = (member: Member, shape: Kind): boolean => {
  if (shape._tag === "Enum") return shape.members.includes(member)
  if (shape._tag !== "Scalar") return false
  return shape.type === "integer" ? Number.isInteger(member) : shape.type === typeof member
}

const ofScalars = (left: Scalar, right: Scalar): Shape => {
  if (left.type === right.type) return left
  return isNumber(left) && isNumber(right) ? { ...left, type: "integer" } : nothing
}

const isNumber = ({ type }: Scalar): boolean => type === "integer" || type === "number"

const ofLists = (left: List, right: List, both: Both): Shape => {
  const length = Math.max(left.prefix.length, right.prefix.length)
  const prefix = Array.from({ length }, (_, index) =>
    both(left.prefix[index] ?? left.items, right.prefix[index] ?? right.items)
  )
  return { ...left, prefix, items: both(left.items, right.items) }
}

const ofObjects = (left: ObjectShape, right: ObjectShape, both: Both): Shape => {
  const names = new Set([...left.properties.keys(), ...right.properties.keys()])
  return {
    ...left,
    properties: new Map([...names].map((name) => [name, both(propertyOf(left, name), propertyOf(right, name))])),
    required: new Set([...left.required, ...right.required]),
    patterns: new Map([...left.patterns, ...right.patterns]),
    rest: both(left.rest, right.rest)
  }
}

/** A name without a shape of its own may be one of those that match a pattern, which only the tool's codec decides. */
const propertyOf = ({ patterns, properties, rest }: ObjectShape, name: string): Shape =>
  properties.get(name) ?? (patterns.size === 0 ? rest : anything)

const spoken = (shape: Shape, other: Shape): Shape => ({
  ...shape,
  said: { ...other.said, ...shape.said },
  rules: mergeRules(shape.rules, other.rules)
})

const lower = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"])
const upper = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"])

/** Of two bounds the narrower holds. Of two other rules for one keyword the first is shown. */
const mergeRules = (left: Keywords, right: Keywords): Keywords => {
  const merged: Record<string, unknown> = { ...right, ...left }
  for (const [keyword, value] of Object.entries(left)) {
    const other = right[keyword]
    if (typeof value !== "number" || typeof other !== "number") continue
    if (lower.has(keyword)) merged[keyword] = Math.max(value, other)
    if (upper.has(keyword)) merged[keyword] = Math.min(value, other)
  }
  return merged
}
