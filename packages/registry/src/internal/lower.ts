/** Writes a JSON Schema in a provider's dialect, together with how to read what a model then sends. */
import { type Named, type Reading, same } from "./dialectReading.ts"
import { speak, understands } from "./dialectWords.ts"
import { closedObject, type Lowered, type Lowering, type Path, text } from "./lowered.ts"
import { lowerList } from "./lowerList.ts"
import { lowerObject } from "./lowerObject.ts"
import { lowerAnything, lowerEnum, lowerScalar } from "./lowerScalar.ts"
import { kindsOf, lowerUnion } from "./lowerUnion.ts"
import type { Profile } from "./modelProfile.ts"
import { referencesIn, schemaAt } from "./schemaReferences.ts"
import * as Sentences from "./sentences.ts"
import type { Json, Reference, Shape } from "./shape.ts"
import { ShapeReader } from "./shapeOfSchema.ts"
import { UnfitSchema } from "./unfitSchema.ts"

/** A whole schema in the dialect. */
export interface LoweredSchema {
  readonly schema: Json
  readonly reading: Reading
  readonly named: Named
}

/** Throws `UnfitSchema` for what cannot be written in the dialect. */
export const lowerSchema = (document: Json, profile: Profile): LoweredSchema => {
  const writer = new Writer(document, profile)
  const root = rooted(profile, writer.root)
  const named = new Map([...writer.definitions].map(([name, { reading }]) => [name, reading]))
  return { schema: withDefinitions(root.schema, writer.definitions), reading: simplified(root.reading, named), named }
}

class Writer implements Lowering {
  readonly profile: Profile
  readonly resolve: Lowering["resolve"]
  /** Parts that refer to themselves, by the names that they have in the dialect. */
  readonly definitions = new Map<string, Lowered>()
  private readonly document: Json
  private readonly reader: ShapeReader
  private readonly names = new Map<string, string>()
  private parts = 0

  constructor(document: Json, profile: Profile) {
    this.document = document
    this.profile = profile
    this.reader = new ShapeReader(document)
    this.resolve = this.reader.resolve
  }

  get root(): Lowered {
    return this.lower(this.reader.root, [])
  }

  readonly lower = (shape: Shape, path: Path): Lowered => {
    if (++this.parts > maxParts) throw new UnfitSchema({ _tag: "TooLarge", limit: maxParts }, path)
    if (shape._tag !== "Reference") return lowerKind(this, shape, path)
    return this.profile.references ? this.refer(shape, path) : text(this.spell(shape, path))
  }

  private refer(shape: Reference, path: Path): Lowered {
    const name = this.nameOf(shape.target)
    if (!this.definitions.has(name)) {
      this.definitions.set(name, underway)
      this.definitions.set(name, this.lower(this.resolve(shape.target), path))
    }
    const forms = kindsOf(shape, this).map((kind) => ({ kind }))
    return { schema: { $ref: `#/$defs/${name}` }, reading: { _tag: "Named", name }, forms }
  }

  /** In letters that need no escaping. */
  private nameOf(target: string): string {
    const name = this.names.get(target) ?? `${target.replace(/^.*\//, "").replace(/\W/g, "_")}_${this.names.size + 1}`
    this.names.set(target, name)
    return name
  }

  /** The schema of the text, in words. */
  private spell(shape: Reference, path: Path) {
    const schema = JSON.stringify(excerpt(this.document, shape.target))
    if (schema.length > maxSpelledLength) {
      const reason = { _tag: "RecursiveSchemaTooLarge", limit: maxSpelledLength, count: schema.length } as const
      throw new UnfitSchema(reason, path)
    }
    return speak(this.profile, shape, Sentences.stands.recursive(schema))
  }
}

/** Twice what a tool of ours can have. References that are followed multiply, and those of a stranger have no end. */
const maxParts = 20_000

/** Characters of a schema that is told in a description. Nobody could keep to a longer one without its grammar. */
const maxSpelledLength = 4_000

/** Stands for a definition while it is being made. */
const underway: Lowered = { schema: {}, reading: same, forms: [] }

/** A reference with everything that it leads to. */
const excerpt = (document: Json, target: string): Json => {
  const targets = new Set([target])
  for (const one of targets) for (const next of referencesIn(schemaAt(document, one))) targets.add(next)
  const definitions = [...targets].map((one) => [one.replace(/^#\/\$defs\//, ""), schemaAt(document, one)])
  return { $ref: target, $defs: Object.fromEntries(definitions) }
}

const withDefinitions = (schema: Json, definitions: ReadonlyMap<string, Lowered>): Json => {
  if (definitions.size === 0) return schema
  return { ...schema, $defs: Object.fromEntries([...definitions].map(([name, { schema }]) => [name, schema])) }
}

/** The key under which arguments go that are no plain object. */
const inputKey = "input"

/** A call has an object at the root, whatever is in it. */
const rooted = (profile: Profile, root: Lowered): Lowered => {
  if (root.schema["type"] === "object") return root
  const input = { description: Sentences.stands.input, ...root.schema }
  return {
    schema: closedObject(profile, { [inputKey]: input }, [inputKey]),
    reading: { _tag: "Options", options: new Map([[inputKey, root.reading]]) },
    forms: []
  }
}

/** A schema in which nothing is read differently needs no reader, however it refers to itself. */
const simplified = (reading: Reading, named: Named): Reading =>
  [reading, ...named.values()].every(changesNothing) ? same : reading

const changesNothing = (reading: Reading): boolean => {
  switch (reading._tag) {
    case "Same":
    case "Named":
      return true
    case "Items":
      return changesNothing(reading.items)
    case "Alternatives":
      return reading.alternatives.every((alternative) => changesNothing(alternative.reading))
    case "Fields":
      return (
        changesNothing(reading.rest) &&
        [...reading.fields].every(([key, { name, nullIsAbsent, reading }]) => {
          return name === key && !nullIsAbsent && changesNothing(reading)
        })
      )
    default:
      return false
  }
}

const lowerKind = (lowering: Lowering, shape: Exclude<Shape, Reference>, path: Path): Lowered => {
  switch (shape._tag) {
    case "Anything":
      return lowerAnything(lowering.profile, shape)
    case "Nothing":
      return {
        schema: understands(lowering.profile, "not") ? { not: {} } : { type: "string" },
        reading: same,
        forms: []
      }
    case "Scalar":
      return lowerScalar(lowering.profile, shape)
    case "Enum":
      return lowerEnum(lowering.profile, shape)
    case "List":
      return lowerList(lowering, shape, path)
    case "Object":
      return lowerObject(lowering, shape, path)
    case "Union":
      return lowerUnion(lowering, shape, path)
  }
}
