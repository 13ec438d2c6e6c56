/** A settlement for the person who made the call. */
import * as Settlement from "@haft/core/Settlement"
import type { ToolContent } from "@haft/core/ToolContent"

/** What the model would read. */
export const lines = (settlement: Settlement.Settlement): ReadonlyArray<string> =>
  Settlement.content(settlement).map(part)

/** What is worth knowing besides: repairs, and where the rest of the output is. */
export const notes = (settlement: Settlement.Settlement): ReadonlyArray<string> => [
  ...Settlement.warningLines(settlement.warnings),
  ...settlement.managed.map((ref) => `Complete output: haft output ${ref}`)
]

const part = (content: ToolContent): string =>
  content._tag === "Text" ? content.text : `(${content.mimeType}, ${content.data.length} bytes)`
