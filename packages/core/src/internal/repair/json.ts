/** Small questions about JSON values. Expects values that a guard let through, so that recursion is bounded. */
import type * as Schema from "effect/Schema"

export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether two values are equal, whatever the order of keys. */
export const sameJson = (left: Schema.Json | undefined, right: Schema.Json | undefined): boolean => {
  if (left === right) return true
  if (Array.isArray(left)) return Array.isArray(right) && sameItems(left, right)
  return isObject(left) && isObject(right) && sameEntries(left, right)
}

const sameItems = (left: ReadonlyArray<Schema.Json>, right: ReadonlyArray<Schema.Json>): boolean =>
  left.length === right.length && left.every((item, index) => sameJson(item, right[index]))

const sameEntries = (left: Schema.JsonObject, right: Schema.JsonObject): boolean => {
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  )
}

/** Empty, or nothing but white space. */
export const isBlank = (text: string): boolean => text.trim() === ""

/** Letters of ASCII only: other alphabets change their length, or meet letters of ASCII. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** As JSON, compact, cut where it is longer. Looks at no more of the value than it shows. */
export const preview = (value: Schema.Json): string => {
  const shown = written(value, maxPreview + 1)
  return shown.length <= maxPreview ? shown : `${shown.slice(0, maxPreview - 1).toWellFormed()}…`
}

/** Enough to recognise what was sent. */
const maxPreview = 80

const written = (value: Schema.Json, room: number): string => {
  if (typeof value === "string") return JSON.stringify(value.slice(0, room))
  if (Array.isArray(value)) return writtenList(value, room)
  return isObject(value) ? writtenObject(value, room) : String(value)
}

const writtenList = (list: ReadonlyArray<Schema.Json>, room: number): string => {
  let text = "["
  for (const item of list) {
    if (text.length > room) return text
    text += `${text === "[" ? "" : ","}${written(item, room - text.length)}`
  }
  return `${text}]`
}

const writtenObject = (object: Schema.JsonObject, room: number): string => {
  let text = "{"
  for (const key in object) {
    if (text.length > room) return text
    const name = JSON.stringify(key.slice(0, room))
    text += `${text === "{" ? "" : ","}${name}:${written(object[key] ?? null, room - text.length - name.length)}`
  }
  return `${text}}`
}
