/**
 * How often a decoder may look at one value. Alternatives that share a key are tried one after the other, each with all
 * that is below that key. Inside each other they multiply, so that one wrong value deep down could take for ever.
 */
import * as SchemaAST from "effect/SchemaAST"
import { maxDepth } from "../JsonGuard.ts"

/** Ten pairs of such alternatives inside each other: a millisecond for one value, at a microsecond for each look. */
const maxLooks = 1024

/** Expects a schema that is not endless. */
export const isTooCostly = (ast: SchemaAST.AST): boolean =>
  looks(SchemaAST.toEncoded(ast), maxDepth, new Map()) > maxLooks

/** For each schema, by the number of levels below it. */
type Known = Map<SchemaAST.AST, Array<number>>

/** The most often that any one value is looked at, this one or one up to `depth` levels below. */
const looks = (ast: SchemaAST.AST, depth: number, known: Known): number => {
  const byDepth = known.get(ast) ?? []
  known.set(ast, byDepth)
  return (byDepth[depth] ??= Math.max(...groupsOf(alternativesOf(ast)).map((group) => looksOf(group, depth, known)), 1))
}

/** All alternatives of a group are tried: their looks at the value under one key add up. */
const looksOf = (group: ReadonlyArray<SchemaAST.AST>, depth: number, known: Known): number => {
  if (depth === 0) return group.length
  const below = (key: PropertyKey, sum: number, alternative: SchemaAST.AST): number =>
    sum > maxLooks
      ? sum
      : sum + Math.max(0, ...childrenAt(alternative, key).map((child) => looks(child, depth - 1, known)))
  return Math.max(group.length, ...keysOf(group).map((key) => group.reduce((sum, one) => below(key, sum, one), 0)))
}

/** Objects and lists: a scalar is looked at once and has nothing below it. */
const alternativesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(alternativesOf)
  if (SchemaAST.isSuspend(ast)) return alternativesOf(ast.thunk())
  return SchemaAST.isObjects(ast) || SchemaAST.isArrays(ast) ? [ast] : []
}

/** What can fit the same value. A literal that all objects have under one key tells them apart before any is tried. */
const groupsOf = (alternatives: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<ReadonlyArray<SchemaAST.AST>> => {
  const objects = alternatives.filter(SchemaAST.isObjects)
  const tag = objects[0]?.propertySignatures.find(({ name }) => objects.every((object) => hasLiteral(object, name)))
  const byTag = Map.groupBy(objects, (object) => (tag === undefined ? undefined : literalAt(object, tag.name)))
  return [...byTag.values(), alternatives.filter(SchemaAST.isArrays)]
}

const hasLiteral = (object: SchemaAST.Objects, key: PropertyKey): boolean => literalAt(object, key) !== undefined

const literalAt = (object: SchemaAST.Objects, key: PropertyKey): SchemaAST.LiteralValue | undefined => {
  const type = object.propertySignatures.find(({ name }) => name === key)?.type
  return type !== undefined && SchemaAST.isLiteral(type) && !SchemaAST.isOptional(type) ? type.literal : undefined
}

/** Stands for all elements of a list, and for all keys that an object does not declare. */
const anyKey = Symbol()

const keysOf = (group: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<PropertyKey> => {
  const declared = group.flatMap((ast) => (SchemaAST.isObjects(ast) ? ast.propertySignatures : []))
  return [...new Set([anyKey, ...declared.map(({ name }) => name)])]
}

/** Several where each is for another value. */
const childrenAt = (ast: SchemaAST.AST, key: PropertyKey): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest]
  if (!SchemaAST.isObjects(ast)) return []
  const declared = ast.propertySignatures.find(({ name }) => name === key)
  return declared === undefined ? ast.indexSignatures.map(({ type }) => type) : [declared.type]
}
