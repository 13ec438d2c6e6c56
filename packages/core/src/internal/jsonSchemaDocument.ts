/** Reads a JSON Schema from outside: which draft it is of, and that every keyword is one that can be held to. */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as JsonGuard from "../JsonGuard.ts"
import { type Draft, keywordFault } from "./keywordShapes.ts"
import type { Refusal } from "./refusal.ts"
import { maxSchemaValues } from "./schemaSize.ts"
import * as Sentences from "./registrationSentences.ts"
import { isSchema, schemasIn } from "./subschemas.ts"

type Json = JsonSchema.JsonSchema
type Document = JsonSchema.Document<"draft-2020-12">

const limits: JsonGuard.Limits = { ...JsonGuard.defaultLimits, values: maxSchemaValues }

/**
 * A copy, bounded like any JSON from outside, so that nobody can change or bloat a tool through its document. Throws for
 * a draft-07 document that also has keywords of a later draft.
 */
export const readDocument = (source: unknown): Result.Result<Document, Refusal> =>
  Result.gen(function* () {
    const guarded = yield* Result.mapError(JsonGuard.guard(source, limits), unreadable)
    const schema: unknown = JSON.parse(JSON.stringify(guarded))
    if (!isSchema(schema)) return yield* Result.fail(Sentences.notASchema)
    const draft = draftOf(schema)
    if (draft === undefined) return yield* Result.fail(Sentences.unknownDialect(schema["$schema"]))
    const fault = keywordFault(schema, draft)
    return fault === undefined ? convert(schema, draft) : yield* Result.fail(fault)
  })

const unreadable = (cause: JsonGuard.Refusal): Refusal =>
  cause.code === "too_large" ? Sentences.tooLargeSchema(maxSchemaValues) : Sentences.unreadableSchema(cause)

const drafts: ReadonlyMap<string, Draft> = new Map([
  ["json-schema.org/draft/2020-12/schema", "draft-2020-12"],
  ["json-schema.org/draft-07/schema", "draft-07"]
])

/** Neither the protocol nor an empty fragment at the end makes a difference. */
const draftOf = (schema: Json): Draft | undefined => {
  const { $schema } = schema
  if ($schema === undefined) return isOld(schema) ? "draft-07" : "draft-2020-12"
  return typeof $schema === "string" ? drafts.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined
}

/** Many documents do not say what they are. These keywords had a meaning in draft-07 and have none since. */
const isOld = (document: Json): boolean =>
  "definitions" in document ||
  [...schemasIn(document)].some(
    ({ schema }) => Array.isArray(schema["items"]) || "additionalItems" in schema || "dependencies" in schema
  )

const convert = (schema: Json, draft: Draft): Document => {
  const { from, uri } = converters[draft]
  return from("$schema" in schema ? { ...schema, $schema: uri } : schema)
}

const converters = {
  "draft-2020-12": { from: JsonSchema.fromSchemaDraft2020_12, uri: JsonSchema.META_SCHEMA_URI_DRAFT_2020_12 },
  "draft-07": { from: JsonSchema.fromSchemaDraft07, uri: JsonSchema.META_SCHEMA_URI_DRAFT_07 }
}
