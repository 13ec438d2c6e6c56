/**
 * Patterns of rules, compared without a regular expression. `*` stands for any characters, also none and also `/`; `?`
 * for exactly one, also `/`; `\` takes the meaning of the next character away. A character is a code point, upper and
 * lower case differ, and the whole text has to fit.
 */
import * as Machine from "./patternMachine.ts"

type Token = Machine.Token

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
  if (character === "*") return Machine.loop
  return character === "?" ? Machine.any : character
}

/** Made when a pattern is used for the first time. */
const machines = new WeakMap<Pattern, Machine.Machine>()

const machineOf = (pattern: Pattern): Machine.Machine => {
  const machine = machines.get(pattern) ?? Machine.make(pattern)
  machines.set(pattern, machine)
  return machine
}

export const matches = (pattern: Pattern, text: string): boolean => Machine.accepts(machineOf(pattern), text)

export const isCharacter = (token: Token): boolean => typeof token === "string"

/** Whether the pattern has no wildcard, and so names one text alone. */
export const isExact = (pattern: Pattern): boolean => pattern.every(isCharacter)
