/** Why an edit could not be made, and what would make it possible. */
import * as ToolFailure from "@haft/core/ToolFailure"
import type { Misfit } from "./edits.ts"
import * as Sentences from "./changeSentences.ts"
import { tooLargeHint } from "./sentences.ts"
import type { Target } from "./targets.ts"

export const notUtf8 =
  ({ path }: Target) =>
  (offset: number): ToolFailure.ToolFailure =>
    ToolFailure.dataInvalid({
      message: Sentences.notUtf8(path, offset),
      hint: Sentences.notUtf8Hint,
      field: "path",
      subject: path
    })

export const misfit =
  ({ path }: Target, index: number) =>
  (fault: Misfit): ToolFailure.ToolFailure => {
    const field = `edits[${index}].old`
    switch (fault._tag) {
      case "Missing":
        return ToolFailure.notFound({
          message: Sentences.missing(index + 1, path),
          hint: Sentences.missingHint(fault.nearest),
          field
        })
      case "Ambiguous":
        return ToolFailure.precondition({
          message: Sentences.ambiguous(index + 1, path, fault.lines),
          hint: Sentences.ambiguousHint,
          field,
          condition: "unique"
        })
      case "TooLarge":
        return ToolFailure.precondition({
          message: Sentences.resultTooLarge(path),
          hint: tooLargeHint,
          field,
          condition: "size"
        })
    }
  }
