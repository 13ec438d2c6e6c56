/** A tool that is known only by JSON Schema: its documents become codecs, and the rest is as for any other tool. */
import * as Function from "effect/Function"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import type * as Tool from "../Tool.ts"
import { advertiseInput, advertiseOutput } from "./advertise.ts"
import { readDocument } from "./jsonSchemaDocument.ts"
import { isCostly } from "./importCost.ts"
import type { Refusal } from "./refusal.ts"
import { faultOf } from "./schemaFaults.ts"
import { type Sealed, sealWith } from "./sealed.ts"
import * as Sentences from "./registrationSentences.ts"

type Document = JsonSchema.Document<"draft-2020-12">
type Patterns = Tool.JsonSchemaOptions["patterns"]

/** Never throws: Effect's converters do so for what they cannot express, and endless merging ends with the stack. */
export const importTool = (options: Tool.JsonSchemaOptions): Result.Result<Sealed, Refusal> =>
  Result.try({ try: () => importSides(options), catch: Sentences.unsupportedSchema }).pipe(
    Result.flatMap(Function.identity)
  )

/** The model is shown the documents as they were written; what they cannot be held to is refused. */
const importSides = (options: Tool.JsonSchemaOptions): Result.Result<Sealed, Refusal> =>
  Result.gen(function* () {
    const inputDocument = yield* readDocument(options.inputSchema)
    const outputDocument = yield* readDocument(options.outputSchema === undefined ? {} : options.outputSchema)
    const inputSchema = yield* advertiseInput(inputDocument, Sentences.inputSchemaNotObject)
    const outputSchema = yield* advertiseOutput(outputDocument)
    const input = yield* importCodec(inputDocument, options.patterns)
    const output = yield* importCodec(outputDocument, options.patterns)
    return sealWith(options, { input, output, inputSchema, outputSchema })
  })

const importCodec = (document: Document, patterns: Patterns): Result.Result<Tool.Codec, Refusal> =>
  Result.gen(function* () {
    if (isCostly(document)) return yield* Result.fail(Sentences.costlySchema)
    const schema = SchemaRepresentation.fromJsonSchemaDocument(document, {
      patterns,
      includeAnnotationKey: isExtension,
      onEnter: spellOutNullable
    })
    const fault = faultOf(schema.ast)
    // Imported constraints are Effect's own schemas and checks, none of which needs a service.
    return yield* fault === undefined
      ? Result.succeed(schema as Schema.Schema<unknown> as Tool.Codec)
      : Result.fail(fault)
  })

/** Where marks for repair are. */
const isExtension = (keyword: string): boolean => keyword.startsWith("x-")

/** OpenAPI's way to admit null, which importing would otherwise drop without a word. */
const spellOutNullable = ({ nullable, ...schema }: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  nullable === true ? { anyOf: [schema, { type: "null" }] } : schema
