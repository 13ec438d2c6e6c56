/** Turns what a codec reports into violations: in a fixed order, bounded, and without any value that was sent. */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { InvalidInput, maxBytes, maxTextLength, maxViolations, type Violation } from "../InvalidInput.ts"
import { InvalidOutput } from "../InvalidOutput.ts"
import type * as JsonGuard from "../JsonGuard.ts"
import { codeOf, expectationOf, type Leaf } from "./explain.ts"
import { issueMeant } from "./memberMeant.ts"
import { childOf, formatPath, type Path, typeOf } from "./path.ts"
import { hasCheck, messageOf } from "./schemaPhrase.ts"
import * as Sentences from "./sentences.ts"

/** What the input codec reported for arguments. */
export const ofInput = (issue: SchemaIssue.Issue, input: Schema.Json): InvalidInput =>
  invalidInput(boundedOf(issue, input))

/** What the output codec reported for what an executor returned. */
export const ofOutput = (issue: SchemaIssue.Issue, output: unknown): InvalidOutput => {
  const bounded = boundedOf(issue, output)
  return new InvalidOutput({ message: Sentences.invalidOutput(bounded), ...bounded })
}

/** Arguments that the guard kept away from the codec. */
export const ofRefusal = (refusal: JsonGuard.Refusal): InvalidInput =>
  invalidInput(only({ path: "", code: refusal.code, ...Sentences.refused(refusal) }))

export const notObject = (input: unknown): InvalidInput =>
  invalidInput(only({ path: "", code: "not_object", expected: "object", received: typeOf(input) }))

const only = (violation: Violation): Sentences.Bounded => ({ violations: [violation], violationsOmitted: 0 })

const invalidInput = (bounded: Sentences.Bounded): InvalidInput =>
  new InvalidInput({ message: Sentences.invalidInput(bounded), ...bounded })

const boundedOf = (issue: SchemaIssue.Issue, value: unknown): Sentences.Bounded => {
  const found: Found = { violations: [], violationsOmitted: 0, bytes: 0 }
  walk(issue, { value }, found)
  return { violations: found.violations, violationsOmitted: found.violationsOmitted }
}

/** Where the walk is: the value there, the way to it, and the schema of what holds it. */
interface Place {
  readonly value: unknown
  readonly key?: PropertyKey
  readonly holder?: Place
  readonly parent?: SchemaAST.AST
  /** What the author of a check says about everything that it found. */
  readonly message?: string | undefined
  /** True where the key itself is at fault, whatever it holds. */
  readonly isName?: boolean
}

/** A plain recursion that adds to `found`: there can be millions of issues, nearly all of them only to be counted. */
const walk = (issue: SchemaIssue.Issue, place: Place, found: Found): void => {
  switch (issue._tag) {
    case "Encoding":
      return walk(issue.issue, place, found)
    case "Pointer":
      return walk(issue.issue, issue.path.reduce(enter, place), found)
    case "Composite":
      return walkAll(issue.issues, { ...place, parent: issue.ast }, found)
    case "Filter":
      return isOpaque(issue.issue) ? note(issue, place, found) : walk(issue.issue, checked(issue, place), found)
    case "AnyOf": {
      const meant = issueMeant(issue, place.value)
      return meant === undefined ? note(issue, place, found) : walk(meant, place, found)
    }
    default:
      return note(issue, place, found)
  }
}

const enter = (holder: Place, key: PropertyKey): Place => ({
  ...holder,
  value: childOf(holder.value, key),
  key,
  holder
})

/** Missing keys, then unknown ones, then wrong values; the codec mixes them. */
const walkAll = (issues: ReadonlyArray<SchemaIssue.Issue>, place: Place, found: Found): void => {
  for (const rank of ranks) for (const one of issues) if (rankOf(one) === rank) walk(one, place, found)
}

const ranks = [0, 1, 2]

const rankOf = (issue: SchemaIssue.Issue): number => {
  const inner = issue._tag === "Pointer" ? issue.issue : issue
  if (inner._tag === "MissingKey") return 0
  const isUnknown = inner._tag === "UnexpectedKey" || (inner._tag === "InvalidType" && SchemaAST.isNever(inner.ast))
  return isUnknown ? 1 : 2
}

/** Says no more than that the value at hand is refused. */
const isOpaque = ({ _tag }: SchemaIssue.Issue): boolean => _tag === "InvalidValue" || _tag === "Forbidden"

/** A check can blame something inside the value that it was given, and several things at once. */
const checked = ({ filter }: SchemaIssue.Filter, place: Place): Place => ({
  ...place,
  message: place.message ?? messageOf(filter.annotations),
  isName: place.isName === true || hasCheck([filter], "isPropertyNames")
})

interface Found {
  readonly violations: Array<Violation>
  violationsOmitted: number
  /** Of the violations as JSON. */
  bytes: number
}

/** Keeps what fits the limits. After the first that does not, the rest is only counted. */
const note = (issue: Leaf, place: Place, found: Found): void => {
  if (found.violationsOmitted > 0 || found.violations.length === maxViolations) {
    found.violationsOmitted++
    return
  }
  const violation = violationOf(issue, place)
  found.bytes += utf8Length(JSON.stringify(violation))
  if (found.bytes <= maxBytes) found.violations.push(violation)
  else found.violationsOmitted++
}

const violationOf = (issue: Leaf, place: Place): Violation => ({
  path: shorten(formatPath(pathOf(place))),
  code: place.isName === true ? "unknown_key" : codeOf(issue, place.value),
  expected: shorten(place.message ?? expectationOf(issue, place.value, place)),
  received: typeOf(issue._tag === "MissingKey" ? undefined : place.value)
})

const pathOf = ({ holder, key }: Place): Path =>
  holder === undefined || key === undefined ? [] : [...pathOf(holder), key]

/** Cuts what is too long; half a surrogate pair at the cut becomes a replacement character. */
const shorten = (text: string): string =>
  text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1).toWellFormed()}…`

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
