/** What the rules of all providers are written with: looks at JSON of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}

export const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.map(objectOf) : [])

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const isBlank = (value: unknown): boolean => textOf(value).trim() === ""

export const isJsonObjectText = (value: unknown): boolean => {
  try {
    const parsed: unknown = JSON.parse(textOf(value))
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
  } catch {
    return false
  }
}

export const duplicates = (ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.filter((id, index) => ids.indexOf(id) !== index)

export const isSame = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left.length === right.length && left.every((id) => right.includes(id))

/** Texts anywhere that a provider's parser would refuse. */
export const malformedTexts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.isWellFormed() ? [] : ["a text has half a surrogate pair"]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(malformedTexts)
}
