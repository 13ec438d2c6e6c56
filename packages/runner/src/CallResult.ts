/**
 * How one call ended, as a model reads it. What failed or was rejected is said in words; what has no result at all is
 * marked as none. Never without content, because providers refuse that.
 */
import * as Settlement from "@haft/core/Settlement"
import type * as ToolCall from "@haft/core/ToolCall"
import * as ToolContent from "@haft/core/ToolContent"
import { isBlank } from "./internal/blank.ts"
import * as Sentences from "./internal/sentences.ts"
import type * as Message from "./Message.ts"

export interface CallResult {
  readonly callID: ToolCall.ID
  readonly name: string
  readonly content: ReadonlyArray<ToolContent.ToolContent>
  /** Whether the call did not do what it was made for. */
  readonly isError: boolean
}

/** The call that a result belongs to. */
export type Call = Pick<ToolCall.ToolCall, "id" | "name">

/** What was repaired about the call comes last, where it cannot be taken for output. */
export const settled = ({ id, name }: Call, settlement: Settlement.Settlement): CallResult => {
  const notes = Settlement.warningLines(settlement.warnings).map((line) => ToolContent.text(line))
  const content = [...Settlement.content(settlement), ...notes].filter((part) => !isBlank(part))
  return {
    callID: id,
    name,
    content: content.length === 0 ? [ToolContent.text(Sentences.blank)] : content,
    isError: settlement._tag !== "Succeeded"
  }
}

/** For a call that has no settlement. */
export const synthetic = (call: Call, end: Message.Synthetic): CallResult => noResult(call, Sentences.synthetic(end))

/** For a call whose settlement is not on record any more. */
export const lost = (call: Call): CallResult => noResult(call, Sentences.lost)

const noResult = ({ id, name }: Call, text: string): CallResult => ({
  callID: id,
  name,
  content: [ToolContent.text(text)],
  isError: true
})
