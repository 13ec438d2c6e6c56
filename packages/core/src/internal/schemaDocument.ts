/** The JSON Schema document of a codec, or why there is none. */
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Codec } from "../Tool.ts"
import { describedDocument } from "./describe.ts"
import type { Refusal } from "./refusal.ts"
import { faultOf } from "./schemaFaults.ts"
import { isSmall } from "./schemaShape.ts"
import { expandedSize, maxSchemaValues } from "./schemaSize.ts"
import * as Sentences from "./registrationSentences.ts"

type Document = JsonSchema.Document<"draft-2020-12">

/** Nothing is written out before it is known to be of a size that can be. */
export const documentOf = (codec: Codec): Result.Result<Document, Refusal> => {
  try {
    const fault = faultOf(codec.ast)
    if (fault !== undefined) return Result.fail(fault)
    const { ast } = Schema.toCodecJson(codec)
    if (!isSmall(ast) && isTooLarge(compactDocument(codec))) return Result.fail(tooLarge)
    const document = describedDocument(ast)
    return isTooLarge(document) ? Result.fail(tooLarge) : Result.succeed(document)
  } catch (cause) {
    return Result.fail(Sentences.notJson(cause))
  }
}

const tooLarge = Sentences.tooLargeSchema(maxSchemaValues)

const isTooLarge = (document: Document): boolean => expandedSize(document) > maxSchemaValues

/** Refers to everything that is used more than once: written out, a few shared parts could take gigabytes. */
const compactDocument = (codec: Codec): Document => {
  let names = 0
  return Schema.toJsonSchemaDocument(codec, {
    onExcessProperty: "error",
    referencePolicy: ({ occurrences }) => (occurrences > 1 ? `shared${++names}` : undefined)
  })
}
