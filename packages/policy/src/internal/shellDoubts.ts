/** What in a tree of syntax is reason enough not to trust it, because the parser is tolerant and we are not. */
import type { SyntaxNode } from "unbash"
import { withoutEscapes } from "./shellWords.ts"

/** The parser goes on after an error and leaves things out; here that is reason enough to stop. */
export const isDoubtful = (node: SyntaxNode): boolean => {
  switch (node.type) {
    case "Script":
      return (node.errors?.length ?? 0) > 0
    case "HereDoc":
      return node.delimiter === undefined || node.closing === undefined || (!node.delimiter.quoted && hides(node.body))
    case "Word":
      return hides(node) || (node.parts === undefined && joins.test(withoutEscapes(node.text)))
    case "BraceExpansion":
      return hides(node)
    case "Literal":
      return expands.test(withoutEscapes(node.text))
    case "ArithmeticWord":
      return node.parts === undefined && expands.test(node.value)
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return node.script === undefined
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
      return node.expression === undefined
    case "HereString":
      return node.target === undefined
    default:
      return false
  }
}

/** An expansion that the parser has not taken apart. */
const hides = ({
  parts,
  text
}: {
  readonly parts?: ReadonlyArray<unknown> | undefined
  readonly text: string
}): boolean => parts === undefined && expands.test(withoutEscapes(text))

const expands = /`|\$[({[]/

/** Signs that end a word, or begin a quote. */
const joins = /[()<>|&;"']/

/** Only some shells know these, or only with options set, or they read them differently than the parser does. */
export const isUnclear = (node: SyntaxNode, source: string): boolean => {
  switch (node.type) {
    case "ArithmeticExpansion":
      return node.text.startsWith("$[") || isMixed(node.text.slice("$((".length))
    case "ArithmeticCommand":
      return isMixed(node.body)
    case "ArithmeticFor":
      return isMixed(source.slice(node.pos, node.body.pos))
    case "ProcessSubstitution":
      return !isAlone(source.slice(node.pos - 1, node.pos), source.charAt(node.end))
    case "Coproc":
    case "ExtendedGlob":
    case "Unknown":
      return true
    default:
      return false
  }
}

/** With commands or quotes within, the shell may take arithmetic for one subshell in another. */
const isMixed = (arithmetic: string): boolean => /\$\(|[`"'\\]/.test(arithmetic)

/** To the shell, what touches a process substitution belongs to the same word. */
const isAlone = (before: string, after: string): boolean => /^\s?$/.test(before) && /^[\s;|&)]?$/.test(after)

/**
 * Whether a text has forms of bash that other shells read as something else: to `dash`, `((rm x))` is a subshell and
 * `$'\'` is a complete word. That some of these may stand in quotes does not matter.
 */
export const isOfBash = (text: string): boolean =>
  /\$["']|\[\[|\(\(|[<>]\(|<<<|&>|\|&|=\(|\b(?:function|select|time)\b/.test(text)
