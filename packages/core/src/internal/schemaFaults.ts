/** Finds what makes a schema unfit for a tool before anyone meets it in a call. */
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"
import { formatPath, type Path } from "./path.ts"
import type { Refusal } from "./refusal.ts"
import { hasCheck } from "./schemaPhrase.ts"
import * as Sentences from "./registrationSentences.ts"

/** Looks at the encoded side: only what travels has to be JSON. */
export const faultOf = (ast: SchemaAST.AST): Refusal | undefined => {
  const encoded = SchemaAST.toEncoded(ast)
  return SchemaAST.isNever(encoded) ? Sentences.unreachable("") : visit(encoded, [], new Set())
}

const visit = (ast: SchemaAST.AST, path: Path, seen: Set<SchemaAST.AST>): Refusal | undefined => {
  if (seen.has(ast)) return undefined
  seen.add(ast)
  return ownFault(ast, path) ?? first(childrenOf(ast), ([key, child]) => visit(child, [...path, ...key], seen))
}

const ownFault = (ast: SchemaAST.AST, path: Path): Refusal | undefined => {
  if (SchemaAST.isNumber(ast) && !isFinite(ast)) return Sentences.unsafeNumber(formatPath(path))
  if (SchemaAST.isDeclaration(ast) && !hasJsonForm(ast)) return Sentences.noJsonForm(formatPath(path))
  const impossible = SchemaAST.isObjects(ast) ? ast.propertySignatures.find(isImpossible) : undefined
  return impossible === undefined ? undefined : Sentences.unreachable(formatPath([...path, impossible.name]))
}

const isImpossible = ({ type }: SchemaAST.PropertySignature): boolean =>
  SchemaAST.isNever(type) && type.context?.isOptional !== true

const isFinite = (ast: SchemaAST.Number): boolean =>
  hasCheck(ast.checks ?? [], "isFinite") || hasCheck(ast.checks ?? [], "isInt")

const hasJsonForm = ({ annotations = {} }: SchemaAST.Declaration): boolean =>
  "toCodecJson" in annotations || "toCodec" in annotations || isJson(annotations["representation"])

/** `Schema.Json` and its relatives are declarations that are JSON already. */
const isJson = (representation: unknown): boolean =>
  Predicate.hasProperty(representation, "id") && String(representation.id).startsWith("effect/schema/Json")

type Child = readonly [key: Path, ast: SchemaAST.AST]

const childrenOf = (ast: SchemaAST.AST): ReadonlyArray<Child> => {
  switch (ast._tag) {
    case "Objects":
      return [
        ...ast.propertySignatures.map(({ name, type }): Child => [[name], type]),
        ...ast.indexSignatures.map(({ type }): Child => [["*"], type])
      ]
    case "Arrays":
      return [...ast.elements, ...ast.rest].map((element, index) => [[index], element])
    case "Union":
      return ast.types.map((member) => [[], member])
    case "Suspend":
      return [[[], ast.thunk()]]
    case "Declaration":
      return ast.typeParameters.map((parameter) => [[], parameter])
    default:
      return []
  }
}

const first = <A, B>(items: ReadonlyArray<A>, f: (item: A) => B | undefined): B | undefined => {
  for (const item of items) {
    const found = f(item)
    if (found !== undefined) return found
  }
  return undefined
}
