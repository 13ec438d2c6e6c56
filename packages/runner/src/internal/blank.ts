/** What says nothing, and what providers therefore refuse. */
import type { ToolContent } from "@haft/core/ToolContent"

export const isBlank = (part: ToolContent): boolean => part._tag === "Text" && part.text.trim() === ""
