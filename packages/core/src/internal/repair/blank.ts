/** Finds blank texts where a schema refuses them, without a decoder: valid arguments pay for little more than a look. */
import * as SchemaAST from "effect/SchemaAST"
import { nodesOf } from "../schemaShape.ts"
import { isBlank, isObject } from "./json.ts"
import { refusesBlank } from "./strictAst.ts"

/** True rather too often than too seldom: with alternatives only a decoder can tell which one counts. */
export type HoldsBlank = (value: unknown) => boolean

export const holdsBlankOf = (ast: SchemaAST.AST, multiplies: boolean): HoldsBlank => {
  if (!nodesOf(ast).some(refusesBlank)) return never
  return multiplies ? holdsBlank : (finderOf(ast) ?? never)
}

const never: HoldsBlank = () => false

/** Anywhere: where alternatives multiply, following the schema would look at the same text again and again. */
const holdsBlank: HoldsBlank = (value) =>
  typeof value === "object" && value !== null ? Object.values(value).some(holdsBlank) : isBlankText(value)

const isBlankText: HoldsBlank = (value) => typeof value === "string" && isBlank(value)

/** Nothing where there is nothing to be found. */
const finderOf = (ast: SchemaAST.AST): HoldsBlank | undefined => {
  if (refusesBlank(ast)) return isBlankText
  if (SchemaAST.isObjects(ast)) return ofObject(ast)
  if (SchemaAST.isArrays(ast)) return ofArray(ast)
  if (SchemaAST.isUnion(ast)) return anyOf(ast.types.flatMap((type) => finderOf(type) ?? []))
  return SchemaAST.isSuspend(ast) ? ofSuspended(ast) : undefined
}

const anyOf = (finders: ReadonlyArray<HoldsBlank>): HoldsBlank | undefined => {
  const [only, ...others] = finders
  return others.length === 0 ? only : (value) => finders.some((find) => find(value))
}

const suspended = new WeakMap<SchemaAST.AST, HoldsBlank>()

/** Looks into what is referred to when it is there: a recursive schema has no end. */
const ofSuspended = (ast: SchemaAST.Suspend): HoldsBlank => {
  const target = ast.thunk()
  const find: HoldsBlank = (value) => {
    const known = suspended.get(target) ?? finderOf(target) ?? never
    suspended.set(target, known)
    return known(value)
  }
  return find
}

const ofArray = ({ elements, rest }: SchemaAST.Arrays): HoldsBlank | undefined => {
  const find = anyOf([...elements, ...rest].flatMap((type) => finderOf(type) ?? []))
  return find === undefined ? undefined : (value) => Array.isArray(value) && value.some(find)
}

const ofObject = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): HoldsBlank | undefined => {
  const fields = propertySignatures.flatMap(({ name, type }) => {
    const find = finderOf(type)
    return find === undefined || typeof name !== "string" ? [] : [{ name, find }]
  })
  const ofOthers = anyOf(indexSignatures.flatMap(({ type }) => finderOf(type) ?? []))
  if (fields.length === 0 && ofOthers === undefined) return undefined
  return (value) =>
    isObject(value) &&
    (fields.some(({ find, name }) => find(value[name])) ||
      (ofOthers !== undefined && Object.values(value).some(ofOthers)))
}
