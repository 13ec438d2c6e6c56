/**
 * The schema of what is sent, as repair walks it: without transformations, with the author's marks where they can be
 * found, and with blank optional strings refused, because models write them where they mean nothing.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { encodedEnd } from "../encodedEnd.ts"
import * as Sentences from "../sentences.ts"
import { isBlank } from "./json.ts"
import { isMarked, type Marks, marksKey, marksOf } from "./marks.ts"

type AST = SchemaAST.AST

/** `dropsBlank` is off where nothing is repaired: then a blank text is what the tool gets. */
export const strictAst = (codec: AST, dropsBlank: boolean): AST =>
  new Rebuild(dropsBlank).visit(SchemaAST.toEncoded(codec), codec)

const nonBlank = Schema.makeFilter((text: string) => !isBlank(text), { expected: Sentences.notBlank })

/** Whether a schema is one that got the check. */
export const refusesBlank = (ast: AST): boolean => ast.checks?.some((check) => check === nonBlank) ?? false

/** Goes through both sides of a codec at once: annotations are on the typed side, what is sent is on the other. */
class Rebuild {
  private readonly dropsBlank: boolean
  private readonly known = new Map<AST, Map<AST | undefined, AST>>()

  constructor(dropsBlank: boolean) {
    this.dropsBlank = dropsBlank
  }

  /** The same schema if there is nothing to add to it. */
  visit(encoded: AST, typed: AST | undefined): AST {
    const byTyped = this.known.get(encoded) ?? new Map<AST | undefined, AST>()
    this.known.set(encoded, byTyped)
    const known = byTyped.get(typed)
    if (known !== undefined) return known
    const rebuilt = this.mark(this.descend(encoded, typed === undefined ? undefined : encodedEnd(typed)), typed)
    byTyped.set(typed, rebuilt)
    return rebuilt
  }

  private mark(encoded: AST, typed: AST | undefined): AST {
    const marks = typed === undefined ? undefined : marksOf(typed)
    return marks === undefined || !isMarked(marks) ? encoded : carry(encoded, marks)
  }

  private descend(encoded: AST, typed: AST | undefined): AST {
    if (SchemaAST.isObjects(encoded)) return this.objects(encoded, typed)
    if (SchemaAST.isArrays(encoded)) return this.arrays(encoded, typed)
    if (SchemaAST.isUnion(encoded)) return this.union(encoded, typed)
    return SchemaAST.isSuspend(encoded) ? this.suspend(encoded, typed) : encoded
  }

  private objects(encoded: SchemaAST.Objects, typed: AST | undefined): AST {
    const sides = typed !== undefined && SchemaAST.isObjects(typed) ? typed : undefined
    const properties = encoded.propertySignatures.map(({ name, type }) => {
      const side = sides?.propertySignatures.find((one) => one.name === name)?.type
      return new SchemaAST.PropertySignature(name, this.field(type, side))
    })
    const indices = encoded.indexSignatures.map(({ parameter, type }, index) => {
      return new SchemaAST.IndexSignature(parameter, this.visit(type, sides?.indexSignatures[index]?.type))
    })
    const { annotations, checks, context } = encoded
    return new SchemaAST.Objects(properties, indices, annotations, checks, undefined, context)
  }

  private arrays(encoded: SchemaAST.Arrays, typed: AST | undefined): AST {
    const sides = typed !== undefined && SchemaAST.isArrays(typed) ? typed : undefined
    const elements = encoded.elements.map((type, index) => this.visit(type, sides?.elements[index]))
    const rest = encoded.rest.map((type, index) => this.visit(type, sides?.rest[index]))
    const { annotations, checks, context, isMutable } = encoded
    return new SchemaAST.Arrays(isMutable, elements, rest, annotations, checks, undefined, context)
  }

  private union(encoded: SchemaAST.Union, typed: AST | undefined): AST {
    const sides = typed !== undefined && SchemaAST.isUnion(typed) ? typed.types : []
    return withTypes(
      encoded,
      encoded.types.map((type, index) => this.visit(type, sides[index]))
    )
  }

  private suspend(encoded: SchemaAST.Suspend, typed: AST | undefined): AST {
    const side = typed !== undefined && SchemaAST.isSuspend(typed) ? typed.thunk : () => typed
    const thunk = () => this.visit(encoded.thunk(), side())
    return new SchemaAST.Suspend(thunk, encoded.annotations, undefined, undefined, encoded.context)
  }

  private field(encoded: AST, typed: AST | undefined): AST {
    const visited = this.visit(encoded, typed)
    const allowsEmpty = [encoded, typed ?? encoded].some((side) => marksOf(side).allowEmpty)
    if (!this.dropsBlank || !SchemaAST.isOptional(encoded) || allowsEmpty) return visited
    if (isPlainString(encoded)) return refuseBlank(inlined(visited))
    if (!SchemaAST.isUnion(visited) || !nullStandsForAbsent(typed)) return visited
    return withTypes(
      visited,
      visited.types.map((type) => (isPlainString(type) ? refuseBlank(type) : type))
    )
  }
}

const withTypes = (union: SchemaAST.Union, types: ReadonlyArray<AST>): AST =>
  new SchemaAST.Union(types, union.options, union.annotations, union.checks, undefined, union.context)

/** What is said about a field holds for the alternative that it is about. */
const carry = (ast: AST, marks: Marks): AST => {
  const members = SchemaAST.isUnion(ast)
    ? withTypes(
        ast,
        ast.types.map((type) => carryInto(type, marks))
      )
    : ast
  return annotate(members, marks)
}

const carryInto = (member: AST, marks: Marks): AST => {
  const isMeant = (SchemaAST.isArrays(member) && marks.wrapSingle) || (SchemaAST.isString(member) && marks.stringify)
  return isMeant ? annotate(member, { ...marks, aliases: [], description: undefined }) : member
}

const annotate = (ast: AST, marks: Marks): AST =>
  Schema.make<Schema.Codec<unknown>>(ast).annotate({ [marksKey]: marks }).ast

/** A text of whatever form, and nothing else. */
export const isPlainString = (ast: AST): boolean =>
  SchemaAST.isString(ast) ||
  SchemaAST.isTemplateLiteral(ast) ||
  (SchemaAST.isSuspend(ast) && isPlainString(ast.thunk()))

const refuseBlank = (ast: AST): AST => Schema.make<Schema.Codec<string>>(ast).check(nonBlank).ast

/** A reference to a text takes no check; the text that it refers to does. */
const inlined = (ast: AST): AST => {
  if (!SchemaAST.isSuspend(ast)) return ast
  const marks = marksOf(ast)
  const text = Schema.optionalKey(Schema.make(inlined(ast.thunk()))).ast
  return isMarked(marks) ? carry(text, marks) : text
}

/** `Schema.optional` writes nothing as null. A field that truly admits null looks the same once it is encoded. */
const nullStandsForAbsent = (typed: AST | undefined): boolean => {
  const union = typed === undefined ? undefined : encodedEnd(typed)
  return (
    union !== undefined &&
    SchemaAST.isUnion(union) &&
    union.types.some((type) => SchemaAST.isUndefined(type) && type.encoding !== undefined)
  )
}
