/** What a schema expects, as a phrase for a model. */
import { memoize } from "effect/Function"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** Longer lists of members do not help a model choose. */
const maxMembers = 20

export const phraseOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "Number":
      return numberPhrase(ast)
    case "Arrays":
      return listPhrase(ast)
    case "Objects":
      return "object"
    case "TemplateLiteral":
      return "string"
    case "Literal":
      return String(ast.literal)
    case "Enum":
      return oneOf(literalsOf(ast))
    case "Union":
      return unionPhrase(ast)
    case "Suspend":
      return phraseOf(ast.thunk())
    case "Declaration":
      return expectedOf(ast.annotations) ?? textAt(ast.annotations, "identifier") ?? "a valid value"
    default:
      return ast._tag.toLowerCase()
  }
}

/** With its bounds: `integer from 1 to 60`. */
const numberPhrase = (ast: SchemaAST.Number): string => {
  const type = isInteger(ast) ? "integer" : "number"
  const [low, high] = [boundOf(ast, "minimum"), boundOf(ast, "maximum")]
  if (low?.isInside === true && high?.isInside === true) return `${type} from ${low.value} to ${high.value}`
  const least = low === undefined ? [] : [`${low.isInside ? "of at least" : "above"} ${low.value}`]
  const most = high === undefined ? [] : [`${high.isInside ? "of at most" : "below"} ${high.value}`]
  return [type, [...least, ...most].join(" and ")].join(" ").trimEnd()
}

interface Bound {
  readonly value: number
  readonly isInside: boolean
}

/** The last that is declared, as Effect's own checks write it down. */
const boundOf = ({ checks }: SchemaAST.Number, side: "minimum" | "maximum"): Bound | undefined => {
  const exclusive = side === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"
  const bounds = (checks ?? []).flatMap((check) => {
    const payload: unknown = check.annotations?.representation?.payload
    const [inside, outside] = [fieldOf(payload, side), fieldOf(payload, exclusive)]
    if (typeof inside === "number") return [{ value: inside, isInside: outside !== true }]
    return typeof outside === "number" ? [{ value: outside, isInside: false }] : []
  })
  return bounds.at(-1)
}

const fieldOf = (payload: unknown, name: string): unknown =>
  typeof payload === "object" && payload !== null ? Reflect.get(payload, name) : undefined

/** The author's own words where there are some: `message`, then `expected`. */
export const expectedOf = (annotations: Schema.Annotations.Annotations | undefined): string | undefined =>
  messageOf(annotations) ?? textAt(annotations, "expected")

export const messageOf = (annotations: Schema.Annotations.Annotations | undefined): string | undefined =>
  textAt(annotations, "message")

const textAt = (annotations: Schema.Annotations.Annotations | undefined, key: string): string | undefined => {
  const text = annotations?.[key]
  return typeof text === "string" ? text : undefined
}

export const isInteger = memoize((ast: SchemaAST.AST): boolean => hasCheck(ast.checks ?? [], "isInt"))

/** Looks for one of Effect's own checks, `Schema.isInt` for instance, also inside a group. */
export const hasCheck = (checks: ReadonlyArray<SchemaAST.Check<never>>, name: string): boolean =>
  checks.some(
    (check) =>
      check.annotations?.representation?.id === `effect/schema/${name}` ||
      (check._tag === "FilterGroup" && hasCheck(check.checks, name))
  )

/** All that stand for one fixed value. */
export const isLiteral: (ast: SchemaAST.AST) => boolean = memoize(
  (ast) => SchemaAST.isLiteral(ast) || SchemaAST.isEnum(ast) || (SchemaAST.isUnion(ast) && ast.types.every(isLiteral))
)

/** The values of a schema that `isLiteral`. */
export const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.LiteralValue> => {
  if (SchemaAST.isLiteral(ast)) return [ast.literal]
  if (SchemaAST.isEnum(ast)) return ast.enums.map(([, member]) => member)
  return SchemaAST.isUnion(ast) ? ast.types.flatMap(literalsOf) : []
}

