/** Fields that several file tools have. */
import * as Schema from "effect/Schema"
import * as Sentences from "./sentences.ts"

/** Half a character cannot be written down: it would silently become another one. */
export const WellFormed = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed(), { expected: Sentences.wellFormed })
)

/** Checked where it is resolved, which knows more about paths than a schema could say. */
export const Path = Schema.String.annotate({ description: Sentences.pathField, examples: ["src/index.ts"] })
