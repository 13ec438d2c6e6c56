/** Applies edits to a text, one after the other, each to what the one before it left. */
import * as Result from "effect/Result"
import { find, type Match, maxTolerantLength, type Rule } from "./matching.ts"
import { type Nearest, nearestLines } from "./nearestLines.ts"
import { inStyleOf, type TextFile } from "./textFile.ts"

export interface Edit {
  readonly old: string
  readonly new: string
  readonly replaceAll?: boolean
}

/** What one edit did. */
export interface Applied {
  readonly rule: Rule
  /** The lines at which it replaced something, as they were numbered before it. */
  readonly lines: ReadonlyArray<number>
}

/** Why an edit cannot be made. */
export type Misfit =
  | { readonly _tag: "Missing"; readonly nearest: Nearest | undefined }
  | { readonly _tag: "Ambiguous"; readonly rule: Rule; readonly lines: ReadonlyArray<number> }
  | { readonly _tag: "TooLarge"; readonly length: number }

export interface Edited {
  readonly file: TextFile
  readonly applied: Applied
}

/** `maxLength` is of the text that would result, which is counted before it is made. */
export const applyEdit = (file: TextFile, edit: Edit, maxLength: number): Result.Result<Edited, Misfit> => {
  const { replaceAll = false } = edit
  const found = find(file.text, inStyleOf(file, edit.old), inStyleOf(file, edit.new), !replaceAll)
  if (found.matches.length === 0) {
    const nearest = file.text.length > maxTolerantLength ? undefined : nearestLines(file.text, edit.old)
    return Result.fail({ _tag: "Missing", nearest })
  }
  const lines = lineNumbers(file.text, found.matches)
  if (found.matches.length > 1 && !replaceAll) return Result.fail({ _tag: "Ambiguous", rule: found.rule, lines })
  const matches = withoutOverlaps(found.matches)
  const length = matches.reduce(
    (sum, { end, replacement, start }) => sum + replacement.length - (end - start),
    file.text.length
  )
  if (length > maxLength) return Result.fail({ _tag: "TooLarge", length })
  return Result.succeed({
    file: { ...file, text: spliced(file.text, matches) },
    applied: { rule: found.rule, lines: lineNumbers(file.text, matches) }
  })
}

const withoutOverlaps = (matches: ReadonlyArray<Match>): ReadonlyArray<Match> => {
  let end = 0
  return matches.filter((match) => {
    if (match.start < end) return false
    end = match.end
    return true
  })
}

/** By slices: what is put in is never read as a pattern. */
const spliced = (text: string, matches: ReadonlyArray<Match>): string => {
  const pieces: Array<string> = []
  let end = 0
  for (const match of matches) {
    pieces.push(text.slice(end, match.start), match.replacement)
    end = match.end
  }
  pieces.push(text.slice(end))
  return pieces.join("")
}

/** In one pass over the text. */
const lineNumbers = (text: string, matches: ReadonlyArray<Match>): ReadonlyArray<number> => {
  let [line, from] = [1, 0]
  return matches.map(({ start }) => {
    for (let feed = text.indexOf("\n", from); feed !== -1 && feed < start; feed = text.indexOf("\n", from)) {
      line++
      from = feed + 1
    }
    return line
  })
}
