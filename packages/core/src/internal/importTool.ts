/** A tool that is known only by JSON Schema: its documents become codecs, and the rest is as for any other tool. */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import * as JsonGuard from "../JsonGuard.ts"
import type * as Tool from "../Tool.ts"
import { advertiseInput, advertiseOutput } from "./advertise.ts"
import type { Refusal } from "./refusal.ts"
import { faultOf } from "./schemaFaults.ts"
import { type Sealed, sealWith } from "./sealed.ts"
import * as Sentences from "./sentences.ts"

type Document = JsonSchema.Document<"draft-2020-12">
type Patterns = Tool.JsonSchemaOptions["patterns"]

/** The model is shown the documents as they were written; what they cannot be held to is refused. */
export const importTool = (options: Tool.JsonSchemaOptions): Result.Result<Sealed, Refusal> =>
  Result.gen(function* () {
    const inputDocument = yield* readDocument(options.inputSchema)
    const outputDocument = yield* readDocument(options.outputSchema ?? {})
    const inputSchema = yield* advertiseInput(inputDocument)
    const outputSchema = yield* advertiseOutput(outputDocument)
    const input = yield* importCodec(inputDocument, options.patterns)
    const output = yield* importCodec(outputDocument, options.patterns)
    return yield* sealWith({ ...options, input, output }, { inputSchema, outputSchema })
  })

/** A copy, bounded like any JSON from outside, so that nobody can change or bloat a tool through its document. */
const readDocument = (schema: JsonSchema.JsonSchema): Result.Result<Document, Refusal> =>
  Result.flatMap(Result.mapError(JsonGuard.guard(schema), Sentences.unreadableSchema), (guarded) => {
    const copy: JsonSchema.JsonSchema = JSON.parse(JSON.stringify(guarded))
    const { $schema = copy["definitions"] === undefined ? draft2020 : draft07 } = copy
    if (isDialect($schema, draft2020)) return Result.succeed(JsonSchema.fromSchemaDraft2020_12(copy))
    if (isDialect($schema, draft07)) return Result.succeed(JsonSchema.fromSchemaDraft07(copy))
    return Result.fail(Sentences.unknownDialect($schema))
  })

const draft07 = JsonSchema.META_SCHEMA_URI_DRAFT_07
const draft2020 = JsonSchema.META_SCHEMA_URI_DRAFT_2020_12

/** An empty fragment at the end makes no difference. */
const isDialect = ($schema: unknown, dialect: string): boolean =>
  typeof $schema === "string" && $schema.replace(/#$/, "") === dialect.replace(/#$/, "")

const importCodec = (document: Document, patterns: Patterns): Result.Result<Tool.Codec, Refusal> =>
  Result.try({
    try: () => SchemaRepresentation.fromJsonSchemaDocument(document, { patterns, onEnter: spellOutNullable }),
    catch: Sentences.unsupportedSchema
  }).pipe(
    Result.flatMap((schema) => {
      const fault = faultOf(schema.ast)
      // Imported constraints are Effect's own schemas and checks, none of which needs a service.
      return fault === undefined ? Result.succeed(schema as Schema.Schema<unknown> as Tool.Codec) : Result.fail(fault)
    })
  )

/** OpenAPI's way to admit null, which importing would otherwise drop without a word. */
const spellOutNullable = ({ nullable, ...schema }: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  nullable === true ? { anyOf: [schema, { type: "null" }] } : schema
