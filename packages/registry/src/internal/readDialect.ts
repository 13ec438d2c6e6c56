/**
 * Turns arguments in a provider's dialect into arguments of the tool. Only what has exactly the form that the dialect
 * asks for is changed; everything else goes on as it came, so that the tool's own codec judges it.
 */
import * as JsonText from "@haft/core/JsonText"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { hasForm } from "./dialectForm.ts"
import {
  type Alternative,
  entryKey,
  entryValue,
  type Field,
  type Named,
  type Reading,
  restKey,
  same
} from "./dialectReading.ts"
import { isJsonObject } from "./shape.ts"

/** Expects a value that the guard let through: no deeper than it allows, and nothing but JSON. */
export const read = (reading: Reading, value: Schema.Json, named: Named): Schema.Json => {
  const result = attempt(reading, value, named)
  return result === undefined ? value : result
}

/** Nothing if the value does not have the form that the dialect asks for. */
type Attempted = Schema.Json | undefined

const attempt = (reading: Reading, value: Schema.Json, named: Named): Attempted => {
  switch (reading._tag) {
    case "Same":
      return value
    case "Items":
      return Array.isArray(value) ? value.map((item: Schema.Json) => read(reading.items, item, named)) : undefined
    case "Fields":
      return isJsonObject(value) ? readFields(reading.fields, reading.rest, value, named) : undefined
    case "Entries":
      return readEntries(reading.value, value, named)
    case "Positions":
      return isJsonObject(value) ? readPositions(reading.fields, reading.rest, value, named) : undefined
    case "Text":
      return typeof value === "string" ? Result.getOrUndefined(JsonText.read(value)) : undefined
    case "Labels":
      return typeof value === "string" ? reading.members.get(value) : undefined
    case "Options":
      return isJsonObject(value) ? readOption(reading.options, value, named) : undefined
    case "Alternatives":
      return read(alternativeFor(reading.alternatives, value), value, named)
    case "Named":
      return read(named.get(reading.name) ?? same, value, named)
  }
}

/** Nobody knows which of two values for one property is meant. */
const readFields = (fields: Fields, rest: Reading, value: Schema.JsonObject, named: Named): Attempted => {
  const properties = new Properties()
  for (const [key, child] of Object.entries(value)) {
    const field = fields.get(key)
    const isTaken =
      field === undefined ? !properties.add(key, read(rest, child, named)) : !addField(properties, field, child, named)
    if (isTaken) return undefined
  }
  return properties.object
}

type Fields = ReadonlyMap<string, Field>

const addField = (properties: Properties, field: Field, value: Schema.Json, named: Named): boolean => {
  if (field.name === undefined && !field.isSpread) return true
  const result = readField(field, value, named)
  if (result === undefined) return true
  if (field.name !== undefined) return properties.add(field.name, result)
  return isJsonObject(result) && Object.entries(result).every(([key, one]) => properties.add(key, one))
}

/** Nothing for a property that is left out. */
const readField = (field: Field, value: Schema.Json, named: Named): Attempted => {
  if (value === null && field.nullIsAbsent) return undefined
  return field.nullKey !== undefined && isNullItself(value, field.nullKey) ? null : read(field.reading, value, named)
}

const isNullItself = (value: Schema.Json, key: string): boolean =>
  isJsonObject(value) && Object.keys(value).length === 1 && value[key] === null

/** An object under construction. It inherits nothing, so that a key may have any name. */
class Properties {
  readonly object: Record<string, Schema.Json> = Object.create(null)

  /** False if there is one of this name. */
  add(name: string, value: Schema.Json): boolean {
    if (name in this.object) return false
    this.object[name] = value
    return true
  }
}

const readEntries = (reading: Reading, value: Schema.Json, named: Named): Attempted => {
  if (!Array.isArray(value)) return undefined
  const properties = new Properties()
  for (const entry of value)
    if (!isEntry(entry) || !properties.add(entry.key, read(reading, entry.value, named))) return undefined
  return properties.object
}

const isEntry = (value: Schema.Json): value is { readonly key: string; readonly value: Schema.Json } =>
  isJsonObject(value) &&
  Object.keys(value).length === 2 &&
  typeof value[entryKey] === "string" &&
  value[entryValue] !== undefined

/** Elements come one after the other: after one that is left out there can be no other. */
const readPositions = (fields: Fields, rest: Reading, value: Schema.JsonObject, named: Named): Attempted => {
  if (Object.keys(value).some((key) => key !== restKey && !fields.has(key))) return undefined
  const results = [...fields].map(([key, field]) => {
    const child = value[key]
    return child === undefined ? undefined : readField(field, child, named)
  })
  const end = results.indexOf(undefined)
  const elements = end < 0 ? results : results.slice(0, end)
  const others = value[restKey] ?? []
  if (!Array.isArray(others) || results.slice(elements.length).some((result) => result !== undefined)) return undefined
  if (others.length > 0 && elements.length < fields.size) return undefined
  return [
    ...elements.flatMap((element) => (element === undefined ? [] : [element])),
    ...others.map((item) => read(rest, item, named))
  ]
}

const readOption = (options: ReadonlyMap<string, Reading>, value: Schema.JsonObject, named: Named): Attempted => {
  const [key, ...others] = Object.keys(value)
  const reading = key === undefined || others.length > 0 ? undefined : options.get(key)
  const content = key === undefined ? undefined : value[key]
  return reading === undefined || content === undefined ? undefined : read(reading, content, named)
}

export const alternativeFor = (alternatives: ReadonlyArray<Alternative>, value: Schema.Json): Reading =>
  alternatives.find(({ forms }) => forms.some((form) => hasForm(value, form)))?.reading ?? same
