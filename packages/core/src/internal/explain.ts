/** One violation as a code and in words, from the issue that a decoder raised. */
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import type { Code } from "../InvalidInput.ts"
import {
  alternativesOf,
  expectedOf,
  hasCheck,
  isInteger,
  isLiteral,
  keyPhrasesOf,
  keysOf,
  messageOf,
  phraseOf
} from "./schemaPhrase.ts"
import * as Sentences from "./sentences.ts"

/** The issues that end a walk: each becomes one violation. */
export type Leaf = Exclude<SchemaIssue.Issue, SchemaIssue.Composite | SchemaIssue.Encoding | SchemaIssue.Pointer>

export const codeOf = (issue: Leaf, value: unknown): Code => {
  switch (issue._tag) {
    case "MissingKey":
      return "missing"
    case "UnexpectedKey":
      return SchemaAST.isArrays(issue.ast) ? "check" : "unknown_key"
    case "InvalidType":
      return isReadFromText(issue.ast, value) ? "check" : typeCode(issue.ast, value)
    case "AnyOf":
      return unionCode(issue.ast, value)
    case "OneOf":
      return "anyOf"
    case "Filter":
      return checkCode(issue.filter, value)
    case "InvalidValue":
    case "Forbidden":
      return "check"
  }
}

/** Of a value that is of another type than the schema wants. */
export const typeCode = (ast: SchemaAST.AST, value: unknown): Code => {
  if (isLiteral(ast)) return "enum"
  switch (ast._tag) {
    case "String":
      return "type:string"
    case "TemplateLiteral":
      return typeof value === "string" ? "check" : "type:string"
    case "Number":
      return isInteger(ast) ? "type:integer" : "type:number"
    case "Boolean":
      return "type:boolean"
    case "Null":
      return "type:null"
    case "Arrays":
      return "type:array"
    case "Objects":
      return "type:object"
    case "Never":
      return "unknown_key"
    default:
      return "check"
  }
}

/** True if a text was sent, as it should be, and what it holds is at fault. A declaration says in its own words what. */
const isReadFromText = (ast: SchemaAST.AST, value: unknown): boolean =>
  typeof value === "string" &&
  ast.encoding !== undefined &&
  !SchemaAST.isDeclaration(ast) &&
  SchemaAST.isString(SchemaAST.toEncoded(ast))

/** Null is how an optional value is written, so one member besides it is what was meant. */
const unionCode = (ast: SchemaAST.Union, value: unknown): Code => {
  const alternatives = alternativesOf(ast).filter((one) => !SchemaAST.isNull(one) && !SchemaAST.isUndefined(one))
  if (alternatives.every(isLiteral)) return "enum"
  const [meant, ...others] = alternatives
  return meant !== undefined && others.length === 0 ? typeCode(meant, value) : "anyOf"
}

const bounds = [
  "isBetween",
  "isGreaterThan",
  "isGreaterThanOrEqualTo",
  "isLessThan",
  "isLessThanOrEqualTo",
  "isMultipleOf"
]

/** A fraction is no integer; an integer that a double cannot hold exactly may not be the one that was sent. */
const checkCode = (check: SchemaAST.Check<never>, value: unknown): Code => {
  if (hasCheck([check], "isInt")) return Number.isInteger(value) ? "unsafe_integer" : "type:integer"
  return bounds.some((name) => hasCheck([check], name)) ? "range" : "check"
}

/** The key at fault and the schema of the object that should hold it. */
export interface Holder {
  readonly key?: PropertyKey
  readonly parent?: SchemaAST.AST
  /** The schema of what is at fault, if that is known. */
  readonly ast?: SchemaAST.AST | undefined
}

export const expectationOf = (issue: Leaf, value: unknown, holder: Holder): string => {
  switch (issue._tag) {
    case "MissingKey":
      return declared(holder)
    case "UnexpectedKey":
      return SchemaAST.isArrays(issue.ast) ? Sentences.surplusElement : admittedKeys(issue.ast)
    case "InvalidType":
      return SchemaAST.isNever(issue.ast) ? admittedKeys(holder.parent) : phraseFor(issue.ast, value)
    case "AnyOf":
      return phraseFor(issue.ast, value)
    case "OneOf":
      return Sentences.exactlyOne
    case "Filter":
      return checkPhrase(issue, value, holder.ast)
    case "InvalidValue":
      return expectedOf(issue.annotations) ?? Sentences.validValue
    case "Forbidden":
      return Sentences.validValue
  }
}

const phraseFor = (ast: SchemaAST.AST, value: unknown): string =>
  isReadFromText(ast, value) ? Sentences.heldByText(phraseOf(ast)) : phraseOf(ast)

/** Bounds are told all at once, whichever of them was missed. */
const checkPhrase = (issue: SchemaIssue.Filter, value: unknown, ast: SchemaAST.AST | undefined): string => {
  const code = checkCode(issue.filter, value)
  if (code === "unsafe_integer") return Sentences.safeInteger
  const isTold = code === "range" && ast !== undefined && SchemaAST.isNumber(ast) && !isMultiple(issue)
  return isTold && messageOf(issue.filter.annotations) === undefined ? phraseOf(ast) : wordsOf(issue)
}

const isMultiple = ({ filter }: SchemaIssue.Filter): boolean => hasCheck([filter], "isMultipleOf")

/** What is said about the check as a whole, then about this failure of it, then what the check is known to expect. */
const wordsOf = ({ filter, issue }: SchemaIssue.Filter): string => {
  const found = "annotations" in issue ? expectedOf(issue.annotations) : undefined
  return messageOf(filter.annotations) ?? found ?? expectedOf(filter.annotations) ?? Sentences.validValue
}

/** What the schema of an object says about a key that was not sent. */
const declared = ({ key, parent }: Holder): string => {
  const type = parent === undefined || key === undefined ? undefined : typeAt(parent, key)
  return type === undefined ? Sentences.validValue : phraseOf(SchemaAST.toEncoded(type))
}

const typeAt = (parent: SchemaAST.AST, key: PropertyKey): SchemaAST.AST | undefined =>
  SchemaAST.isObjects(parent) ? parent.propertySignatures.find(({ name }) => name === key)?.type : undefined

/** What may stand in place of a key that the schema does not know. */
export const admittedKeys = (ast: SchemaAST.AST | undefined): string =>
  ast !== undefined && SchemaAST.isObjects(ast)
    ? Sentences.unknownKey(keysOf(ast), keyPhrasesOf(ast))
    : Sentences.unknownKey([], [])
