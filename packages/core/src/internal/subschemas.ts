/** Where a JSON Schema holds other schemas, in draft 2020-12 as well as in draft-07. */
import type * as JsonSchema from "effect/JsonSchema"
import type { Path } from "./path.ts"

type Json = JsonSchema.JsonSchema
type Document = JsonSchema.Document<"draft-2020-12">

/** Keywords that hold schemas by name. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"])

/** Keywords that hold one schema or a list of them. */
const places = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "propertyNames",
  "additionalProperties",
  "unevaluatedProperties"
])

/** A schema and the keywords and names that lead to it. */
export interface Located {
  readonly path: Path
  readonly schema: Json
}

/** The schema itself, then all that are inside it. References are not followed. */
export function* schemasIn(schema: Json, path: Path = []): Generator<Located> {
  yield { path, schema }
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [key, member] of membersOf(keyword, value)) {
      if (isSchema(member)) yield* schemasIn(member, [...path, keyword, ...key])
    }
  }
}

/** All schemas of a document, in its definitions, too. */
export const schemasOf = ({ definitions, schema }: Pick<Document, "definitions" | "schema">): ReadonlyArray<Json> =>
  [schema, ...Object.values(definitions).filter(isSchema)].flatMap((root) =>
    Array.from(schemasIn(root), (located) => located.schema)
  )

type Member = readonly [key: Path, value: unknown]

const membersOf = (keyword: string, value: unknown): ReadonlyArray<Member> => {
  if (maps.has(keyword)) return entriesOf(value).map(([name, member]): Member => [[name], member])
  if (!places.has(keyword)) return []
  return Array.isArray(value) ? value.map((member: unknown, index): Member => [[index], member]) : [[[], value]]
}

/** The names and values of an object; nothing of anything else. */
export const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  isSchema(value) ? Object.entries(value) : []

/** The schemas in a list that a keyword holds, without those that are just true or false. */
export const schemasAt = (schema: Json, keyword: string): ReadonlyArray<Json> => {
  const members: unknown = schema[keyword]
  return Array.isArray(members) ? members.filter(isSchema) : []
}

/** A schema that says more than true or false. */
export const isSchema = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)
