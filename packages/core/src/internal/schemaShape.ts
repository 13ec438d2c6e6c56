/** Facts about the JSON that a schema admits, found once when a tool is made. */
import * as SchemaAST from "effect/SchemaAST"

/** The most keys that any one object may have declared. At least 1. */
export const widthOf = (ast: SchemaAST.AST): number => {
  const objects = nodesOf(SchemaAST.toEncoded(ast)).filter(SchemaAST.isObjects)
  return Math.max(1, ...objects.map(({ propertySignatures }) => propertySignatures.length))
}

/** True if what it encodes to can only be JSON, and of a depth that the schema itself limits. */
export const isSafelyJson = (ast: SchemaAST.AST): boolean =>
  !nodesOf(SchemaAST.toEncoded(ast)).some((node) => isOpen(node) || SchemaAST.isSuspend(node))

const isOpen = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isAny(ast) ||
  SchemaAST.isUnknown(ast) ||
  SchemaAST.isObjectKeyword(ast) ||
  SchemaAST.isDeclaration(ast) ||
  (SchemaAST.isObjects(ast) && ast.propertySignatures.length + ast.indexSignatures.length === 0)

/** Parts of a schema that is written out without a second thought; nearly all that people write have fewer. */
const smallParts = 1_000

/** True if it has few parts on all its sides, each counted as often as it is used. */
export const isSmall = (root: SchemaAST.AST): boolean => {
  const parts = [root]
  for (const part of parts) {
    if (SchemaAST.isSuspend(part) || parts.length > smallParts) return false
    parts.push(...childrenOf(part), ...parametersOf(part), ...(part.encoding ?? []).map(({ to }) => to))
  }
  return true
}

const parametersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isDeclaration(ast) ? ast.typeParameters : []

/** The schema and everything inside it, each once. */
export const nodesOf = (root: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  const nodes = new Set([root])
  for (const node of nodes) for (const child of childrenOf(node)) nodes.add(child)
  return [...nodes]
}

const childrenOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isObjects(ast)) return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest]
  if (SchemaAST.isUnion(ast)) return ast.types
  return SchemaAST.isSuspend(ast) ? [ast.thunk()] : []
}
