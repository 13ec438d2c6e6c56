/**
 * How one part of a command is written as a resource, and read again by whoever judges it. Words are written as the shell
 * would take them back: bare where that is safe, else in single quotes. What only running the command tells stands in
 * brackets of its own, which a literal word can contain only within quotes, so that neither passes for the other.
 */
import * as Uncertain from "./uncertainText.ts"

const opening = "⟦"
const closing = "⟧"

const bare = /^[\w./:=@%+,-]+$/

/** A program of this name has to be quoted: bare, the shell would take it for something else. */
const meansMore = /=|^(?:!|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)$/

/** Brackets of tests and the placeholder of `find` are no patterns when they stand alone. */
export const lonely: ReadonlySet<string> = new Set(["[", "]", "{}"])

export const literal = (value: string): string =>
  bare.test(value) || lonely.has(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`

export const programName = (value: string): string => (meansMore.test(value) ? `'${value}'` : literal(value))

/** What only running the command tells, with the text that stands there. */
export const unknown = (source: string): string => opening + source + closing

/** A text with the brackets in it could pass for something that it is not. */
export const canMark = (text: string): boolean => !text.includes(opening) && !text.includes(closing)

/** Nothing in it is marked, so it means the same in every run. */
export const isLiteral = (resource: string): boolean => Uncertain.isKnown(textOf(resource))

/** No expansion has this text. */
const unparsedMark = `${unknown("unparsed")} `

/** A text that is judged and asked for as a whole. */
export const unparsed = (text: string): string => unparsedMark + text

export const isUnparsed = (resource: string): boolean => resource.startsWith(unparsedMark)

/** For patterns: its characters, and one sign for each piece that is not known. */
export const textOf = (resource: string): Uncertain.Text => {
  if (!isUnparsed(resource)) return pieces(resource).flatMap(signsOf)
  const text = resource.slice(unparsedMark.length)
  return [...text]
}

/** Only where it is certain what runs, or what is written to, can a rule allow it. */
export const canBeAllowed = (resource: string): boolean => !/^(?:(?:>>?|<) )?⟦/.test(resource)

/** The values of its words, as far as they are known. */
export const wordsOf = (resource: string): ReadonlyArray<string> => {
  if (isUnparsed(resource)) return []
  const words = [""]
  for (const piece of pieces(resource)) {
    if (piece === " ") words.push("")
    else words.push(`${words.pop() ?? ""}${valueOf(piece)}`)
  }
  return words
}

/** The file that a part writes or reads, if it is a redirection. */
export const redirectionOf = (
  resource: string
): { readonly action: "edit" | "read"; readonly path: string } | undefined => {
  const [operator, path] = wordsOf(resource)
  if (path === undefined || !/^(?:>>?|<) /.test(resource) || !isLiteral(resource)) return undefined
  return { action: operator === "<" ? "read" : "edit", path }
}

/** Quoted runs, marked pieces, an escaped quote, single characters. */
const pieces = (resource: string): ReadonlyArray<string> => resource.match(/'[^']*'|\\'|⟦[^⟧]*⟧|[^]/gu) ?? []

const signsOf = (piece: string): Uncertain.Text => (piece.startsWith(opening) ? [Uncertain.unknown] : [...piece])

const valueOf = (piece: string): string => {
  if (piece.startsWith(opening)) return ""
  if (piece === String.raw`\'`) return "'"
  return piece.length > 1 && piece.startsWith("'") ? piece.slice(1, -1) : piece
}
