/** Why a tool cannot be registered, in words for its author. */
import * as JsonGuard from "../JsonGuard.ts"
import { maxLength as maxNameLength } from "../ToolName.ts"
import type { Refusal } from "./refusal.ts"
import { refused } from "./sentences.ts"

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
