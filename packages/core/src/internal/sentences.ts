/** Every sentence of this package that a model or the author of a tool reads. */
import type { Violation } from "../InvalidInput.ts"
import * as JsonGuard from "../JsonGuard.ts"
import { maxLength as maxNameLength } from "../ToolName.ts"
import type { Refusal } from "./refusal.ts"

export const validValue = "a valid value"
export const surplusElement = "no further element"
export const exactlyOne = "a value that fits exactly one of the alternatives"

export const safeInteger = "an integer that a double holds exactly; send longer identifiers as text"

/** In place of the type of something that was sent only as a part of a text. */
export const insideText = "a value inside text"

export const heldByText = (expected: string): string => `text that holds ${expected}`

/** `patterns` continue the words "a key". */
export const unknownKey = (known: ReadonlyArray<string>, patterns: ReadonlyArray<string>): string => {
  const listed = known.length === 0 ? [] : [`one of the keys ${known.join(", ")}`]
  return [...listed, ...patterns.map((pattern) => `a key ${pattern}`)].join(" or ") || "no keys"
}

/** What the guard's limits allow, and what came. */
export const refused = (refusal: JsonGuard.Refusal): Pick<Violation, "expected" | "received"> => {
  switch (refusal.code) {
    case "too_deep":
      return { expected: `at most ${JsonGuard.maxDepth} levels of nesting`, received: "more" }
    case "too_large":
      return {
        expected: `at most ${JsonGuard.maxNodes} values and ${JsonGuard.maxCharacters} characters`,
        received: "more"
      }
    case "not_json":
      return { expected: "JSON", received: refusal.received }
  }
}

/** An output may be of any size. */
export const refusedOutput = (refusal: JsonGuard.Refusal): Pick<Violation, "expected" | "received"> =>
  refusal.code === "not_json"
    ? { expected: "JSON", received: refusal.received }
    : { expected: "a value that can be written as text", received: "one that is nested too deeply" }

export const complexity: Pick<Violation, "expected" | "received"> = {
  expected: "arguments that can be checked in reasonable time",
  received: "too many possible readings; send a smaller or less deeply nested value"
}

export interface Bounded {
  readonly violations: ReadonlyArray<Violation>
  readonly violationsOmitted: number
}

export const invalidInput = (bounded: Bounded): string =>
  lines("The arguments do not fit this tool, so it did not run. Mend them and call again:", "the arguments", bounded)

export const invalidOutput = (bounded: Bounded): string =>
  lines("The executor returned a value that does not fit the tool's output schema:", "the output", bounded)

/** `whole` is what an empty path stands for. */
const lines = (heading: string, whole: string, { violations, violationsOmitted }: Bounded): string => {
  const omitted = violationsOmitted === 0 ? [] : [`- and ${violationsOmitted} more`]
  return [heading, ...violations.map((violation) => line(violation, whole)), ...omitted].join("\n")
}

const line = ({ code, expected, path, received }: Violation, whole: string): string => {
  const subject = path === "" ? `- ${whole}` : `- ${path}`
  if (code === "missing") return `${subject}: missing; expected ${expected}`
  if (code === "unknown_key") return `${subject}: unknown key; expected ${expected}`
  return `${subject}: expected ${expected}; received ${received}`
}

/** Why a tool cannot be registered, for its author. */
export const unsafeNumber = (path: string): Refusal => ({
  reason: "UnsafeNumber",
  message: `Schema.Number${at(path)} admits the texts "NaN" and "Infinity". Use Schema.Finite or Schema.Int.`
})

export const noJsonForm = (path: string): Refusal => ({
  reason: "NotJson",
  message: `The schema${at(path)} has no JSON form. Use one that encodes to JSON, or annotate it with toCodecJson.`
})

export const notJson = (cause: unknown): Refusal => ({
  reason: "NotJson",
  message: `The schema cannot be described as JSON Schema: ${messageOf(cause)}`
})

export const inputNotObject: Refusal = {
  reason: "InputNotObject",
  message: "The input's JSON Schema is not an object at its root. Use Schema.Struct, a class or a union of these."
}

export const inputSchemaNotObject: Refusal = {
  reason: "InputNotObject",
  message: 'The input schema is not an object at its root. Give it the type "object" there.'
}

export const tooLargeSchema = (limit: number): Refusal => ({
  reason: "TooLarge",
  message:
    `Written out, the JSON Schema has more than ${limit} values or ${JsonGuard.maxCharacters} characters, ` +
    "which no model could make use of. Split the tool, or leave parts of the schema open."
})

export const endlessSchema: Refusal = {
  reason: "EndlessSchema",
  message: "The schema refers to itself without an object or a list in between, so no value could ever be checked."
}

export const invalidOptions = (detail: string): Refusal => ({
  reason: "InvalidOptions",
  message: `The tool was made from options that are not valid: ${detail}`
})

export const notATool: Refusal = {
  reason: "NotATool",
  message: "The value is not a tool. Register what Tool.make returned."
}

export const copiedTool: Refusal = {
  reason: "CopiedTool",
  message: "The value looks like a copy of a tool. A spread or a clone is not one: register what Tool.make returned."
}

export const foreignTool: Refusal = {
  reason: "ForeignTool",
  message:
    "The tool was made by another copy of @haft/core in this process. Install one copy and make the tool with it."
}

export const invalidName: Refusal = {
  reason: "InvalidName",
  message: `A tool's name is a letter, then letters, digits, "_" or "-", ${maxNameLength} characters at most.`
}

/** A name that is no name can be of any length. */
export const shownName = (name: string): string =>
  name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).toWellFormed()}…`

export const invalidAnnotations = (detail: string): Refusal => ({
  reason: "InvalidAnnotations",
  message: `The annotations are not valid: ${detail}`
})

export const unreadableSchema = (cause: JsonGuard.Refusal): Refusal => {
  const { expected, received } = refused(cause)
  return unsupported(`expected ${expected}, received ${received}`)
}

/** `expected` continues the words "has to be". */
export const unfitKeyword = (keyword: string, path: string, expected: string): Refusal =>
  unsupported(`"${keyword}"${at(path)} has to be ${expected}`)

export const unknownDialect = (dialect: unknown): Refusal =>
  unsupported(`its $schema is ${JSON.stringify(dialect)}; draft 2020-12 and draft-07 are understood`)

/** Effect's message names the keyword and its path. */
export const unsupportedSchema = (cause: unknown): Refusal => unsupported(messageOf(cause))

/** Details name keys of the schema, which can be of any length. */
const maxDetailLength = 500

const unsupported = (detail: string): Refusal => {
  const shown = detail.length <= maxDetailLength ? detail : `${detail.slice(0, maxDetailLength).toWellFormed()}…`
  return { reason: "UnsupportedSchema", message: `The JSON Schema cannot be honoured: ${shown}` }
}

export const notASchema: Refusal = unsupported("it is not an object")

export const costlySchema: Refusal = unsupported(
  "what allOf, anyOf, oneOf and $ref demand of one value combines in too many ways; demand it in one place"
)

export const unreachable = (path: string): Refusal => ({
  reason: "UnsupportedSchema",
  message: `No value could ever fit the schema${at(path)}. Is a required key not among the declared ones?`
})

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const at = (path: string): string => (path === "" ? "" : ` at ${path}`)
