/**
 * Permission rules: what may be done to what, told by patterns. The last rule that matches decides; where none does, a
 * person is asked.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { patternFault } from "./internal/patternFault.ts"
import { faultsOf } from "./internal/schemaFaults.ts"
import * as Sentences from "./internal/sentences.ts"

const Pattern = Schema.String.check(Schema.makeFilter(patternFault))

/**
 * `deny` refuses, `allow` grants, and `ask` leaves it to a person. In both patterns `*` stands for any characters, also
 * none and also `/`; `?` for exactly one, also `/`; `\` takes the meaning of the next character away. Signs of other
 * languages of patterns are refused: read literally, a rule would not do what it says.
 */
export const Rule = Schema.Struct({
  action: Pattern,
  resource: Pattern,
  effect: Schema.Literals(["allow", "deny", "ask"])
})
export type Rule = typeof Rule.Type

/** What a person answered `always`: this very action is allowed on what the pattern matches. */
export const Saved = Schema.Struct({ action: Schema.String, resource: Schema.String })
export type Saved = typeof Saved.Type

/** One or more rules are wrong, and none of them counts. */
export class InvalidRulesError extends Schema.TaggedError<InvalidRulesError>()("Rule.InvalidRulesError", {
  /** For the author: every fault, and what to write instead. */
  message: Schema.String,
  faults: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

const decodeRules = Schema.decodeUnknownResult(Schema.Array(Rule), { errors: "all", onExcessProperty: "error" })

/** Rules from a configuration. */
export const decode = (rules: unknown): Result.Result<ReadonlyArray<Rule>, InvalidRulesError> =>
  Result.mapError(decodeRules(rules), ({ issue }) => {
    const faults = faultsOf(issue)
    return new InvalidRulesError({ message: Sentences.invalidRules(faults), faults })
  })
