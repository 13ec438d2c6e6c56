/** Reads a JSON Schema into a shape. Only references that lead back to themselves are kept, all others are followed. */
import { describing, ofLists, ofNumbers, ofObjects, ofText, pick, silent, structural } from "./schemaKeywords.ts"
import { recursiveReferences, schemaAt } from "./schemaReferences.ts"
import {
  anything,
  enumOf,
  isMember,
  isObject,
  type Json,
  type Keywords,
  nothing,
  reference,
  type ScalarType,
  scalar,
  type Shape,
  unionOf
} from "./shape.ts"
import { intersect } from "./shapeIntersection.ts"

/** Keywords that have a meaning for one type only. */
const ofType = { string: ofText, number: ofNumbers, array: ofLists, object: ofObjects }

type TypeWithKeywords = keyof typeof ofType
type TypeName = ScalarType | "array" | "object"

const known = new Set([...structural, ...describing, ...silent, ...Object.values(ofType).flat()])

/** A document that can be read part by part. */
export class ShapeReader {
  private readonly document: Json
  private readonly known = new Map<string, Shape>()
  private readonly recursive: ReadonlySet<string>

  constructor(document: Json) {
    this.document = document
    this.recursive = recursiveReferences(document)
  }

  get root(): Shape {
    return this.read(this.document)
  }

  /** What a reference stands for. */
  readonly resolve = (target: string): Shape => {
    const shape = this.known.get(target) ?? this.read(schemaAt(this.document, target))
    this.known.set(target, shape)
    return shape
  }

  private read(schema: unknown): Shape {
    if (!isObject(schema)) return schema === false ? nothing : anything
    const parts = [
      ...(typeof schema["$ref"] === "string" ? [this.follow(schema["$ref"])] : []),
      ...schemasIn(schema["allOf"]).map((one) => this.read(one)),
      ...["anyOf", "oneOf"].flatMap((keyword) => this.alternatives(schema[keyword]))
    ]
    const own = this.own(schema)
    const shape = parts.reduce((left, right) => intersect(left, right, this.resolve), own)
    const said = pick(schema, (keyword) => describing.includes(keyword))
    const spoken = { ...shape, said: { ...shape.said, ...said } }
    return schema["nullable"] === true ? unionOf([spoken, scalar("null")]) : spoken
  }

  private follow(target: string): Shape {
    return this.recursive.has(target) ? reference(target) : this.resolve(target)
  }

  private alternatives(schemas: unknown): ReadonlyArray<Shape> {
    return Array.isArray(schemas) ? [unionOf(schemas.map((one) => this.read(one)))] : []
  }

  /** Without what is demanded elsewhere: in references and combinations. */
  private own(schema: Json): Shape {
    if (isImpossible(schema)) return nothing
    const rules = pick(schema, (keyword) => !known.has(keyword))
    const members = membersOf(schema)
    if (members !== undefined) return { ...members, rules }
    const types = typesOf(schema)
    const shape = types === undefined ? anything : unionOf(types.map((type) => this.ofType(type, schema)))
    return { ...shape, rules: { ...shape.rules, ...rules } }
  }

  private ofType(type: TypeName, schema: Json): Shape {
    if (type === "array") return this.list(schema)
    if (type === "object") return this.object(schema)
    return scalar(type, rulesOf(type === "integer" ? "number" : type, schema))
  }

  private list(schema: Json): Shape {
    const prefix = schemasIn(schema["prefixItems"]).map((one) => this.read(one))
    const items = schema["items"] === undefined ? anything : this.read(schema["items"])
    return { _tag: "List", prefix, items, said: {}, rules: rulesOf("array", schema) }
  }

  private object(schema: Json): Shape {
    const required = schemasIn(schema["required"]).filter((name) => typeof name === "string")
    const rest = schema["additionalProperties"] === undefined ? anything : this.read(schema["additionalProperties"])
    const declared = this.byName(schema["properties"])
    const implied = required.filter((name) => !declared.has(name)).map((name) => [name, rest] as const)
    return {
      _tag: "Object",
      properties: new Map([...declared, ...implied]),
      required: new Set(required),
      patterns: this.byName(schema["patternProperties"]),
      rest,
      said: {},
      rules: rulesOf("object", schema)
    }
  }

  private byName(schemas: unknown): ReadonlyMap<string, Shape> {
    if (!isObject(schemas)) return new Map()
    return new Map(Object.entries(schemas).map(([name, one]) => [name, this.read(one)]))
  }
}

const schemasIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const isImpossible = ({ not }: Json): boolean => not === true || (isObject(not) && Object.keys(not).length === 0)

const rulesOf = (type: ScalarType | TypeWithKeywords, schema: Json): Keywords => {
  if (type === "null" || type === "boolean" || type === "integer") return {}
  return pick(schema, (keyword) => ofType[type].includes(keyword) && !structural.includes(keyword))
}

const membersOf = (schema: Json): Shape | undefined => {
  const values: unknown = schema["const"] === undefined ? schema["enum"] : [schema["const"]]
  if (!Array.isArray(values)) return undefined
  const types = typesOf({ type: schema["type"] })
  const members = values.filter((value) => isMember(value) && (types === undefined || types.some(isTypeOf(value))))
  return values.includes(null) ? unionOf([enumOf(members), scalar("null")]) : enumOf(members)
}

const isTypeOf =
  (value: unknown) =>
  (type: TypeName): boolean =>
    type === typeof value || (type === "integer" && Number.isInteger(value))

const typeNames: ReadonlyArray<TypeName> = ["null", "boolean", "integer", "number", "string", "array", "object"]

/** Without a type it is the one that its keywords have a meaning for: that is what their author thought of. */
const typesOf = (schema: Json): ReadonlyArray<TypeName> | undefined => {
  const said = [schema["type"]].flat().filter((type) => type !== undefined)
  if (said.length > 0) return typeNames.filter((type) => said.includes(type))
  const meant = (["string", "number", "array", "object"] as const).filter((type) =>
    ofType[type].some((keyword) => schema[keyword] !== undefined)
  )
  return meant.length === 1 ? meant : undefined
}