/** The alternatives of a union as they are sent, without unions inside unions. */
export const alternativesOf = memoize((ast: SchemaAST.Union): ReadonlyArray<SchemaAST.AST> =>
  ast.types.map(SchemaAST.toEncoded).flatMap(flattened)
)

/** The alternatives of a schema, which is its only one unless it is a union. */
export const flattened = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isSuspend(ast)) return flattened(ast.thunk())
  return SchemaAST.isUnion(ast) ? ast.types.flatMap(flattened) : [ast]
}

/** All literals are one alternative, named last because nothing shows where their list ends. */
const unionPhrase = (ast: SchemaAST.Union): string => {
  const alternatives = alternativesOf(ast)
  const literals = alternatives.filter(isLiteral).flatMap(literalsOf)
  const others = alternatives.filter((alternative) => !isLiteral(alternative)).map(alternativePhrase)
  return [...new Set(others), ...(literals.length === 0 ? [] : [oneOf(literals)])].join(" or ")
}

const alternativePhrase = (ast: SchemaAST.AST): string => (SchemaAST.isObjects(ast) ? objectPhrase(ast) : phraseOf(ast))

/** Among alternatives an object is told apart by its keys. */
const objectPhrase = (ast: SchemaAST.Objects): string => {
  const keys = keysOf(ast)
  return keys.length === 0 ? "object" : `object with ${keys.join(", ")}`
}

/** The elements of a union could be the same union again. */
const listPhrase = ({ rest: [element] }: SchemaAST.Arrays): string => {
  const [only, ...others] = element === undefined ? [] : flattened(element)
  return only === undefined || others.length > 0 ? "list" : `list of ${phraseOf(only)}`
}

/** The elements of a list that cannot be left out, one after the other. */
export const requiredElements = ({ elements, rest }: SchemaAST.Arrays): ReadonlyArray<SchemaAST.AST> => [
  ...elements.filter((type) => !SchemaAST.isOptional(type)),
  ...rest.slice(1)
]

/** All elements that have to be there, for a list that lacks some. */
export const wholeListPhrase = (ast: SchemaAST.Arrays): string =>
  `list of at least: ${requiredElements(ast)
    .slice(0, maxMembers)
    .map((type) => phraseOf(SchemaAST.toEncoded(type)))
    .join(", then ")}`

/** The declared keys that can have a value. */
export const keysOf = (ast: SchemaAST.Objects): ReadonlyArray<string> =>
  ast.propertySignatures.filter(({ type }) => !SchemaAST.isNever(type)).map(({ name }) => String(name))

/** The keys that need not be declared: `like x-…`, or in the words of the check that they have to pass. */
export const keyPhrasesOf = (ast: SchemaAST.Objects): ReadonlyArray<string> =>
  ast.indexSignatures.filter(({ type }) => !SchemaAST.isNever(type)).map(({ parameter }) => keyPhrase(parameter))

const keyPhrase = (parameter: SchemaAST.AST): string => {
  const key = SchemaAST.toEncoded(parameter)
  if (SchemaAST.isTemplateLiteral(key)) return `like ${key.parts.map(partPhrase).join("")}`
  return `that is ${expectedOf(key.checks?.[0].annotations) ?? phraseOf(key)}`
}

const partPhrase = (part: SchemaAST.AST): string => (SchemaAST.isLiteral(part) ? String(part.literal) : "…")

const oneOf = (literals: ReadonlyArray<SchemaAST.LiteralValue>): string => {
  const members = [...new Set(literals)]
  const listed = members.slice(0, maxMembers).join(", ")
  if (members.length === 1) return listed
  const more = members.length - maxMembers
  return more > 0 ? `one of: ${listed} and ${more} more` : `one of: ${listed}`
}
