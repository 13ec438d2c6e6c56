/** A codec as a function from arguments to input that neither hangs nor says more than anyone could read. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type * as Tool from "../Tool.ts"
import { isAffordable } from "./budget.ts"
import { Found, only } from "./found.ts"
import { countValues } from "./jsonValues.ts"
import type { Shape } from "./repair/plan.ts"
import { widthOf } from "./schemaShape.ts"
import type { Decoded } from "./sealed.ts"
import * as Sentences from "./sentences.ts"
import { strict, strictly } from "./strictly.ts"
import * as Violations from "./violations.ts"

/** Values times keys: what it may cost to find every violation and not just the first. About 100 ms. */
const maxFindings = 200_000

export interface Decoder {
  /** Stops at the first issue. There is none where deciding would take too long. */
  readonly decode: (json: Schema.JsonObject) => Effect.Effect<Decoded, SchemaIssue.Issue | undefined>
  /** Everything that is wrong with arguments that were refused, or where that would take too long, the first thing. */
  readonly explain: (json: Schema.JsonObject, first: SchemaIssue.Issue | undefined) => Effect.Effect<Found>
  /** The same for arguments that nobody has decoded yet. Nothing where it would take too long. */
  readonly explainAll: (json: Schema.JsonObject) => Effect.Effect<Found>
}

export const makeDecoder = (input: Tool.Codec, shape: Shape): Decoder => {
  const codec = Schema.toCodecJson(input)
  const decode = strictly(SchemaAST.toEncoded(codec.ast), (options) => SchemaParser.decodeUnknownEffect(codec, options))
  const decodeAll = SchemaParser.decodeUnknownEffect(codec, { ...strict, errors: "all" })
  const isCheap = (json: Schema.JsonObject) =>
    countValues(json) * widthOf(codec.ast) <= maxFindings && (!shape.multiplies || isAffordable(decodeAll, json))
  return {
    decode: (json) => (shape.multiplies && !isAffordable(decode, json) ? Effect.fail(undefined) : decode(json)),
    explain: (json, first) => {
      if (first === undefined) return Effect.succeed(tooComplex)
      const all = isCheap(json) ? Effect.flip(decodeAll(json)) : Effect.succeed(first)
      return Effect.match(all, {
        onSuccess: (issue) => Violations.ofIssue(issue, { value: json }),
        onFailure: () => Violations.ofIssue(first, { value: json })
      })
    },
    explainAll: (json) =>
      isCheap(json)
        ? Effect.match(decodeAll(json), {
            onSuccess: () => new Found(),
            onFailure: (issue) => Violations.ofIssue(issue, { value: json })
          })
        : Effect.succeed(new Found())
  }
}

const tooComplex: Found = only({ path: "", code: "too_complex", ...Sentences.stopped("too_complex") })
