/** The JSON Schemas that a tool's codecs are advertised with, or why they cannot be. */
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Codec } from "../Tool.ts"
import { describe } from "./describe.ts"
import { asObject, inlineRoot, isEndless } from "./jsonSchemaRoot.ts"
import type { Refusal } from "./refusal.ts"
import { faultOf } from "./schemaFaults.ts"
import * as Sentences from "./sentences.ts"

type Document = JsonSchema.Document<"draft-2020-12">
export type Advertised = Result.Result<JsonSchema.JsonSchema, Refusal>

/** Of arguments: an object at the root, because that is all that a provider lets a model send. */
export const advertiseInput = (document: Document): Advertised =>
  Result.flatMap(advertiseOutput(document), (inlined) => {
    const root = asObject(inlined, document.definitions)
    return root === undefined ? Result.fail(Sentences.inputNotObject) : Result.succeed(root)
  })

export const advertiseOutput = (document: Document): Advertised =>
  isEndless(document) ? Result.fail(Sentences.endlessSchema) : Result.succeed(inlineRoot(document))

export const documentOf = (codec: Codec): Result.Result<Document, Refusal> =>
  Result.flatMap(
    attempt(() => faultOf(codec.ast)),
    (fault) => (fault === undefined ? attempt(() => describedDocument(codec)) : Result.fail(fault))
  )

const attempt = <A>(derive: () => A): Result.Result<A, Refusal> => Result.try({ try: derive, catch: Sentences.notJson })

/** Says about unknown keys what the decoder does, and refers only where a schema is recursive. */
const describedDocument = (codec: Codec): Document => {
  const options: Schema.ToJsonSchemaOptions = { onExcessProperty: "error", referencePolicy: () => undefined }
  const document = Schema.toJsonSchemaDocument(codec, options)
  return { ...document, schema: describe(document.schema, Schema.toCodecJson(codec).ast) }
}
