/** How large a schema may be. It is sent to the model with every request, and somebody has to read it. */
import type * as JsonSchema from "effect/JsonSchema"
import { targetOf } from "./jsonSchemaRoot.ts"
import { isSchema } from "./subschemas.ts"

type Json = JsonSchema.JsonSchema

/** Values in one JSON Schema. As text this is some 200 kB, more than the context of many a model has room for. */
export const maxSchemaValues = 10_000

/** How many values a document has when its references are replaced by what they refer to. */
export const expandedSize = ({ definitions, schema }: JsonSchema.Document<"draft-2020-12">): number => {
  const sizes = new Sizes(definitions)
  return sizes.of(schema) + sizes.kept
}

/** An object with `$ref` and nothing else. */
const referenceSize = 2

/** Sizes of values with their references replaced. Finding one takes no longer than the definitions are large. */
export class Sizes {
  /** Of definitions that refer to themselves. References to these stay, so that they are needed once. */
  kept = 0
  private readonly definitions: JsonSchema.Definitions
  private readonly known = new Map<Json, number>()
  private readonly open = new Set<Json>()
  private readonly recursive = new Set<Json>()

  constructor(definitions: JsonSchema.Definitions) {
    this.definitions = definitions
  }

  of(value: unknown): number {
    if (typeof value !== "object" || value === null) return 1
    const parts: ReadonlyArray<unknown> = Object.values(value)
    const size = parts.reduce<number>((sum, part) => sum + this.of(part), 1)
    const target = isSchema(value) ? targetOf(value, this.definitions) : undefined
    return target === undefined ? size : size - referenceSize + this.ofSchema(target)
  }

  /** Remembered. That of one which refers to itself is that of a reference. */
  ofSchema(schema: Json): number {
    if (this.open.has(schema)) this.recursive.add(schema)
    if (this.recursive.has(schema)) return referenceSize
    const size = this.known.get(schema) ?? this.measure(schema)
    this.known.set(schema, size)
    return size
  }

  private measure(schema: Json): number {
    this.open.add(schema)
    const size = this.of(schema)
    this.open.delete(schema)
    if (!this.recursive.has(schema)) return size
    this.kept += size
    return referenceSize
  }
}
