/**
 * Whether a decoder may look at one value again and again. Alternatives are tried one after the other, each with all
 * that is below it. Inside each other they multiply, so that one wrong value deep down could take for ever.
 */
import * as SchemaAST from "effect/SchemaAST"
import { maxDepth } from "../JsonGuard.ts"

/** More than any schema has that only lists a few kinds of things next to each other. */
const maxLooks = 32

/** True rather too often than too seldom: it costs a second look at the arguments. Expects a schema that is finite. */
export const mayMultiply = (ast: SchemaAST.AST): boolean =>
  looks(SchemaAST.toEncoded(ast), maxDepth, new Map()) > maxLooks

/** For each schema, by the number of levels below it. */
type Known = Map<SchemaAST.AST, Array<number>>

/** The most often that any one value is looked at, this one or one up to `depth` levels below. */
const looks = (ast: SchemaAST.AST, depth: number, known: Known): number => {
  const byDepth = known.get(ast) ?? []
  known.set(ast, byDepth)
  return (byDepth[depth] ??= looksOf(alternativesOf(ast), depth, known))
}

/** All alternatives are tried: their looks at what is below add up. */
const looksOf = (alternatives: ReadonlyArray<SchemaAST.AST>, depth: number, known: Known): number => {
  if (depth === 0) return alternatives.length
  const below = alternatives.reduce(
    (sum, one) =>
      sum > maxLooks ? sum : sum + Math.max(0, ...partsOf(one).map((part) => looks(part, depth - 1, known))),
    0
  )
  return Math.max(alternatives.length, below)
}

/** Objects and lists: a scalar is looked at once and has nothing below it. */
const alternativesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(alternativesOf)
  if (SchemaAST.isSuspend(ast)) return alternativesOf(ast.thunk())
  return SchemaAST.isObjects(ast) || SchemaAST.isArrays(ast) ? [ast] : []
}

/** Each is for another value. */
const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest]
  if (!SchemaAST.isObjects(ast)) return []
  return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
}
