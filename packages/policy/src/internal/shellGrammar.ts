/** Reads a command with the grammar of the shell, within limits of time: whatever is doubtful is not read at all. */
import * as Result from "effect/Result"
import { parse, type ParsedScript } from "unbash"
import { canMark } from "./shellResource.ts"
import * as Sentences from "./shellSentences.ts"

/** Longer commands carry files along, and nobody writes rules for them. */
const maxLength = 32_768

/** The parser looks ahead at each of these, at worst to the end of the text, and again for what is nested. */
const involved = /[([{<$`"]/g

/** Characters times signs that are looked ahead at: a few hundred milliseconds for the worst texts that are known. */
const maxWork = 1_000_000

/** Beyond that, nesting makes up for short texts. */
const maxInvolved = 500

/** Everything but tab and line feed; what is not well formed could not be handed to a process as it is shown. */
const control = /[\p{Cc}--[\t\n]]/v

export type Read = Result.Result<ParsedScript, string>

/**
 * The script, or why it is not read. Errors within are found by whoever walks it; parts of it are read only then. The parser
 * is recursive, and in some forms the stack ends before its own limit does.
 */
export const read = (text: string): Read => {
  const obstacle = obstacleTo(text)
  return obstacle === undefined ? Result.succeed(parse(text)) : Result.fail(obstacle)
}

const obstacleTo = (text: string): string | undefined => {
  if (text.length > maxLength) return Sentences.tooLong(text.length, maxLength)
  if (!text.isWellFormed() || control.test(text)) return Sentences.controls
  if (!canMark(text)) return Sentences.marks
  const signs = text.match(involved)?.length ?? 0
  return signs > maxInvolved || signs * text.length > maxWork ? Sentences.tooInvolved : undefined
}
