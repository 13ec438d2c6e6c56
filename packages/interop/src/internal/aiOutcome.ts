/** How a settlement looks as the result of a tool of `effect/ai`. */
import type { Settlement } from "@haft/core/Settlement"
import type { ToolContent } from "@haft/core/ToolContent"
import type { ToolFailure } from "@haft/core/ToolFailure"
import * as Prompt from "effect/ai/Prompt"
import type * as Schema from "effect/Schema"

export interface AiOutcome {
  readonly isFailure: boolean
  readonly result: Schema.Json
  /** Content that the model reads in place of the result. */
  readonly modelOutput?: ReadonlyArray<Prompt.ToolModelOutputPart>
}

export const outcomeOf = (settlement: Settlement): AiOutcome => {
  switch (settlement._tag) {
    case "Succeeded":
      return succeeded(settlement.output.structured, settlement.output.content)
    case "Failed":
      return failure(settlement.failure.reason._tag, settlement.failure.message, detailsOf(settlement.failure))
    case "Rejected":
      return failure(settlement.rejection._tag, settlement.message)
  }
}

/** What went wrong, in the form that all failures have. */
export const failure = (error: string, message: string, details: Schema.JsonObject = {}): AiOutcome => ({
  isFailure: true,
  result: { error, message, ...details }
})

const succeeded = (result: Schema.Json, content: ReadonlyArray<ToolContent>): AiOutcome =>
  content.length === 0 ? { isFailure: false, result } : { isFailure: false, result, modelOutput: content.map(partOf) }

const partOf = (content: ToolContent): Prompt.ToolModelOutputPart =>
  content._tag === "Text"
    ? Prompt.textPart({ text: content.text })
    : Prompt.filePart({ mediaType: content.mimeType, data: content.data, fileName: content.name })

const detailsOf = ({ details, field, hint, partial }: ToolFailure): Schema.JsonObject => ({
  ...(hint === undefined ? {} : { hint }),
  ...(field === undefined ? {} : { field }),
  ...(details === undefined ? {} : { details }),
  ...(partial === undefined ? {} : { partial })
})
