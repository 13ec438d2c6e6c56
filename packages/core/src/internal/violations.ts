/** Turns what a codec reports into violations: in a fixed order, bounded, and without any value that was sent. */
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import type { Violation } from "../InvalidInput.ts"
import { InvalidOutput } from "../InvalidOutput.ts"
import type * as JsonGuard from "../JsonGuard.ts"
import { codeOf, expectationOf, type Leaf } from "./explain.ts"
import { Found, only, shorten } from "./found.ts"
import { issueMeant } from "./memberMeant.ts"
import { childOf, formatPath, pathOf, type Step, typeOf } from "./path.ts"
import { hasCheck, messageOf, wholeListPhrase } from "./schemaPhrase.ts"
import * as Sentences from "./sentences.ts"

/** What the output codec reported for what an executor returned. */
export const ofOutput = (issue: SchemaIssue.Issue, output: unknown): InvalidOutput =>
  invalidOutput(ofIssue(issue, { value: output }))

/** What an executor returned is no JSON, or too deep to be written as text. */
export const ofUnfitOutput = (refusal: JsonGuard.Refusal): InvalidOutput =>
  invalidOutput(only({ path: "", code: refusal.code, ...Sentences.refusedOutput(refusal) }))

const invalidOutput = (found: Found): InvalidOutput => {
  const bounded = found.bounded()
  return new InvalidOutput({ message: Sentences.invalidOutput(bounded), ...bounded })
}

/** Where something is wrong: the value there, the way to it, and the schema of what holds it. */
export interface Place extends Step {
  readonly value: unknown
  readonly holder?: Place
  readonly parent?: SchemaAST.AST
  /** The schema of the value. */
  readonly ast?: SchemaAST.AST | undefined
  /** What the author of a check says about everything that it found. */
  readonly message?: string | undefined
  /** What the author of the schema says about what belongs here. */
  readonly description?: string | undefined
}

/** All that an issue says about the value at a place. */
export const ofIssue = (issue: SchemaIssue.Issue, place: Place): Found => {
  const found = new Found()
  walk(issue, place, found)
  return found
}

/** A violation at a place, in words that fit the limits. */
export const violationAt = (
  place: Place,
  { code, expected, hint }: Pick<Violation, "code" | "expected" | "hint">
): Violation => ({
  path: shorten(formatPath(pathOf(place))),
  code,
  expected: shorten(Sentences.described(expected, place.description)),
  received: typeOf(code === "missing" ? undefined : place.value),
  ...(hint === undefined ? {} : { hint: shorten(hint) })
})

/** A plain recursion that adds to `found`: there can be millions of issues. */
const walk = (issue: SchemaIssue.Issue, place: Place, found: Found): void => {
  switch (issue._tag) {
    case "Encoding":
      return walk(issue.issue, place, found)
    case "Pointer":
      return walk(issue.issue, issue.path.reduce(enter, place), found)
    case "Composite":
      return SchemaAST.isArrays(issue.ast)
        ? walkList(issue.issues, issue.ast, place, found)
        : walkAll(issue.issues, { ...place, parent: issue.ast }, found)
    case "Filter":
      if (hasCheck([issue.filter], "isPropertyNames")) return noteKeys(issue, place, found)
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
  holder,
  ast: undefined,
  description: undefined
})

/** Missing keys, then unknown ones, then wrong values; the codec mixes them. */
const walkAll = (issues: ReadonlyArray<SchemaIssue.Issue>, place: Place, found: Found): void => {
  for (const rank of ranks) for (const one of issues) if (rankOf(one) === rank) walk(one, place, found)
}

/** Elements by their index. That there are too few of them is said once, about the list. */
const walkList = (
  issues: ReadonlyArray<SchemaIssue.Issue>,
  ast: SchemaAST.Arrays,
  place: Place,
  found: Found
): void => {
  for (const one of issues) if (rankOf(one) !== 0) walk(one, { ...place, parent: ast }, found)
  if (!issues.some((one) => rankOf(one) === 0)) return
  const expected = place.message ?? wholeListPhrase(ast)
  found.note("check", () => violationAt(place, { code: "check", expected }))
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
  message: place.message ?? messageOf(filter.annotations)
})

/** Names of keys are a matter of the whole object. */
const noteKeys = (issue: SchemaIssue.Filter, place: Place, found: Found): void =>
  found.note("check", () => {
    const { expected, keys } = namesIn(issue.issue, place)
    const hint = keys.length === 0 ? {} : { hint: Sentences.unfitKeys(keys) }
    return violationAt(place, { code: "check", expected: place.message ?? expected, ...hint })
  })

interface Names {
  readonly expected: string
  readonly keys: ReadonlyArray<string>
}

const namesIn = (issue: SchemaIssue.Issue, place: Place): Names => {
  const all = issue._tag === "Composite" ? issue.issues : [issue]
  const keys = all.flatMap((one) => (one._tag === "Pointer" ? formatPath(one.path.slice(0, 1)) : []))
  return { expected: Sentences.keysThatAre(ofIssue(issue, place).bounded().violations[0]?.expected), keys }
}

const note = (issue: Leaf, place: Place, found: Found): void => {
  const code = codeOf(issue, place.value)
  found.note(code, () =>
    violationAt(place, { code, expected: place.message ?? expectationOf(issue, place.value, place) })
  )
}
