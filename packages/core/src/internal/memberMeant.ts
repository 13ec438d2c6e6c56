/** Which alternative of a union a value was meant to be, when it fits none of them. */
import { memoize } from "effect/Function"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { typeOf } from "./path.ts"
import { alternativesOf, isLiteral, literalsOf } from "./schemaPhrase.ts"

type Alternatives = ReadonlyArray<SchemaAST.AST>

/** The issue of the alternative that was meant, or of the key that chooses one; nothing if neither is clear. */
export const issueMeant = (issue: SchemaIssue.AnyOf, value: unknown): SchemaIssue.Issue | undefined => {
  const near = byType(issue.ast).get(typeOf(value))
  const tried = issuesOf(issue)
  if (near === undefined) return tried.length === 1 ? tried[0] : undefined
  const issues = tried.filter((one) => near.some((alternative) => isAbout(one, alternative)))
  return issueOfOnly(near, issues, value) ?? tagIssue(near, value) ?? issueOfBegun(near, issues)
}

const byType = memoize((ast: SchemaAST.Union): ReadonlyMap<string | undefined, Alternatives> =>
  Map.groupBy(alternativesOf(ast), ({ _tag }) => typeNames.get(_tag))
)

/** As `typeOf` names them. A literal is near nothing but itself. */
const typeNames: ReadonlyMap<SchemaAST.AST["_tag"], string> = new Map([
  ["Arrays", "list"],
  ["Boolean", "boolean"],
  ["Number", "number"],
  ["Objects", "object"],
  ["String", "string"],
  ["TemplateLiteral", "string"]
])

/** One for each alternative that the codec tried; those of a union inside, or behind a transformation, one by one. */
const issuesOf = (issue: SchemaIssue.Issue): ReadonlyArray<SchemaIssue.Issue> => {
  if (issue._tag === "Encoding") return issuesOf(issue.issue)
  return issue._tag === "AnyOf" ? issue.issues.flatMap(issuesOf) : [issue]
}

const isAbout = (issue: SchemaIssue.Issue, alternative: SchemaAST.AST): boolean => {
  if (!("ast" in issue)) return false
  const ast = SchemaAST.toEncoded(issue.ast)
  return ast === alternative || (SchemaAST.isUnion(ast) && alternativesOf(ast).includes(alternative))
}

/** The only alternative of the value's type, or the only one with the tags that it has. */
const issueOfOnly = (
  near: Alternatives,
  issues: ReadonlyArray<SchemaIssue.Issue>,
  value: unknown
): SchemaIssue.Issue | undefined => {
  const tags = tagsOfEach(near)
  const [only, ...others] = near.length === 1 ? near : near.filter((one) => isTaggedLike(tags.get(one) ?? [], value))
  return only === undefined || others.length > 0 ? undefined : issues.find((issue) => isAbout(issue, only))
}

/** A required literal: it tells the alternatives of a union apart. */
export interface Tag {
  readonly key: PropertyKey
  readonly type: SchemaAST.AST
}

type Tags = ReadonlyArray<Tag>

/** The tags of each alternative. A literal that is the same in all of them tells none apart. */
export const tagsOfEach = memoize((alternatives: Alternatives): ReadonlyMap<SchemaAST.AST, Tags> => {
  const isShared = (tag: Tag) => alternatives.length > 1 && alternatives.every((one) => hasSame(one, tag))
  return new Map(alternatives.map((one) => [one, literalsIn(one).filter((tag) => !isShared(tag))]))
})

const hasSame = (alternative: SchemaAST.AST, tag: Tag): boolean => {
  const other = literalsIn(alternative).find(({ key }) => key === tag.key)
  const [own, others] = [new Set(literalsOf(tag.type)), new Set(other === undefined ? [] : literalsOf(other.type))]
  return own.size === others.size && [...own].every((literal) => others.has(literal))
}

/** The required literals of an object or a list. */
const literalsIn = memoize((ast: SchemaAST.AST): Tags => {
  const fields = SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name, type }) => ({ key: name, type })) : []
  const elements = SchemaAST.isArrays(ast) ? ast.elements.map((type, key) => ({ key, type })) : []
  return [...fields, ...elements].filter(({ type }) => isLiteral(type) && !SchemaAST.isOptional(type))
})

const literalSet = memoize((type: SchemaAST.AST): ReadonlySet<unknown> => new Set(literalsOf(type)))

/** False if an object or a list has something else where an alternative has a literal: then nothing else about it counts. */
export const admitsLiterals = (alternative: SchemaAST.AST, value: object): boolean =>
  literalsIn(alternative).every(({ key, type }) => !isSent(value, key) || literalSet(type).has(Reflect.get(value, key)))

/** A tag that was not sent speaks neither for nor against an alternative. */
const isTaggedLike = (tags: Tags, value: unknown): boolean => {
  const sent = tags.filter(({ key }) => isSent(value, key))
  return sent.length > 0 && sent.every((tag) => fits(tag, value))
}

const isSent = (value: unknown, key: PropertyKey): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)

const fits = ({ key, type }: Tag, value: unknown): boolean =>
  typeof value === "object" && value !== null && literalsOf(type).includes(Reflect.get(value, key))

/** What is wrong with the tags that all alternatives have. */
const tagIssue = (near: Alternatives, value: unknown): SchemaIssue.Issue | undefined => {
  const tags = commonTags(near).filter((tag) => !isSent(value, tag.key) || !fits(tag, value))
  const [first, ...others] = tags.map((tag) => new SchemaIssue.Pointer([tag.key], wrongTag(tag, value)))
  const signatures = tags.map(({ key, type }) => new SchemaAST.PropertySignature(key, type))
  return first && new SchemaIssue.Composite(new SchemaAST.Objects(signatures, []), [first, ...others])
}

/** The tags that all alternatives have, each with all of its values. */
export const commonTags = memoize((alternatives: Alternatives): ReadonlyArray<CommonTag> => {
  const [first = [], ...others] = tagsOfEach(alternatives).values()
  return first.flatMap(({ key, type }) => {
    const types = others.flatMap((tags) => tags.find((tag) => tag.key === key)?.type ?? [])
    return types.length === others.length ? [{ key, type: new SchemaAST.Union([type, ...types]) }] : []
  })
})

export interface CommonTag extends Tag {
  readonly type: SchemaAST.Union
}

const wrongTag = ({ key, type }: CommonTag, value: unknown): SchemaIssue.Issue =>
  isSent(value, key) ? new SchemaIssue.AnyOf(type, []) : new SchemaIssue.MissingKey(undefined)

/** The first object of which all required keys were sent. Without tags any can be explained, so the first is. */
const issueOfBegun = (near: Alternatives, issues: ReadonlyArray<SchemaIssue.Issue>): SchemaIssue.Issue | undefined => {
  if (!near.every(SchemaAST.isObjects)) return undefined
  const untagged = [...tagsOfEach(near).values()].every((tags) => tags.length === 0)
  return issues.find((issue) => !lacksKeys(issue)) ?? (untagged ? issues[0] : undefined)
}

const lacksKeys = (issue: SchemaIssue.Issue): boolean =>
  issue._tag === "Composite" && issue.issues.some((one) => one._tag === "Pointer" && one.issue._tag === "MissingKey")
