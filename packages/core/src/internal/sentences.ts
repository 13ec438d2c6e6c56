/** Every sentence of this package that a model or the author of a tool reads. */
import type { Violation } from "../InvalidInput.ts"
import * as JsonGuard from "../JsonGuard.ts"
import { maxLength as maxNameLength } from "../ToolName.ts"
import type { Refusal } from "./refusal.ts"

export const validValue = "a valid value"
export const surplusElement = "no further element"
export const exactlyOne = "a value that fits exactly one of the alternatives"

export const safeInteger = "an integer that a double holds exactly; send longer identifiers as text"

export const unknownKey = (known: ReadonlyArray<string>): string =>
  known.length === 0 ? "no keys" : `one of the keys ${known.join(", ")}`

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

export interface Bounded {
  readonly violations: ReadonlyArray<Violation>
  readonly violationsOmitted: number
}

export const invalidInput = (bounded: Bounded): string =>
  lines("The arguments do not fit this tool, so it did not run. Mend them and call again:", bounded)

export const invalidOutput = (bounded: Bounded): string =>
  lines("The executor returned a value that does not fit the tool's output schema:", bounded)

const lines = (heading: string, { violations, violationsOmitted }: Bounded): string =>
  [heading, ...violations.map(line), ...(violationsOmitted === 0 ? [] : [`- and ${violationsOmitted} more`])].join("\n")

const line = ({ code, expected, path, received }: Violation): string => {
  const subject = path === "" ? "- the arguments" : `- ${path}`
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

export const endlessSchema: Refusal = {
  reason: "EndlessSchema",
  message: "The schema refers to itself without an object or a list in between, so no value could ever be checked."
}

export const ambiguousSchema: Refusal = {
  reason: "AmbiguousSchema",
  message:
    "The input nests alternatives with the same keys, so that a wrong value could be tried in thousands of ways. " +
    "Give each alternative a required literal, such as a kind, that tells them apart."
}

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

export const unknownDialect = (dialect: unknown): Refusal =>
  unsupported(`its $schema is ${JSON.stringify(dialect)}; draft 2020-12 and draft-07 are understood`)

/** Effect's message names the keyword and its path. */
export const unsupportedSchema = (cause: unknown): Refusal => unsupported(messageOf(cause))

const unsupported = (detail: string): Refusal => ({
  reason: "UnsupportedSchema",
  message: `The JSON Schema cannot be honoured: ${detail}`
})

export const unreachable = (path: string): Refusal => ({
  reason: "UnsupportedSchema",
  message: `No value could ever fit the schema${at(path)}. Is a required key not among the declared ones?`
})

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const at = (path: string): string => (path === "" ? "" : ` at ${path}`)
