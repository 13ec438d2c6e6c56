/** What the author of a schema said about a field that concerns repair. */
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"

export interface Marks {
  readonly aliases: ReadonlyArray<string>
  readonly wrapSingle: boolean
  readonly stringify: boolean
  readonly allowEmpty: boolean
  readonly sensitive: boolean
  readonly description: string | undefined
}

const nothing: Marks = {
  aliases: [],
  wrapSingle: false,
  stringify: false,
  allowEmpty: false,
  sensitive: false,
  description: undefined
}

/** Carries the marks of a typed schema on the schema of what is sent, where its annotations do not reach. */
export const marksKey = "~haft/marks"

type Annotations = Readonly<Record<string, unknown>>

/** Said about the schema itself, its key, its checks, what it is encoded as, what it refers to, or one alternative. */
export const marksOf = (ast: SchemaAST.AST): Marks => {
  const known = marksByAst.get(ast)
  if (known !== undefined) return known
  // A recursive schema comes back here before its own marks are known.
  marksByAst.set(ast, nothing)
  const marks = merge(annotationsOf(ast).map(read), [...linked(ast), ...alternatives(ast)].map(marksOf))
  marksByAst.set(ast, marks)
  return marks
}

const marksByAst = new WeakMap<SchemaAST.AST, Marks>()

/** Whether there is anything to carry. */
export const isMarked = (marks: Marks): boolean =>
  marks.aliases.length > 0 ||
  marks.wrapSingle ||
  marks.stringify ||
  marks.allowEmpty ||
  marks.sensitive ||
  marks.description !== undefined

const annotationsOf = (ast: SchemaAST.AST): ReadonlyArray<Annotations> =>
  [
    ast.context?.annotations,
    ...(ast.checks ?? []).map(({ annotations }) => annotations).toReversed(),
    ast.annotations
  ].flatMap((annotations): ReadonlyArray<Annotations> => (annotations === undefined ? [] : [annotations]))

/** Ends of transformations and of references. */
const linked = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  const targets = (ast.encoding ?? []).map(({ to }) => to)
  return SchemaAST.isSuspend(ast) ? [...targets, ast.thunk()] : targets
}

const alternatives = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => (SchemaAST.isUnion(ast) ? ast.types : [])

/** What is said nearer comes first. */
const merge = (own: ReadonlyArray<Marks>, inner: ReadonlyArray<Marks>): Marks => {
  const all = [...own, ...inner]
  return {
    aliases: [...new Set(all.flatMap(({ aliases }) => aliases))],
    wrapSingle: all.some(({ wrapSingle }) => wrapSingle),
    stringify: all.some(({ stringify }) => stringify),
    allowEmpty: all.some(({ allowEmpty }) => allowEmpty),
    sensitive: all.some(({ sensitive }) => sensitive),
    description: all.find(({ description }) => description !== undefined)?.description
  }
}

const isMarks = (value: unknown): value is Marks => Predicate.hasProperty(value, "aliases")

const read = (annotations: Annotations): Marks => {
  const carried = annotations[marksKey]
  const said = (name: string, keyword: string) => annotations[name] === true || annotations[keyword] === true
  const marks: Marks = {
    aliases: [annotations["aliases"], annotations["x-aliases"]].flat().filter(Predicate.isString),
    wrapSingle: said("wrapSingle", "x-wrap-single"),
    stringify: said("stringify", "x-stringify"),
    allowEmpty: said("allowEmpty", "x-allow-empty"),
    sensitive: said("sensitive", "x-sensitive") || isSecret(annotations),
    description: Predicate.isString(annotations["description"]) ? annotations["description"] : undefined
  }
  return isMarks(carried) ? merge([marks, carried], []) : marks
}

const isSecret = ({ format, representation, writeOnly }: Annotations): boolean =>
  writeOnly === true ||
  format === "password" ||
  (Predicate.hasProperty(representation, "id") && representation.id === "effect/schema/Redacted")
