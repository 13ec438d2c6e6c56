/** What a schema expects, as a phrase for a model. */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** Longer lists of members do not help a model choose. */
const maxMembers = 20

export const phraseOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "Number":
      return isInteger(ast) ? "integer" : "number"
    case "Arrays":
      return "list"
    case "Objects":
      return "object"
    case "TemplateLiteral":
      return "string"
    case "Literal":
      return String(ast.literal)
    case "Enum":
      return oneOf(ast.enums.map(([, member]) => String(member)))
    case "Union":
      return unionPhrase(ast)
    case "Suspend":
      return phraseOf(ast.thunk())
    case "Declaration":
      return expectedOf(ast.annotations) ?? "a valid value"
    default:
      return ast._tag.toLowerCase()
  }
}

/** The author's own words where there are some: `message`, then `expected`. */
export const expectedOf = (annotations: Schema.Annotations.Annotations | undefined): string | undefined => {
  const text = annotations?.["message"] ?? annotations?.["expected"]
  return typeof text === "string" ? text : undefined
}

export const isInteger = (ast: SchemaAST.AST): boolean => hasCheck(ast.checks ?? [], "isInt")

/** Looks for one of Effect's own checks, `Schema.isInt` for instance, also inside a group. */
export const hasCheck = (checks: ReadonlyArray<SchemaAST.Check<never>>, name: string): boolean =>
  checks.some(
    (check) =>
      check.annotations?.representation?.id === `effect/schema/${name}` ||
      (check._tag === "FilterGroup" && hasCheck(check.checks, name))
  )

/** All that stand for one fixed value. */
export const isLiteral = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isLiteral(ast) || SchemaAST.isEnum(ast) || (SchemaAST.isUnion(ast) && ast.types.every(isLiteral))

const unionPhrase = (ast: SchemaAST.Union): string => {
  const phrases = ast.types.map((type) => (SchemaAST.isObjects(type) ? objectPhrase(type) : phraseOf(type)))
  return isLiteral(ast) ? oneOf(phrases) : [...new Set(phrases)].join(" or ")
}

/** Among alternatives an object is told apart by its keys. */
const objectPhrase = ({ propertySignatures }: SchemaAST.Objects): string =>
  `object with ${propertySignatures.map(({ name }) => String(name)).join(", ")}`

const oneOf = (members: ReadonlyArray<string>): string => {
  const listed = members.slice(0, maxMembers).join(", ")
  return members.length > maxMembers ? `one of: ${listed} and ${members.length - maxMembers} more` : `one of: ${listed}`
}
