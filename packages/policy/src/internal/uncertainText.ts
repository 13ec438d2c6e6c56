/** Texts of which some pieces are not known yet, compared with patterns: what matches for sure, and what might. */
import * as Known from "./pattern.ts"
import { any as one, loop as many } from "./patternMachine.ts"
import * as Sequence from "./sequence.ts"

type Pattern = Known.Pattern

/** Stands for a piece that nobody knows yet; it may turn out empty. */
export const unknown = Symbol("unknown")

export type Text = ReadonlyArray<string | typeof unknown>

export const isKnown = (text: Text): boolean => !text.includes(unknown)

const grammar: Sequence.Grammar<Pattern[number], Text[number]> = {
  isMany: (token) => token === many,
  takes: (token, sign) => (token === one ? sign !== unknown : token === sign)
}

/** More are not worth the time: a text might match then, and does not for sure. */
const maxSteps = 1_000_000

/** Whatever the unknown pieces turn out to be: only `*` takes one. */
export const matches = (pattern: Pattern, text: Text): boolean => {
  if (isKnown(text)) return Known.matches(pattern, text.filter(isCharacter).join(""))
  return pattern.length * text.length <= maxSteps && Sequence.fits(grammar, pattern, text)
}

const isCharacter = (sign: Text[number]): sign is string => sign !== unknown

/** Whether the unknown pieces can turn out such that the whole matches. */
export const mightMatch = (pattern: Pattern, text: Text): boolean => {
  if (isKnown(text)) return matches(pattern, text)
  if (pattern.length * text.length > maxSteps) return true
  let reached = passingMany(pattern, [true])
  for (const sign of text.filter(isSolid)) {
    reached = sign === unknown ? anyFurther(reached) : passingMany(pattern, taking(pattern, reached, sign))
  }
  return reached[pattern.length] === true
}

/** A piece that turns out empty takes the space beside it along. */
const isSolid = (sign: Text[number], index: number, text: Text): boolean =>
  sign !== " " || (text[index - 1] !== unknown && text[index + 1] !== unknown)

/** For each position in the pattern, whether what was read so far can have led there. */
type Reached = ReadonlyArray<boolean>

/** A `*` may take nothing. */
const passingMany = (pattern: Pattern, direct: Reached): Reached => {
  const reached: Array<boolean> = []
  for (let index = 0; index <= pattern.length; index++) {
    reached.push(direct[index] === true || (reached[index - 1] === true && pattern[index - 1] === many))
  }
  return reached
}

const taking = (pattern: Pattern, reached: Reached, sign: string): Reached =>
  Array.from({ length: pattern.length + 1 }, (_, index) => {
    const before = pattern[index - 1]
    if (reached[index] === true && pattern[index] === many) return true
    return reached[index - 1] === true && (before === one || before === sign)
  })

/** A piece that is not known can be anything that leads further. */
const anyFurther = (reached: Reached): Reached => {
  const first = reached.indexOf(true)
  return reached.map((_, index) => first >= 0 && index >= first)
}
