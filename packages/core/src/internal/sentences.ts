/** Every sentence of this package that a model reads. */
import type { Violation } from "../InvalidInput.ts"
import type * as JsonGuard from "../JsonGuard.ts"
import { lineAndColumn, type Reason } from "./jsonFault.ts"
import { maxCharacters, maxDepth, maxNodes } from "./jsonLimits.ts"
import type { Warning } from "./repair/warning.ts"

export const validValue = "a valid value"
export const surplusElement = "no further element"
export const exactlyOne = "a value that fits exactly one of the alternatives"
export const notBlank = "text that is not blank"

/** Descriptions are written for the whole tool; a violation has room for the beginning of one. */
const maxDescription = 120

export const described = (expected: string, description: string | undefined): string => {
  if (description === undefined || description === "") return expected
  return `${expected} (${description.length <= maxDescription ? description : cut(description, maxDescription)})`
}

const cut = (text: string, length: number): string => `${text.slice(0, length - 1).toWellFormed()}…`

export const didYouMean = (name: string): string => `Did you mean ${name}?`

export const sentInstead = (key: string): string => `The key ${JSON.stringify(key)} was sent. Was it meant?`

export const keysThatAre = (expected = validValue): string => `keys that are ${expected}`

/** Names of keys that a check refused, as far as there is room for them. */
export const unfitKeys = (keys: ReadonlyArray<string>): string => `These keys do not fit: ${keys.join(", ")}.`

/** Several members differ from what was sent in case alone. */
export const oneOf = (members: ReadonlyArray<string>): string => `exactly one of these spellings: ${members.join(", ")}`

/** Two readings are as good as each other. Neither is named where they may be secret. */
export const eitherOf = (readings: ReadonlyArray<string>): string => {
  const only = "a value that can be read in one way only"
  return readings.length === 0 ? only : `${only}; this could be ${readings.join(" or ")}`
}

export const safeInteger = "an integer that a double holds exactly; send longer identifiers as text"

export const endlessNumber = "The number that was sent is too large to be read."

/** In place of the type of something that was sent only as a part of a text. */
export const insideText = "a value inside text"

export const heldByText = (expected: string): string => `text that holds ${expected}`

/** `patterns` continue the words "a key". */
export const unknownKey = (known: ReadonlyArray<string>, patterns: ReadonlyArray<string>): string => {
  const listed = known.length === 0 ? [] : [`one of the keys ${known.join(", ")}`]
  return [...listed, ...patterns.map((pattern) => `a key ${pattern}`)].join(" or ") || "no keys"
}

type Words = Pick<Violation, "expected" | "received" | "hint">

/** What the guard's limits allow, and what came. */
export const refused = (refusal: JsonGuard.Refusal): Words => {
  switch (refusal.code) {
    case "too_deep":
      return { expected: `at most ${maxDepth} levels of nesting`, received: "more" }
    case "too_large":
      return {
        expected: `at most ${maxNodes} values and ${maxCharacters} characters`,
        received: "more"
      }
    case "not_json":
      return { expected: "JSON", received: refusal.received }
  }
}

/** An output may be of any size. */
export const refusedOutput = (refusal: JsonGuard.Refusal): Words =>
  refusal.code === "not_json"
    ? { expected: "JSON", received: refusal.received }
    : { expected: "a value that can be written as text", received: "one that is nested too deeply" }

const complexity: Words = {
  expected: "arguments that can be checked in reasonable time",
  received: "too many possible readings; send a smaller or less deeply nested value"
}

/** Why a repair was given up. */
export const stopped = (code: "too_complex" | "too_deep" | "too_large"): Words =>
  code === "too_complex" ? complexity : refused({ code })

/** Why a text could not be read as arguments. */
export const unreadable = (text: string, reason: Reason): Words => {
  switch (reason.code) {
    case "truncated":
      return {
        expected: "one complete JSON object",
        received: `text that ends too early, at ${lineAndColumn(text, reason.position)}`,
        hint: "The call was cut off, and nothing of it ran. Send long content in several smaller calls."
      }
    case "concatenated":
      return {
        expected: "one JSON object",
        received: `another object at ${lineAndColumn(text, reason.position)}`,
        hint: "Make a call of its own for each."
      }
    case "unparseable":
      return {
        expected: "one JSON object",
        received: `text that is not JSON at ${lineAndColumn(text, reason.position)}`
      }
    case "duplicate_key":
      return { expected: "each key once", received: "the same key again" }
    default:
      return refused(reason)
  }
}

export interface Bounded {
  readonly violations: ReadonlyArray<Violation>
  readonly violationsOmitted: number
}

/** What is wrong, what was repaired nevertheless, and what would fit. */
export const invalidInput = (
  bounded: Bounded,
  warnings: ReadonlyArray<Warning>,
  warningsOmitted: number,
  example: string | undefined
): string =>
  [
    lines("The arguments do not fit this tool, so it did not run. Mend them and call again:", "the arguments", bounded),
    ...warningLines(warnings.map(repair), warningsOmitted),
    ...(example === undefined ? [] : [`Arguments that fit, for example: ${example}`])
  ].join("\n")

export const invalidOutput = (bounded: Bounded): string =>
  lines("The executor returned a value that does not fit the tool's output schema:", "the output", bounded)

