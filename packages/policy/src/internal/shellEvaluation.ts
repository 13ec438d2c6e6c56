/**
 * Places where the shell evaluates text that is no command. Arithmetic and tests look into variables and may run what they
 * find in an index there; loops set variables. They are judged like commands, and mostly not known before they run.
 */
import type { ArithmeticExpression, ParameterExpansionPart, SyntaxNode, Word } from "unbash"
import type { Part } from "../ShellCommand.ts"
import * as Resource from "./shellResource.ts"
import { wordOf } from "./shellWords.ts"

type Evaluated = Pick<Part, "kind" | "text">

/** The part that a piece of syntax is, apart from commands, assignments and redirections. */
export const evaluationIn = (node: SyntaxNode, source: string): Evaluated | undefined => {
  switch (node.type) {
    case "TestCommand":
      return test(source.slice(node.pos, node.end))
    case "ArithmeticCommand":
      return isNumeric(node.expression) ? undefined : arithmetic(node.body)
    case "ArithmeticExpansion":
      return isNumeric(node.expression) ? undefined : arithmetic(node.text)
    case "ArithmeticFor":
      return arithmetic(source.slice(node.pos, node.body.pos))
    case "ParameterExpansion":
      return ofParameter(node)
    case "Assignment":
      return isIndex(node.index) ? undefined : arithmetic(node.text)
    case "For":
    case "Select":
      return { kind: "command", text: loop(node) }
    default:
      return undefined
  }
}

const test = (text: string): Evaluated => ({
  kind: "command",
  text: `[[ ${Resource.unknown(text.slice(2, -2).trim())} ]]`
})

const arithmetic = (text: string): Evaluated => ({ kind: "command", text: `(( ${Resource.unknown(text.trim())} ))` })

const loop = ({ name, type, wordlist }: Extract<SyntaxNode, { readonly type: "For" | "Select" }>): string => {
  const words = wordlist === undefined ? [] : ["in", ...wordlist.map((word) => wordOf(word).text)]
  return [type.toLowerCase(), name.text, ...words].join(" ")
}

/** `${!name}` and `${name@P}` take what a variable holds for more than text. */
const ofParameter = ({ index, operation, prefix, text }: ParameterExpansionPart): Evaluated | undefined => {
  const isNames = operation?.type === "Names" || index?.text === "@" || index?.text === "*"
  const takesValue = operation?.type === "Transform" || (prefix === "!" && !isNames)
  if (takesValue) return { kind: "unknown", text: Resource.unparsed(text) }
  const offsets = operation?.type === "Slice" ? [operation.offset, operation.length] : []
  return [index, ...offsets].every(isIndex) ? undefined : arithmetic(text)
}

/** Nothing, all of an array, or a number. */
const isIndex = (word: Word | undefined): boolean => word === undefined || /^(?:[@*]|\s*-?\d*\s*)$/.test(word.text)

const isNumeric = (expression: ArithmeticExpression | undefined): boolean => {
  switch (expression?.type) {
    case "ArithmeticWord":
      return /^\d+$/.test(expression.value)
    case "ArithmeticGroup":
      return isNumeric(expression.expression)
    case "ArithmeticUnary":
      return isNumeric(expression.operand)
    case "ArithmeticBinary":
      return isNumeric(expression.left) && isNumeric(expression.right)
    default:
      return false
  }
}
