/** Turns what a codec reports into violations: in a fixed order, bounded, and without any value that was sent. */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { InvalidInput, maxBytes, maxTextLength, maxViolations, type Violation } from "../InvalidInput.ts"
import { InvalidOutput } from "../InvalidOutput.ts"
import type * as JsonGuard from "../JsonGuard.ts"
import { codeOf, expectationOf, type Leaf } from "./explain.ts"
import { formatPath, type Path } from "./path.ts"
import * as Sentences from "./sentences.ts"

/** What the input codec reported for arguments. */
export const ofInput = (issue: SchemaIssue.Issue, input: Schema.Json): InvalidInput =>
  invalidInput(violationsOf(issue, { path: [], value: input }))

/** What the output codec reported for what an executor returned. */
export const ofOutput = (issue: SchemaIssue.Issue, output: unknown): InvalidOutput => {
  const bounded = bound(violationsOf(issue, { path: [], value: output }))
  return new InvalidOutput({ message: Sentences.invalidOutput(bounded), ...bounded })
}

/** Arguments that the guard kept away from the codec. */
export const ofRefusal = (refusal: JsonGuard.Refusal): InvalidInput =>
  invalidInput([{ path: "", code: refusal.code, ...Sentences.refused(refusal) }])

export const notObject = (input: unknown): InvalidInput =>
  invalidInput([{ path: "", code: "not_object", expected: "object", received: typeOf(input) }])

const invalidInput = (found: Iterable<Violation>): InvalidInput => {
  const bounded = bound(found)
  return new InvalidInput({ message: Sentences.invalidInput(bounded), ...bounded })
}

/** Where the walk is: the value there, and the schema of what holds it. */
interface Place {
  readonly path: Path
  readonly value: unknown
  readonly parent?: SchemaAST.AST
}

function* violationsOf(issue: SchemaIssue.Issue, place: Place): Iterable<Violation> {
  switch (issue._tag) {
    case "Encoding":
      return yield* violationsOf(issue.issue, place)
    case "Pointer":
      return yield* violationsOf(issue.issue, enter(place, issue.path))
    case "Composite":
      for (const one of inOrder(issue.issues)) yield* violationsOf(one, { ...place, parent: issue.ast })
      return
    case "AnyOf": {
      const meant = memberMeant(issue)
      if (meant !== undefined) return yield* violationsOf(meant, place)
      return yield violation(issue, place)
    }
    default:
      yield violation(issue, place)
  }
}

const enter = (place: Place, path: Path): Place => ({
  ...place,
  path: [...place.path, ...path],
  value: path.reduce(childOf, place.value)
})

const childOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** Missing keys, then unknown ones, then wrong values; the codec mixes the first and the last. */
const inOrder = (issues: ReadonlyArray<SchemaIssue.Issue>): ReadonlyArray<SchemaIssue.Issue> =>
  issues.toSorted((left, right) => rankOf(left) - rankOf(right))

const rankOf = (issue: SchemaIssue.Issue): number => {
  const tag = issue._tag === "Pointer" ? issue.issue._tag : issue._tag
  if (tag === "MissingKey") return 0
  return tag === "UnexpectedKey" ? 1 : 2
}

/** The only member that came near; of several kinds of object the first that was begun, or the first. */
const memberMeant = ({ ast, issues }: SchemaIssue.AnyOf): SchemaIssue.Issue | undefined => {
  if (issues.length === 1) return issues[0]
  const areObjects = ast.types.every((type) => SchemaAST.isObjects(SchemaAST.toEncoded(type)))
  return areObjects ? (issues.find((issue) => !lacksKeys(issue)) ?? issues[0]) : undefined
}

const lacksKeys = (issue: SchemaIssue.Issue): boolean =>
  issue._tag === "Composite" && issue.issues.some((one) => rankOf(one) === 0)

const violation = (issue: Leaf, { parent, path, value }: Place): Violation => ({
  path: shorten(formatPath(path)),
  code: codeOf(issue, value),
  expected: shorten(expectationOf(issue, value, { key: path.at(-1), parent })),
  received: typeOf(value)
})

const typeOf = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  return Array.isArray(value) ? "list" : typeof value
}

/** Cuts what is too long; half a surrogate pair at the cut becomes a replacement character. */
const shorten = (text: string): string =>
  text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1).toWellFormed()}…`

/** Keeps what fits the limits and counts the rest. */
const bound = (found: Iterable<Violation>): Sentences.Bounded => {
  const violations: Array<Violation> = []
  let bytes = 0
  let violationsOmitted = 0
  for (const violation of found) {
    bytes += utf8Length(JSON.stringify(violation))
    if (violations.length < maxViolations && bytes <= maxBytes) violations.push(violation)
    else violationsOmitted++
  }
  return { violations, violationsOmitted }
}

const utf8Length = (text: string): number => {
  let bytes = 0
  for (const character of text) bytes += utf8Width(character.codePointAt(0) ?? 0)
  return bytes
}

const utf8Width = (codePoint: number): number => {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}
