/**
 * What a schema has against a value, worked out once for each part of the value and each schema that it is tried with.
 * A decoder would go through everything below a value for every alternative, which multiplies with every level.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { countValues } from "../jsonValues.ts"
import { admitsLiterals } from "../memberMeant.ts"
import { strictly } from "../strictly.ts"
import { isAnyText } from "./declared.ts"
import { isObject } from "./json.ts"

type Issue = SchemaIssue.Issue | undefined

type Container = Schema.JsonObject | ReadonlyArray<Schema.Json>

export class Gate {
  private readonly multiplies: boolean
  private readonly spend: (steps: number) => void
  private readonly known = new Map<SchemaAST.AST, Map<Container, Issue>>()

  /** Where nothing multiplies, decoding anew costs less than remembering. */
  constructor(multiplies: boolean, spend: (steps: number) => void) {
    this.multiplies = multiplies
    this.spend = spend
  }

  issueOf(ast: SchemaAST.AST, value: Schema.Json): Issue {
    if (typeof value !== "object" || value === null) return this.decode(ast, value, 1)
    return this.multiplies ? this.remembered(ast, value) : this.decode(ast, value, countValues(value))
  }

  /** For an object or a list whose parts have each been found to fit what is declared for them. */
  issueOfAssembled(ast: SchemaAST.AST, value: Schema.Json): Issue {
    if (SchemaAST.isSuspend(ast)) return this.issueOfAssembled(ast.thunk(), value)
    return isMixed(ast) ? this.issueOf(ast, value) : this.issueOfWhole(ast, value)
  }

  private issueOfWhole(ast: SchemaAST.AST, value: Schema.Json): Issue {
    return this.decode(hollow(ast), value, widthOf(value))
  }

  private remembered(ast: SchemaAST.AST, value: Container): Issue {
    if (SchemaAST.isSuspend(ast)) return this.remembered(ast.thunk(), value)
    const known = this.known.get(ast) ?? new Map<Container, Issue>()
    this.known.set(ast, known)
    if (known.has(value)) return known.get(value)
    const issue = this.look(ast, value)
    known.set(value, issue)
    return issue
  }

  private look(ast: SchemaAST.AST, value: Container): Issue {
    if (SchemaAST.isUnion(ast)) return this.lookAtAlternatives(ast, value)
    if (!hasParts(ast) || isObject(value) !== SchemaAST.isObjects(ast)) {
      return this.decode(ast, value, countValues(value))
    }
    for (const [key, type, part] of partsOf(ast, value, this)) {
      const issue = this.issueOf(type, part)
      if (issue !== undefined) return new SchemaIssue.Pointer([key], issue)
    }
    return this.issueOfWhole(ast, value)
  }

  private lookAtAlternatives(ast: SchemaAST.Union, value: Container): Issue {
    const isExact = ast.options?.mode === "oneOf"
    const accepting: Array<SchemaAST.AST> = []
    const issues: Array<SchemaIssue.Issue> = []
    this.spend(ast.types.length)
    for (const type of ast.types) {
      if (!admitsLiterals(type, value)) continue
      const issue = this.issueOf(type, value)
      if (issue === undefined) accepting.push(type)
      else issues.push(issue)
      if (issue === undefined && !isExact) break
    }
    if (accepting.length === 0) return new SchemaIssue.AnyOf(ast, issues)
    if (accepting.length > 1) return new SchemaIssue.OneOf(ast, accepting, value)
    return ast.checks === undefined ? undefined : this.issueOfWhole(ast, value)
  }

  private decode(ast: SchemaAST.AST, value: Schema.Json, steps: number): Issue {
    this.spend(steps)
    const exit = decoderOf(ast)(value)
    if (Exit.isSuccess(exit)) return undefined
    const error = Cause.findError(exit.cause)
    if (Result.isSuccess(error)) return error.success
    // A check that throws is a bug of its author.
    throw Cause.squash(error.failure)
  }
}

/** Values that are looked at in one that has been looked into already. */
const widthOf = (value: Schema.Json): number =>
  typeof value === "object" && value !== null ? Object.keys(value).length + 1 : 1

