/** Why the arguments of a call did not become a tool's input. The executor has not run. */
import * as Schema from "effect/Schema"
import { Warning } from "./internal/repair/warning.ts"

/** Enough for a model to mend a call in one go; a longer list is a different call. */
export const maxViolations = 32

/** Of each text in a violation. Paths and expectations are short; what is longer is somebody's data. */
export const maxTextLength = 200

/** Of all violations together, as JSON. */
export const maxBytes = 8 * 1024

/** What is wrong, as a closed set of words that programs may decide on. */
export const Code = Schema.Literals([
  "missing",
  "unknown_key",
  "type:integer",
  "type:number",
  "type:boolean",
  "type:string",
  "type:array",
  "type:object",
  "type:null",
  "enum",
  "range",
  "unsafe_integer",
  "check",
  "anyOf",
  "ambiguous",
  "not_object",
  "not_json",
  "truncated",
  "concatenated",
  "unparseable",
  "duplicate_key",
  "too_large",
  "too_deep",
  "too_complex"
])
export type Code = typeof Code.Type

/** One thing that is wrong with the arguments. */
export const Violation = Schema.Struct({
  /** `a.b[2].c`, odd keys as `a["x.y"]`; empty for the arguments as a whole. */
  path: Schema.String,
  code: Code,
  expected: Schema.String,
  /** The type of what was sent, never its value. */
  received: Schema.String,
  /** What was probably meant, or what to do next. */
  hint: Schema.optionalKey(Schema.String)
})
export type Violation = typeof Violation.Type

/**
 * All violations in a fixed order: at every object missing keys, then unknown keys, then wrong values. They quote a value
 * only where it has two readings and neither may be secret. The words of an author's own check or annotation pass
 * through, cut to the limit: a check that puts the value into its message shows it.
 */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  /** For the model: what happened, then each violation on a line of its own. */
  message: Schema.String,
  violations: Schema.Array(Violation),
  /** How many more there were than the limits let through. */
  violationsOmitted: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** What had been repaired before it became clear that not everything can be. */
  warnings: Schema.Array(Warning),
  warningsOmitted: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
}) {
  /** Path of the first violation; null when no field is to blame. */
  get field(): string | null {
    return this.violations[0]?.path || null
  }

  /** What was expected there. */
  get expected(): string | null {
    return this.violations[0]?.expected ?? null
  }
}
