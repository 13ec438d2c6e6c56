/**
 * How much work it is to import a document that demands several things of one value. They are merged key by key, again
 * for each thing that is added and for each alternative, so that a document of a hundred values could take for ever.
 */
import type * as JsonSchema from "effect/JsonSchema"
import { maxDepth } from "../JsonGuard.ts"
import { nextOf, targetOf } from "./jsonSchemaRoot.ts"
import { asserts } from "./keywordShapes.ts"
import { maxSchemaValues, Sizes } from "./schemaSize.ts"
import { entriesOf, isSchema, schemasAt, schemasIn } from "./subschemas.ts"

type Json = JsonSchema.JsonSchema

/** Times that a key is merged with what one more part says about it. Each takes up to five microseconds. */
const maxSteps = 100_000

/** Schemas that one value may be held to, one after the other. As many as a document has place for. */
const maxWays = maxSchemaValues

/** Expects a document that is not endless. */
export const isCostly = (document: JsonSchema.Document<"draft-2020-12">): boolean => {
  const schemas = schemasInUse(document)
  return hasManyWays(schemas, document.definitions) || isCostlyToMerge(schemas, document.definitions)
}

/** A definition that nothing refers to is not imported. */
const schemasInUse = ({ definitions, schema }: JsonSchema.Document<"draft-2020-12">): ReadonlyArray<Json> => {
  const schemas = new Set<Json>()
  const roots = new Set([schema])
  for (const root of roots) {
    for (const located of schemasIn(root)) {
      schemas.add(located.schema)
      const target = targetOf(located.schema, definitions)
      if (target !== undefined) roots.add(target)
    }
  }
  return [...schemas]
}

/** Alternatives that refer to others twice have twice as many. */
const hasManyWays = (schemas: ReadonlyArray<Json>, definitions: JsonSchema.Definitions): boolean => {
  const known = new Map<Json, number>()
  const waysOf = (one: Json): number => {
    const ways = known.get(one) ?? nextOf(one, definitions).reduce((sum, next) => sum + waysOf(next), 1)
    known.set(one, ways)
    return ways
  }
  return schemas.some((one) => waysOf(one) > maxWays)
}

/** Goes the way of the importer and stops at the limit. */
const isCostlyToMerge = (schemas: ReadonlyArray<Json>, definitions: JsonSchema.Definitions): boolean => {
  const walk = new Walk(definitions)
  for (const one of schemas) walk.visit([one])
  return walk.isOver
}

class Walk {
  private readonly definitions: JsonSchema.Definitions
  private readonly sizes: Sizes
  private steps = 0
  private depth = 0

  constructor(definitions: JsonSchema.Definitions) {
    this.definitions = definitions
    this.sizes = new Sizes(definitions)
  }

  get isOver(): boolean {
    return this.steps > maxSteps
  }

  /** What is demanded of one value at the same time. */
  visit(schemas: ReadonlyArray<Json>): void {
    const parts = schemas.flatMap((schema) => this.partsOf(schema))
    this.combine(parts.filter(demands), parts.flatMap(unionsOf))
  }

  /** Everything that a value of the schema has to fit, references followed. */
  private partsOf(schema: Json): ReadonlyArray<Json> {
    this.steps++
    if (this.isOver) return []
    const target = targetOf(schema, this.definitions)
    const others = [...(target === undefined ? [] : [target]), ...schemasAt(schema, "allOf")]
    return [schema, ...others.flatMap((other) => this.partsOf(other))]
  }

  /** All parts with each alternative of each union. The importer looks into parts to see whether they have any, too. */
  private combine(parts: ReadonlyArray<Json>, unions: ReadonlyArray<ReadonlyArray<Json>>): void {
    if (parts.length + unions.length < 2) return
    if (parts.some((part) => this.sizes.ofSchema(part) > maxSchemaValues)) this.steps = Number.POSITIVE_INFINITY
    const [union, ...others] = unions
    if (union === undefined) return this.merge(parts)
    for (const alternative of union) {
      if (this.isOver) return
      const more = this.partsOf(alternative)
      this.combine([...parts, ...more.filter(demands)], [...others, ...more.flatMap(unionsOf)])
    }
  }

  /** One after the other, each with all that were merged before it. */
  private merge(parts: ReadonlyArray<Json>): void {
    this.depth++
    for (let count = 2; count <= parts.length; count++) {
      const groups = groupsOf(parts.slice(0, count))
      this.steps += this.depth > maxDepth ? Number.POSITIVE_INFINITY : count * (1 + groups.length)
      for (const group of groups) {
        if (this.isOver) return
        this.visit(group)
      }
    }
    this.depth--
  }
}

const applied = new Set(["$ref", "allOf", "anyOf", "oneOf"])

/** By itself, not by what it refers to or lists. */
const demands = (schema: Json): boolean =>
  Object.keys(schema).some((keyword) => asserts(keyword) && !applied.has(keyword))

const unionsOf = (schema: Json): ReadonlyArray<ReadonlyArray<Json>> =>
  ["anyOf", "oneOf"].map((keyword) => schemasAt(schema, keyword)).filter((union) => union.length > 0)

/** Of objects or lists that are merged, the schemas that meet at each key and at each index. */
const groupsOf = (parts: ReadonlyArray<Json>): ReadonlyArray<ReadonlyArray<Json>> => {
  const keys = parts.every((part) => admits(part, "object")) ? [...new Set(parts.flatMap(keysOf)), undefined] : []
  const length = parts.every((part) => admits(part, "array")) ? Math.max(...parts.map(lengthOf)) + 1 : 0
  return [
    ...keys.map((key) => parts.flatMap((part) => propertiesAt(part, key))),
    ...Array.from({ length }, (_, index) => parts.flatMap((part) => elementsAt(part, index)))
  ]
}

const admits = ({ type }: Json, name: string): boolean => type === undefined || [type].flat().includes(name)

const lengthOf = ({ prefixItems }: Json): number => (Array.isArray(prefixItems) ? prefixItems.length : 0)

const keysOf = ({ properties, required }: Json): ReadonlyArray<unknown> => [
  ...entriesOf(properties).map(([key]) => key),
  ...(Array.isArray(required) ? required : [])
]

/** Without a key, what all keys have in common that no part declares. */
const propertiesAt = (part: Json, key: unknown): ReadonlyArray<Json> => {
  const { additionalProperties, patternProperties, properties } = part
  const isDeclared = typeof key === "string" && isSchema(properties) && Object.hasOwn(properties, key)
  const matching = entriesOf(patternProperties).map(([, schema]) => schema)
  return [isDeclared ? properties[key] : additionalProperties, ...matching].filter(isSchema)
}

const elementsAt = (part: Json, index: number): ReadonlyArray<Json> => {
  const declared: unknown = Array.isArray(part["prefixItems"]) ? part["prefixItems"][index] : undefined
  return [declared ?? part["items"]].filter(isSchema)
}
