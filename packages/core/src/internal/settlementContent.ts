/** What a model reads of a settlement. */
import type { Settlement } from "../Settlement.ts"
import * as ToolContent from "../ToolContent.ts"
import type { ToolFailure } from "../ToolFailure.ts"
import * as Sentences from "./sentences.ts"

export const content = (settlement: Settlement): ReadonlyArray<ToolContent.ToolContent> => {
  switch (settlement._tag) {
    case "Succeeded": {
      const { content, structured } = settlement.output
      return content.length > 0 ? content : [ToolContent.text(textOf(structured))]
    }
    case "Failed":
      return [ToolContent.text(failureText(settlement.failure))]
    case "Rejected":
      return [ToolContent.text(settlement.message)]
  }
}

/** What happened and what to do come first; what a model can do without comes last. */
const failureText = ({ details, field, hint, message, partial, reason }: ToolFailure): string =>
  [
    message,
    ...(hint === undefined ? [] : [hint]),
    ...(reason._tag === "Denied" && reason.feedback !== undefined ? [Sentences.feedback(reason.feedback)] : []),
    ...(field === undefined ? [] : [Sentences.faultyArgument(field)]),
    ...(details === undefined ? [] : [Sentences.failureDetails(textOf(details))]),
    ...(partial === undefined ? [] : [Sentences.partialOutput(textOf(partial))])
  ].join("\n")

const textOf = (json: unknown): string => (typeof json === "string" ? json : JSON.stringify(json))
