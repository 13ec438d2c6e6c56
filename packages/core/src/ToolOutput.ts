/** What a successful call gives: the encoded output as data, and the parts that a model reads. */
import * as Schema from "effect/Schema"
import { ToolContent } from "./ToolContent.ts"

/** `structured` is the whole encoded output; `content` is how the tool chose to show it. Both are kept. */
export const ToolOutput = Schema.Struct({
  structured: Schema.Json,
  content: Schema.Array(ToolContent)
})
export type ToolOutput = typeof ToolOutput.Type
