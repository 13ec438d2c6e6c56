/**
 * Whether a value has only keys that its schema declares, decided without the decoder. Asking the decoder to refuse
 * unknown keys makes it leave its fast path, which is most of the cost of a small call.
 */
import * as SchemaAST from "effect/SchemaAST"

/** True if there is no unknown key. Says nothing else about the value. */
export type HasKnownKeys = (value: unknown) => boolean

/** Nothing where only a decoder can tell which keys are known: with alternatives, open objects or recursion. */
export const knownKeysOf = (ast: SchemaAST.AST): HasKnownKeys | undefined => {
  if (isScalar(ast)) return always
  if (SchemaAST.isArrays(ast)) return ofArray(ast)
  return SchemaAST.isObjects(ast) && ast.indexSignatures.length === 0 ? ofObject(ast) : undefined
}

const always: HasKnownKeys = () => true

const scalars = new Set(["String", "Number", "Boolean", "Null", "Undefined", "Literal", "Enum", "TemplateLiteral"])

const isScalar = (ast: SchemaAST.AST): boolean =>
  scalars.has(ast._tag) || (SchemaAST.isUnion(ast) && ast.types.every(isScalar))

/** What is no list is the decoder's to refuse. */
const ofArray = ({ elements, rest }: SchemaAST.Arrays): HasKnownKeys | undefined => {
  const [element, ...others] = [...elements, ...rest]
  const check = element === undefined ? always : knownKeysOf(element)
  if (others.length > 0 || check === undefined) return undefined
  return check === always ? always : (value) => !Array.isArray(value) || value.every(check)
}

const ofObject = ({ propertySignatures }: SchemaAST.Objects): HasKnownKeys | undefined => {
  const checks = new Map<PropertyKey, HasKnownKeys>()
  for (const { name, type } of propertySignatures) {
    const check = knownKeysOf(type)
    if (check === undefined) return undefined
    checks.set(name, check)
  }
  return (value) => typeof value !== "object" || value === null || hasOnly(value, checks)
}

/** An inherited key counts, too: it leads to the decoder, which knows better. A list of the own keys would cost more. */
const hasOnly = (value: object, checks: ReadonlyMap<PropertyKey, HasKnownKeys>): boolean => {
  for (const key in value) {
    const check = checks.get(key)
    if (check === undefined || (check !== always && !check(Reflect.get(value, key)))) return false
  }
  return true
}
