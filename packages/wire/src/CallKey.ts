/** Ids of a call that are derived from it, the same wherever they are derived. */
import type * as Schema from "effect/Schema"
import { bytesOf, sha1, sha256, utf8 } from "./internal/sha.ts"

/** JSON as RFC 8785 fixes it: keys in the order of their UTF-16 units, no space, numbers as JavaScript writes them. */
export const canonical = (value: Schema.Json): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonical).join(",")}]`
  // Without a comparison, texts are sorted by their UTF-16 units.
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`)
  return `{${members.join(",")}}`
}

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

/** What makes two calls the same call. */
export interface Parts {
  readonly toolId: string
  readonly fn: string
  /** Decoded: spelling and the order of keys have gone by then. */
  readonly input: Schema.Json
  readonly versionRange: string
}

/** 64 hex digits. Two calls have the same key exactly when they ask for the same thing. */
export const idempotencyKey = ({ fn, input, toolId, versionRange }: Parts): string =>
  sha256(utf8(canonical([toolId, fn, input, versionRange])))

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Of any version. */
export const isUuid = (text: string): boolean => uuid.test(text)

/** RFC 4122 gives it to names that are URLs. */
const urlNamespace = bytesOf("6ba7b8119dad11d180b400c04fd430c8")

/** For contracts that want call ids in uuid form: the id itself, or a uuid that anyone can derive from it. */
export const toUuid = (callId: string): string => {
  if (isUuid(callId)) return callId
  const name = utf8(`haft:call:${callId}`)
  const message = new Uint8Array([...urlNamespace, ...name])
  return dashed(versioned(sha1(message).slice(0, 32)))
}

/** Marks 32 hex digits as version 5 of the usual variant. */
const versioned = (hex: string): string => {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 12)}5${hex.slice(13, 16)}${variant}${hex.slice(17)}`
}

/** 32 hex digits in uuid form. */
export const dashed = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
