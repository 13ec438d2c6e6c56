/** The JSON Schemas that a tool's codecs are advertised with, or why they cannot be. */
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Codec } from "../Tool.ts"
import { describedDocument } from "./describe.ts"
import { asObject, inlineRoot, isEndless } from "./jsonSchemaRoot.ts"
import type { Refusal } from "./refusal.ts"
import { faultOf } from "./schemaFaults.ts"
import { expandedSize, maxSchemaValues } from "./schemaSize.ts"
import * as Sentences from "./registrationSentences.ts"

type Document = JsonSchema.Document<"draft-2020-12">
export type Advertised = Result.Result<JsonSchema.JsonSchema, Refusal>

/** Of arguments: an object at the root, because that is all that a provider lets a model send. */
export const advertiseInput = (document: Document, notObject: Refusal = Sentences.inputNotObject): Advertised =>
  Result.flatMap(advertiseOutput(document), (inlined) => {
    const root = asObject(inlined, document.definitions)
    return root === undefined ? Result.fail(notObject) : Result.succeed(root)
  })

export const advertiseOutput = (document: Document): Advertised =>
  isEndless(document) ? Result.fail(Sentences.endlessSchema) : Result.succeed(inlineRoot(document))

export const documentOf = (codec: Codec): Result.Result<Document, Refusal> =>
  Result.gen(function* () {
    const fault = yield* attempt(() => faultOf(codec.ast))
    if (fault !== undefined) return yield* Result.fail(fault)
    const size = yield* attempt(() => expandedSize(compactDocument(codec)))
    if (size > maxSchemaValues) return yield* Result.fail(Sentences.tooLargeSchema(maxSchemaValues))
    return yield* attempt(() => describedDocument(Schema.toCodecJson(codec).ast))
  })

const attempt = <A>(derive: () => A): Result.Result<A, Refusal> => Result.try({ try: derive, catch: Sentences.notJson })

/** Refers to everything that is used more than once: written out, a few shared parts could take gigabytes. */
const compactDocument = (codec: Codec): Document => {
  let names = 0
  return Schema.toJsonSchemaDocument(codec, {
    onExcessProperty: "error",
    referencePolicy: ({ occurrences }) => (occurrences > 1 ? `shared${++names}` : undefined)
  })
}