/** `whole` is what an empty path stands for. */
const lines = (heading: string, whole: string, { violations, violationsOmitted }: Bounded): string => {
  const omitted = violationsOmitted === 0 ? [] : [`- and ${violationsOmitted} more`]
  return [heading, ...violations.map((violation) => line(violation, whole)), ...omitted].join("\n")
}

const line = ({ code, expected, hint, path, received }: Violation, whole: string): string => {
  const subject = path === "" ? `- ${whole}` : `- ${path}`
  const advice = hint === undefined ? "" : `. ${hint}`
  if (code === "missing") return `${subject}: missing; expected ${expected}${advice}`
  if (code === "unknown_key") return `${subject}: unknown key; expected ${expected}${advice}`
  return `${subject}: expected ${expected}; received ${received}${advice}`
}

/** More would not be read. */
const maxWarningLines = 8

/** What a model is told about warnings: the first few, then how many more there are. */
export const warningLines = (sentences: ReadonlyArray<string>, omitted: number): ReadonlyArray<string> => {
  const more = sentences.length - maxWarningLines + omitted
  const count = sentences.length <= maxWarningLines && omitted === 0 ? [] : [omittedWarnings(more)]
  return [...sentences.slice(0, maxWarningLines), ...count]
}

export const omittedWarnings = (count: number): string => `And ${count} more remarks like these.`

/** What was read and what to send the next time. */
export const repair = (warning: Warning): string => {
  const subject = warning.path === "" ? "The arguments" : `Argument \`${warning.path}\``
  return `${subject}: ${repairs[warning.kind](warning.from ?? "nothing", warning.to ?? "nothing")}.`
}

type Sentence = (from: string, to: string) => string

const jsonOnly = "send plain JSON"

const repairs: Readonly<Record<Warning["kind"], Sentence>> = {
  number_from_string: (from, to) => `the text ${from} was read as the number ${to}; send a JSON number`,
  boolean_from_string: (from, to) => `the text ${from} was read as ${to}; send a JSON boolean`,
  null_from_string: (from) => `the text ${from} was read as null; send a JSON null`,
  enum_case: (from, to) => `${from} was read as ${to}; send that spelling`,
  enum_unquoted: (from, to) => `${from} was read as ${to}; send it without the inner quotes`,
  array_from_string: (from, to) => `the text ${from} was read as the list ${to}; send a JSON list`,
  object_from_string: (from, to) => `the text ${from} was read as the object ${to}; send a JSON object`,
  blank_dropped: () => "the blank text was left out; leave out what you do not use",
  null_dropped: (from) => `${from} was left out; leave out what you do not use`,
  unwrapped: (from, to) => `${from} was read as ${to}; send the arguments without anything around them`,
  key_spelling: (from, to) => `the key ${from} was read as ${to}; send that spelling`,
  alias: (from, to) => `the key ${from} was read as ${to}; send that name`,
  wrapped_single: (from, to) => `${from} was read as the list ${to}; send a JSON list`,
  stringified: (from) => `${from} was written as text; send a JSON string`,
  empty_arguments: () => "nothing was sent, which was read as {}; send a JSON object",
  entities_decoded: () => `entities of HTML were decoded; ${jsonOnly}, with the characters themselves`,
  double_encoded: () => "JSON text inside JSON text was read; send the object itself",
  code_fence: () => "the code fence was left out; send JSON without one",
  bom: () => "the byte order mark was left out; send JSON without one",
  outer_whitespace: () => `white space that JSON does not know was left out; ${jsonOnly}`,
  single_quotes: () => `strings in single quotes were read; ${jsonOnly}, with double quotes`,
  unquoted_key: () => `keys without quotes were read; ${jsonOnly}, with double quotes`,
  trailing_comma: () => `a comma before a closing bracket was left out; ${jsonOnly}`,
  comment: () => `a comment was left out; ${jsonOnly}`,
  python_constant: () => `True, False or None was read as true, false or null; ${jsonOnly}`,
  raw_control_character: () => `control characters inside a string were kept; ${jsonOnly}, with escapes for them`,
  bad_escape: () => `a backslash that escapes nothing was kept; ${jsonOnly}, with \\\\ for a backslash`,
  escaped_whitespace: () => `\\n, \\r or \\t between values was read as white space; ${jsonOnly}`,
  extra_closer: () => `closing brackets too many were left out; ${jsonOnly}`,
  leading_empty_object: () => "an empty object before the arguments was left out; send one object",
  duplicated_object: () => "the same object was sent twice and read once; send one object",
  trailing_text: () => `text after the arguments was left out; ${jsonOnly}`
}

/** What a person wants instead of what they refused. */
export const feedback = (text: string): string => `The user says: ${text}`

/** Which argument a failure is about. */
export const faultyArgument = (field: string): string => `Argument: ${field}`

/** What a failure says besides, as data. */
export const failureDetails = (json: string): string => `Details: ${json}`

/** What a call had produced when it failed. */
export const partialOutput = (text: string): string => `Output until then:\n${text}`
/** Issues of a validator come with messages of their own. */
export const invalidArguments = (messages: ReadonlyArray<string>): string =>
  ["The arguments do not fit.", ...messages].join("\n")
