/** One violation as a code and in words, from the issue that a decoder raised. */
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import type { Code } from "../InvalidInput.ts"
import { expectedOf, hasCheck, isInteger, isLiteral, phraseOf } from "./schemaPhrase.ts"
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
      return SchemaAST.isNever(issue.ast) ? "unknown_key" : typeCode(issue.ast, value)
    case "AnyOf":
      return unionCode(issue.ast, value)
    case "OneOf":
      return "ambiguous"
    case "Filter":
      return checkCode(issue.filter, value)
    case "InvalidValue":
    case "Forbidden":
      return "check"
  }
}

const typeCode = (ast: SchemaAST.AST, value: unknown): Code => {
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
    default:
      return "check"
  }
}

/** Null is how an optional value is written, so one member besides it is what was meant. */
const unionCode = (ast: SchemaAST.Union, value: unknown): Code => {
  if (isLiteral(ast)) return "enum"
  const [meant, ...others] = ast.types.filter((type) => !SchemaAST.isNull(SchemaAST.toEncoded(type)))
  return meant !== undefined && others.length === 0 ? typeCode(meant, value) : "anyOf"
}

const bounds = ["isBetween", "isGreaterThan", "isGreaterThanOrEqualTo", "isLessThan", "isLessThanOrEqualTo"]

/** A fraction is no integer; an integer that a double cannot hold exactly may not be the one that was sent. */
const checkCode = (check: SchemaAST.Check<never>, value: unknown): Code => {
  if (hasCheck([check], "isInt")) return Number.isInteger(value) ? "unsafe_integer" : "type:integer"
  return bounds.some((name) => hasCheck([check], name)) ? "range" : "check"
}

/** The key at fault and the schema of the object that should hold it. */
export interface Holder {
  readonly key: PropertyKey | undefined
  readonly parent: SchemaAST.AST | undefined
}

export const expectationOf = (issue: Leaf, value: unknown, holder: Holder): string => {
  switch (issue._tag) {
    case "MissingKey":
      return declared(holder)
    case "UnexpectedKey":
      return SchemaAST.isArrays(issue.ast) ? Sentences.surplusElement : Sentences.unknownKey(keysOf(issue.ast))
    case "InvalidType":
      return SchemaAST.isNever(issue.ast) ? Sentences.unknownKey([]) : phraseOf(issue.ast)
    case "AnyOf":
      return phraseOf(issue.ast)
    case "OneOf":
      return Sentences.exactlyOne
    case "Filter":
      if (checkCode(issue.filter, value) === "unsafe_integer") return Sentences.safeInteger
      return innerExpectation(issue.issue) ?? expectedOf(issue.filter.annotations) ?? Sentences.validValue
    case "InvalidValue":
      return innerExpectation(issue) ?? Sentences.validValue
    case "Forbidden":
      return Sentences.validValue
  }
}

/** What the object's schema says about a key that was not sent. */
const declared = ({ key, parent }: Holder): string => {
  const properties = parent !== undefined && SchemaAST.isObjects(parent) ? parent.propertySignatures : []
  const property = properties.find(({ name }) => name === key)
  return property === undefined ? Sentences.validValue : phraseOf(SchemaAST.toEncoded(property.type))
}

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

const innerExpectation = (issue: SchemaIssue.Issue): string | undefined =>
  issue._tag === "InvalidValue" ? expectedOf(issue.annotations) : undefined
