/** Where a part of a tool's arguments is in what the model sent in a dialect, so that it reads of places that it knows. */
import type * as Schema from "effect/Schema"
import { entryKey, entryValue, type Field, type Named, type Reading, restKey, same } from "./dialectReading.ts"
import { alternativeFor } from "./readDialect.ts"
import { isJsonObject } from "./shape.ts"

type Path = ReadonlyArray<string | number>
type Sent = Schema.Json | undefined

/** The same path where the model sent the tool's own form, or where nothing was sent. */
export const placeIn = (reading: Reading, value: Sent, path: Path, named: Named): Path => {
  const [step, ...rest] = path
  if (step === undefined || value === undefined) return path
  switch (reading._tag) {
    case "Same":
    case "Text":
    case "Labels":
      return path
    case "Items":
      return Array.isArray(value) ? [step, ...placeIn(reading.items, value[Number(step)], rest, named)] : path
    case "Fields":
      return isJsonObject(value) ? placeOfProperty(reading, value, path, named) : path
    case "Entries":
      return Array.isArray(value) ? placeOfEntry(reading.value, value, path, named) : path
    case "Positions":
      return isJsonObject(value) ? placeOfElement(reading, value, path, named) : path
    case "Options":
      return isJsonObject(value) ? placeInOption(reading.options, value, path, named) : path
    case "Alternatives":
      return placeIn(alternativeFor(reading.alternatives, value), value, path, named)
    case "Named":
      return placeIn(named.get(reading.name) ?? same, value, path, named)
  }
}

type Of<Tag extends Reading["_tag"]> = Extract<Reading, { readonly _tag: Tag }>

const placeOfProperty = ({ fields, rest }: Of<"Fields">, value: Schema.JsonObject, path: Path, named: Named): Path => {
  const [name = "", ...inside] = path
  for (const [key, field] of fields) {
    if (field.name === name) return [key, ...placeIn(field.reading, value[key], inside, named)]
    if (field.isSpread && hasEntry(value[key], name)) return [key, ...placeIn(field.reading, value[key], path, named)]
  }
  return [name, ...placeIn(rest, value[name], inside, named)]
}

const hasEntry = (entries: Sent, key: string | number): boolean => Array.isArray(entries) && indexOf(entries, key) >= 0

const indexOf = (entries: ReadonlyArray<Schema.Json>, key: string | number): number =>
  entries.findIndex((entry) => isJsonObject(entry) && entry[entryKey] === key)

/** An entry that is not there is a matter of the list. */
const placeOfEntry = (reading: Reading, entries: ReadonlyArray<Schema.Json>, path: Path, named: Named): Path => {
  const [key = "", ...inside] = path
  const index = indexOf(entries, key)
  const entry = entries[index]
  if (entry === undefined || !isJsonObject(entry)) return []
  return [index, entryValue, ...placeIn(reading, entry[entryValue], inside, named)]
}

const placeOfElement = (
  { fields, rest }: Of<"Positions">,
  value: Schema.JsonObject,
  path: Path,
  named: Named
): Path => {
  const [index = 0, ...inside] = path
  const position: readonly [string, Field] | undefined = [...fields][Number(index)]
  if (position !== undefined) return [position[0], ...placeIn(position[1].reading, value[position[0]], inside, named)]
  const others = value[restKey]
  const at = Number(index) - fields.size
  return [restKey, at, ...placeIn(rest, Array.isArray(others) ? others[at] : undefined, inside, named)]
}

const placeInOption = (
  options: ReadonlyMap<string, Reading>,
  value: Schema.JsonObject,
  path: Path,
  named: Named
): Path => {
  const [key = ""] = Object.keys(value)
  const reading = options.get(key)
  return reading === undefined ? path : [key, ...placeIn(reading, value[key], path, named)]
}
