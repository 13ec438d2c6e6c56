/**
 * Writes arguments as a model would that has nothing but a lowered schema and what its descriptions say. It knows nothing
 * of how they are read: there may be several valid ways, and a test looks for one that comes back equal.
 */
import { Ajv2020 } from "ajv/dist/2020.js"
import type { JsonSchema } from "effect"

type Json = JsonSchema.JsonSchema
type Candidates = Generator<unknown>

export class DialectWriter {
  private readonly root: Json
  private compiled: ((value: unknown) => boolean) | undefined

  constructor(schema: Json) {
    this.root = schema
  }

  private admits(value: unknown): boolean {
    this.compiled ??= new Ajv2020({ strict: false, validateFormats: false }).compile(this.root)
    return this.compiled(value)
  }

  /** The ways to write arguments that an independent validator admits. */
  *write(json: unknown): Candidates {
    for (const candidate of this.candidates(json, this.root)) if (this.admits(candidate)) yield candidate
  }

  /** Each once, without those of which a glance shows that they do not fit. */
  private *candidates(value: unknown, schema: unknown): Candidates {
    if (!isObject(schema)) return yield value
    const seen = new Set<string>()
    for (const candidate of this.attempts(value, schema)) {
      const text = JSON.stringify(candidate)
      if (!seen.has(text) && isPlausible(schema, candidate)) yield candidate
      seen.add(text)
    }
  }

  private *attempts(value: unknown, schema: Json): Candidates {
    const { $ref, anyOf, type } = schema
    if (typeof $ref === "string") return yield* this.candidates(value, definitionAt(this.root, $ref))
    if (Array.isArray(anyOf)) for (const member of anyOf) yield* this.candidates(value, member)
    else if (type === "string") yield* texts(schema, value)
    else if (type === "array") yield* Array.isArray(value) ? this.list(schema, value) : this.entries(schema, value)
    else if (type === "object") yield* this.object(schema, value)
    else yield value
  }

  private *list(schema: Json, value: ReadonlyArray<unknown>): Candidates {
    const prefix = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : []
    yield* all(value.map((item, index) => () => this.candidates(item, prefix[index] ?? schema["items"])))
  }

  private *entries({ items }: Json, value: unknown): Candidates {
    const { key, value: content } = isObject(items) ? propertiesOf(items) : {}
    if (!isObject(value) || key === undefined) return
    const keys = Object.keys(value)
    for (const values of all(keys.map((key) => () => this.candidates(value[key], content)))) {
      yield keys.map((key, index) => ({ key, value: values[index] }))
    }
  }

  private *object(schema: Json, value: unknown): Candidates {
    const properties = propertiesOf(schema)
    const [key = "", ...others] = Object.keys(properties)
    if (others.length === 0 && /^(?:option_\d+|input)$/.test(key)) {
      for (const content of this.candidates(value, properties[key])) yield { [key]: content }
    }
    if (key.startsWith("null_itself") && value === null) yield { [key]: null }
    if (Array.isArray(value)) yield* this.positions(schema, value)
    else if (isObject(value)) yield* this.fields(schema, value)
  }

  private *positions(schema: Json, value: ReadonlyArray<unknown>): Candidates {
    const properties = propertiesOf(schema)
    const names = Object.keys(properties).filter((name) => name.startsWith("item_"))
    const rest = properties["rest"] === undefined ? {} : { rest: value.slice(names.length) }
    const given = names.flatMap((name, index) => (index < value.length ? [[name, value[index]] as const] : []))
    if (names.length > 0) yield* this.fields(schema, { ...Object.fromEntries(given), ...rest })
  }

  /** What is left out is null where it has to be there; names that a provider does not take have underscores. */
  private *fields(schema: Json, value: Json): Candidates {
    const properties = propertiesOf(schema)
    const keys = new Map(Object.keys(value).map((name) => [keyFor(name, properties), name]))
    const spread = Object.keys(properties).find((key) => key.startsWith("other_properties") && !keys.has(key))
    const declared = Object.keys(properties)
    const others = [...keys].filter(([key]) => !declared.includes(key)).map(([, name]) => name)
    const parts = [...declared, ...(spread === undefined ? others : [])].map((key) => () => {
      if (key === spread) return this.entries(asSchema(properties[key]), pick(value, others))
      const name = keys.get(key)
      if (name !== undefined) return this.candidates(value[name], properties[key] ?? schema["additionalProperties"])
      return just(isRequired(schema, key) ? null : undefined)
    })
    const names = [...declared, ...(spread === undefined ? others : [])]
    for (const values of all(parts)) yield compact(names, values)
  }
}

/** Looks at the value itself, not into it. */
const isPlausible = (schema: Json, value: unknown): boolean => {
  const { enum: members, type } = schema
  if (Array.isArray(members) && !members.includes(value)) return false
  if (typeof type !== "string") return true
  if (type !== typeOf(value)) return type === "integer" && Number.isInteger(value)
  return type !== "object" || hasKeys(schema, Object.keys(Object(value)))
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

const hasKeys = (schema: Json, keys: ReadonlyArray<string>): boolean => {
  const { additionalProperties, required } = schema
  const isClosed = additionalProperties === false && schema["patternProperties"] === undefined
  const declared = new Set(Object.keys(propertiesOf(schema)))
  const isComplete = !Array.isArray(required) || required.every((key) => keys.includes(key))
  return isComplete && (!isClosed || keys.every((key) => declared.has(key)))
}

function* just(value: unknown): Candidates {
  yield value
}

function* texts(schema: Json, value: unknown): Candidates {
  if (String(schema["description"]).includes("JSON text")) return yield JSON.stringify(value)
  yield value
  const isLabel = Array.isArray(schema["enum"]) && (typeof value !== "object" || value === null)
  if (isLabel) yield value === "" ? '""' : String(value)
}

/** Every combination of what each part could be written as. */
function* all(parts: ReadonlyArray<() => Candidates>): Generator<ReadonlyArray<unknown>> {
  const [first, ...others] = parts
  if (first === undefined) return yield []
  for (const head of first()) for (const tail of all(others)) yield [head, ...tail]
}

const compact = (names: ReadonlyArray<string>, values: ReadonlyArray<unknown>): unknown =>
  Object.fromEntries(
    names.flatMap((name, index) => (values[index] === undefined ? [] : [[name, values[index]] as const]))
  )

const pick = (value: Json, names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.map((name) => [name, value[name]]))

const isRequired = ({ required }: Json, key: string): boolean => Array.isArray(required) && required.includes(key)

const keyFor = (name: string, properties: Json): string => {
  const keys = Object.keys(properties)
  return keys.includes(name) ? name : (keys.find((key) => key === name.replace(/\W/g, "_")) ?? name)
}

const propertiesOf = ({ properties }: Json): Json => asSchema(properties)

const asSchema = (value: unknown): Json => (isObject(value) ? value : {})

const definitionAt = (root: Json, reference: string): unknown =>
  asSchema(root["$defs"])[reference.replace("#/$defs/", "")]

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
