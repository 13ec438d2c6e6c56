/** The JSON Schemas that a tool's codecs are advertised with, or why they cannot be. */
import type * as JsonSchema from "effect/JsonSchema"
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import type { Codec } from "../Tool.ts"
import { composed } from "./composed.ts"
import { asObject, inlineRoot, isEndless } from "./jsonSchemaRoot.ts"
import type { Refusal } from "./refusal.ts"
import { documentOf } from "./schemaDocument.ts"
import { partOf } from "./schemaPart.ts"
import * as Sentences from "./registrationSentences.ts"

type Document = JsonSchema.Document<"draft-2020-12">
export type Advertised = Result.Result<JsonSchema.JsonSchema, Refusal>

/** Of the arguments that a codec decodes. */
export const inputSchemaOf = (input: Codec): Advertised => {
  const schema = composed(input.ast, partOf)
  return schema === undefined ? Result.flatMap(documentOf(input), advertiseInput) : Result.succeed(schema)
}

/** Of what a codec encodes to. Many tools share the codec of their output. */
export const outputSchemaOf = memoize((output: Codec): Advertised => {
  const schema = composed(output.ast, partOf)
  return schema === undefined ? Result.flatMap(documentOf(output), advertiseOutput) : Result.succeed(schema)
})

/** Of arguments: an object at the root, because that is all that a provider lets a model send. */
export const advertiseInput = (document: Document, notObject: Refusal = Sentences.inputNotObject): Advertised =>
  Result.flatMap(advertiseOutput(document), (inlined) => {
    const root = asObject(inlined, document.definitions)
    return root === undefined ? Result.fail(notObject) : Result.succeed(root)
  })

export const advertiseOutput = (document: Document): Advertised =>
  isEndless(document) ? Result.fail(Sentences.endlessSchema) : Result.succeed(inlineRoot(document))
