/** What repair does to arguments, as a closed set of words with the level from which each is on. */
import * as Schema from "effect/Schema"

export const Level = Schema.Literals(["strict", "contract", "default"])
export type Level = typeof Level.Type

/** The lower of two levels: nobody can ask for more than the other allows. */
export const lower = (left: Level, right: Level): Level =>
  Level.literals.indexOf(left) < Level.literals.indexOf(right) ? left : right

export const Kind = Schema.Literals([
  "number_from_string",
  "boolean_from_string",
  "null_from_string",
  "enum_case",
  "enum_unquoted",
  "array_from_string",
  "object_from_string",
  "blank_dropped",
  "null_dropped",
  "unwrapped",
  "key_spelling",
  "alias",
  "wrapped_single",
  "stringified",
  "empty_arguments",
  "entities_decoded",
  "double_encoded",
  "code_fence",
  "bom",
  "outer_whitespace",
  "single_quotes",
  "unquoted_key",
  "trailing_comma",
  "comment",
  "python_constant",
  "raw_control_character",
  "bad_escape",
  "escaped_whitespace",
  "extra_closer",
  "leading_empty_object",
  "duplicated_object",
  "trailing_text"
])
export type Kind = typeof Kind.Type

/** Everything else is on from the level `default`. What an author has to ask for is on wherever anything is. */
const fromContract: ReadonlySet<Kind> = new Set<Kind>([
  "number_from_string",
  "boolean_from_string",
  "null_from_string",
  "enum_case",
  "array_from_string",
  "object_from_string",
  "blank_dropped",
  "unwrapped",
  "alias",
  "wrapped_single",
  "stringified"
])

export const isOn = (level: Level, kind: Kind): boolean =>
  level === "default" || (level === "contract" && fromContract.has(kind))

/** What a reading costs. Of several the cheapest is the one that was meant; what nested ones cost adds up. */
export const costs = {
  /** Exactly what JSON would have carried, or the declared spelling. */
  plain: 1,
  /** A weaker word, spaces around it, another name for a key. */
  loose: 2,
  /** The value gets another shape. */
  reshaped: 3
}

export const Warning = Schema.Struct({
  /** As in violations: the path after the repair, empty for the arguments as a whole. */
  path: Schema.String,
  kind: Kind,
  /** What was sent, as compact JSON that may be cut; of a renamed key its old name; null where nothing was sent. */
  from: Schema.NullOr(Schema.String),
  /** What it was read as, in the same form; null where it was left out. */
  to: Schema.NullOr(Schema.String)
})
export type Warning = typeof Warning.Type

/** More repairs than any honest call needs. */
export const maxWarnings = 64

/** A warning that is put into words only if somebody is going to read it. */
export type Tell = () => Warning

/** What was repaired on the way to one value. */
export interface Warnings {
  readonly list: ReadonlyArray<Tell>
  readonly omitted: number
}

export const noWarnings: Warnings = { list: [], omitted: 0 }

export const told = ({ list }: Warnings): ReadonlyArray<Warning> => list.map((tell) => tell())

/** One after the other, as far as there is room. */
export const join = (...all: ReadonlyArray<Warnings>): Warnings => {
  const filled = all.filter(({ list }) => list.length > 0)
  if (filled.length < 2) return filled[0] ?? noWarnings
  const list = filled.flatMap((one) => one.list)
  const omitted = filled.reduce((sum, one) => sum + one.omitted, 0)
  return { list: list.slice(0, maxWarnings), omitted: omitted + Math.max(0, list.length - maxWarnings) }
}
