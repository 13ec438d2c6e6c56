/**
 * Patterns of rules, compared without a regular expression. `*` stands for any characters, also none and also `/`; `?`
 * for exactly one, also `/`; `\` takes the meaning of the next character away. A character is a code point, upper and
 * lower case differ, and the whole text has to fit.
 */
import * as Sequence from "./sequence.ts"

export const one = Symbol("one")
export const many = Symbol("many")

type Token = string | typeof one | typeof many

export type Pattern = ReadonlyArray<Token>

/** Every text is a pattern; a `\` that nothing follows means itself. */
export const compile = (text: string): Pattern => {
  const tokens: Array<Token> = []
  const characters = text[Symbol.iterator]()
  for (const character of characters) tokens.push(character === escape ? nextOf(characters) : wildcardOf(character))
  return tokens
}

const escape = "\\"

const nextOf = (characters: Iterator<string, unknown>): string => {
  const next = characters.next()
  return next.done === true ? escape : next.value
}

const wildcardOf = (character: string): Token => {
  if (character === "*") return many
  return character === "?" ? one : character
}

const grammar: Sequence.Grammar<Token, string> = {
  isMany: (token) => token === many,
  takes: (token, character) => token === one || token === character
}

export const matches = (pattern: Pattern, text: string): boolean => Sequence.fits(grammar, pattern, [...text])

export const isCharacter = (token: Token): boolean => typeof token === "string"

/** Whether the pattern has no wildcard, and so names one text alone. */
export const isExact = (pattern: Pattern): boolean => pattern.every(isCharacter)
