/** What an object's schema declares, in the form in which repair asks for it. */
import * as SchemaAST from "effect/SchemaAST"
import { flattened, isLiteral, literalsOf } from "../schemaPhrase.ts"
import { lowerAscii } from "./json.ts"
import { marksOf } from "./marks.ts"
import { isPlainString } from "./strictAst.ts"

export interface Field {
  readonly name: string
  readonly ast: SchemaAST.AST
  readonly isOptional: boolean
  /** A text of whatever form: nothing that is text is ever taken for something else. */
  readonly isPlainString: boolean
  /** Takes nothing but texts, or null, and a blank one says nothing. */
  readonly ignoresBlank: boolean
  readonly aliases: ReadonlyArray<string>
}

export interface Declared {
  /** In the order of the schema. */
  readonly fields: ReadonlyMap<string, Field>
  /** Admits no keys but the declared ones. */
  readonly isClosed: boolean
  /** Fields that have other names. */
  readonly aliased: ReadonlyArray<Field>
  /** Declared names by their folded spelling, where that is the spelling of one only. */
  readonly byFold: ReadonlyMap<string, string>
  /** Schemas of keys that are not declared. */
  readonly maps: ReadonlyArray<SchemaAST.IndexSignature>
}

export const declaredBy = (ast: SchemaAST.Objects): Declared => {
  const declared = known.get(ast) ?? read(ast)
  known.set(ast, declared)
  return declared
}

/** Most maps take any key, and need not be asked about each. */
export const isAnyText = (parameter: SchemaAST.AST): boolean =>
  SchemaAST.isString(parameter) && parameter.checks === undefined && parameter.encoding === undefined

const known = new WeakMap<SchemaAST.Objects, Declared>()

/** A key that can have no value is not declared. */
const read = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Declared => {
  const fields = propertySignatures.flatMap(({ name, type }) =>
    typeof name === "string" && !SchemaAST.isNever(type) ? [[name, fieldOf(name, type)] as const] : []
  )
  const maps = indexSignatures.filter(({ type }) => !SchemaAST.isNever(type))
  const aliased = fields.map(([, field]) => field).filter(({ aliases }) => aliases.length > 0)
  const byFold = foldsOf(fields.map(([name]) => name))
  return { fields: new Map(fields), isClosed: maps.length === 0, aliased, byFold, maps }
}

const fieldOf = (name: string, ast: SchemaAST.AST): Field => {
  const { aliases, allowEmpty } = marksOf(ast)
  const members = flattened(ast).filter((member) => !SchemaAST.isNull(member))
  return {
    name,
    ast,
    aliases,
    isOptional: SchemaAST.isOptional(ast),
    isPlainString: isPlainString(ast),
    ignoresBlank: !allowEmpty && members.length > 0 && members.every(isTextual)
  }
}

const isTextual = (ast: SchemaAST.AST): boolean =>
  isPlainString(ast) || (isLiteral(ast) && literalsOf(ast).every((literal) => typeof literal === "string"))

/** Another case of letters or another separator is the same word. Beyond ASCII nothing is folded. */
export const fold = (key: string): string =>
  /[^\p{ASCII}]/u.test(key) ? key : lowerAscii(key).replace(/[^a-z0-9]/g, "")

const foldsOf = (names: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const groups = Map.groupBy(names, fold)
  return new Map(
    [...groups].flatMap(([folded, [name, ...others]]) =>
      folded === "" || name === undefined || others.length > 0 ? [] : [[folded, name] as const]
    )
  )
}