/** Whether values of a schema have parts that are worth a look of their own. */
const hasParts = memoize((ast: SchemaAST.AST): boolean => {
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].some(isDeep)
  return (
    SchemaAST.isObjects(ast) && [...ast.propertySignatures, ...ast.indexSignatures].some(({ type }) => isDeep(type))
  )
})

/** A map says something about declared fields too, and about keys that another map takes. */
const isMixed = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isObjects(ast) &&
  ast.indexSignatures.length > 0 &&
  ast.propertySignatures.length + ast.indexSignatures.length > 1

const isDeep = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isObjects(ast) ||
  SchemaAST.isArrays(ast) ||
  SchemaAST.isSuspend(ast) ||
  (SchemaAST.isUnion(ast) && ast.types.some(isDeep))

type Part = readonly [key: string | number, type: SchemaAST.AST, part: Schema.Json]

/** A key can match several patterns, and then what it holds has to fit each. */
function* partsOf(ast: SchemaAST.AST, value: Container, gate: Gate): Generator<Part> {
  if (SchemaAST.isArrays(ast) && !isObject(value)) {
    for (const [index, item] of value.entries()) {
      const type = elementAt(ast, index, value.length)
      if (type !== undefined && isDeep(type)) yield [index, type, item]
    }
  }
  if (!SchemaAST.isObjects(ast) || !isObject(value)) return
  for (const { name, type } of ast.propertySignatures) {
    const part = typeof name === "string" && isDeep(type) ? value[name] : undefined
    if (part !== undefined) yield [String(name), type, part]
  }
  for (const { parameter, type } of ast.indexSignatures.filter(({ type }) => isDeep(type))) {
    const isMeant = (key: string) => isAnyText(parameter) || gate.issueOf(parameter, key) === undefined
    for (const [key, part] of Object.entries(value)) if (isMeant(key)) yield [key, type, part]
  }
}

/** Of the fixed elements, of the repeated one, or of those that come after it, counted from the end. */
export const elementAt = (
  { elements, rest }: SchemaAST.Arrays,
  index: number,
  length: number
): SchemaAST.AST | undefined => {
  if (index < elements.length) return elements[index]
  const fromEnd = index - Math.max(length - Math.max(0, rest.length - 1), elements.length)
  return fromEnd >= 0 ? rest[fromEnd + 1] : rest[0]
}

/** The same schema, for values whose parts have been looked at already. */
const hollow = memoize((ast: SchemaAST.AST): SchemaAST.AST => {
  const { annotations, checks, context } = ast
  if (SchemaAST.isUnion(ast)) return new SchemaAST.Union([anything], undefined, annotations, checks, undefined, context)
  if (SchemaAST.isArrays(ast)) {
    const [elements, rest] = [ast.elements.map(hollowPart), ast.rest.map(hollowPart)]
    return new SchemaAST.Arrays(ast.isMutable, elements, rest, annotations, checks, undefined, context)
  }
  if (!SchemaAST.isObjects(ast)) return ast
  const properties = ast.propertySignatures.map(
    ({ name, type }) => new SchemaAST.PropertySignature(name, hollowPart(type))
  )
  const indices = ast.indexSignatures.map(
    ({ parameter, type }) => new SchemaAST.IndexSignature(parameter, hollowPart(type))
  )
  return new SchemaAST.Objects(properties, indices, annotations, checks, undefined, context)
})

const anything = Schema.Any.ast

const hollowPart = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (!isDeep(ast)) return ast
  return SchemaAST.isOptional(ast) ? Schema.optionalKey(Schema.Any).ast : anything
}

type Decode = (value: unknown) => Exit.Exit<unknown, SchemaIssue.Issue>

/** Compiled once for each schema. What is sent has no transformations left, so that checking it never waits. */
const decoderOf = memoize((ast: SchemaAST.AST): Decode => {
  const schema = Schema.make<Schema.Codec<unknown>>(ast)
  return strictly(ast, (options) => SchemaParser.decodeUnknownExit(schema, options))
})
