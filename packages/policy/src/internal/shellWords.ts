/** Words of a command: what the shell makes of them where that is certain, and otherwise what stands there. */
import type { Assignment, DoubleQuotedChild, Word as Syntax, WordPart } from "unbash"
import * as Resource from "./shellResource.ts"

export interface Word {
  readonly text: string
  /** Without quotes; none if only running the command tells. */
  readonly value: string | undefined
}

export const known = (value: string): Word => ({ text: Resource.literal(value), value })

export const unknown = (source: string): Word => ({ text: Resource.unknown(source), value: undefined })

export const wordOf = (word: Syntax): Word => (isCertain(word) ? known(word.value) : unknown(word.text))

/** `NAME=value`, of which only the value needs quotes. */
export const knownAssignment = (text: string): Word => {
  const end = text.indexOf("=") + 1
  const value = text.slice(end)
  return { text: text.slice(0, end) + (value === "" ? "" : Resource.literal(value)), value: text }
}

/** What is put into an array, or has an index, is not looked at any closer. */
export const assignmentOf = ({ append, index, name, text, value }: Assignment): Word => {
  const begin = `${name}${append === true ? "+" : ""}=`
  const isWhole = index === undefined && value.type === "Word"
  if (isWhole && isCertain(value)) return knownAssignment(begin + value.value)
  return { text: begin + Resource.unknown(isWhole ? value.text : text), value: undefined }
}

const isCertain = ({ parts, text, value }: Syntax): boolean =>
  !value.includes("\0") && (parts === undefined ? isPlain(text) : parts.every(isCertainPart))

const isCertainPart = (part: WordPart): boolean => {
  switch (part.type) {
    case "SingleQuoted":
      return true
    case "AnsiCQuoted":
      return simpleEscapes.test(part.text)
    case "DoubleQuoted":
      return part.parts.every((child: DoubleQuotedChild) => child.type === "Literal")
    case "Literal":
      return isPlain(part.text)
    default:
      return false
  }
}

/** Codes of characters depend on the locale. */
const simpleEscapes = /^\$'(?:[^\\]|\\[nt\\'])*'$/

export const withoutEscapes = (text: string): string => text.replaceAll(/\\[^]/gu, "")

/** Characters that could make the shell replace the word by something else. */
const active = /[*?[\]{}~$`()<>|&;"'\\]/

const isPlain = (text: string): boolean => Resource.lonely.has(text) || !active.test(withoutEscapes(text))
