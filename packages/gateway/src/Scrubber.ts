/**
 * Takes secrets out of text and JSON by their value: as they are, escaped for JSON, encoded for URLs, in hex, and in base64
 * wherever they stand in what was encoded. Pure; a stream gives the same whatever its chunks are.
 */
import type * as Schema from "effect/Schema"
import { formsOf } from "./internal/secretForms.ts"

/** Stands where a secret stood. */
export const mark = "[REDACTED]"

/** Below this, a value cannot be told from other text, and taking it out would take everything out. */
export const minLength = 4

/** Scrubs what comes in pieces. What it holds back is less than the longest form of a secret. */
export interface Streaming<Chunk> {
  /** What is certain by now. */
  readonly push: (chunk: Chunk) => Chunk
  /** The rest. Nothing may be pushed afterwards. */
  readonly end: () => Chunk
}

export interface Scrubber {
  readonly text: (text: string) => string
  /** Scrubs keys as well. Gives the same value back if there is no secret in it. */
  readonly json: <J extends Schema.Json>(json: J) => J
  readonly stream: () => Streaming<string>
  /** For bytes of any kind, which stay as they are where there is no secret. */
  readonly streamBytes: () => Streaming<Uint8Array>
}

const identity = <A>(value: A): A => value

/** Where there are no secrets. */
export const none: Scrubber = {
  text: identity,
  json: identity,
  stream: () => ({ push: identity, end: () => "" }),
  streamBytes: () => ({ push: identity, end: () => new Uint8Array() })
}

/** Build it once for a set of values. Throws on one that is too short: whoever resolved it has to refuse it. */
export const make = (secrets: Iterable<string>): Scrubber => {
  const values = [...new Set(secrets)]
  if (values.some(({ length }) => length < minLength)) throw new RangeError(`a secret has at least ${minLength} units`)
  if (values.length === 0) return none
  const forms = values.flatMap(formsOf)
  const [pattern, bytePattern] = [patternOf(forms), patternOf(forms.map(asBytes))]
  const text = (text: string) => text.replace(pattern.matcher, mark)
  return {
    text,
    json: (json) => scrubbed(json, text),
    stream: () => streaming(pattern),
    streamBytes: () => streamingBytes(bytePattern)
  }
}

interface Pattern {
  readonly matcher: RegExp
  readonly longest: number
}

/** Longer forms come first, so that what begins like another is taken out whole. */
const patternOf = (forms: ReadonlyArray<string>): Pattern => {
  const sorted = [...new Set(forms)].toSorted((left, right) => right.length - left.length)
  return { matcher: new RegExp(sorted.map(escaped).join("|"), "g"), longest: sorted[0]?.length ?? 0 }
}

const escaped = (form: string): string => form.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`)

/** One unit for each byte of UTF-8. */
const asBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const streamingBytes = (pattern: Pattern): Streaming<Uint8Array> => {
  const { end, push } = streaming(pattern)
  return {
    push: (chunk) => Buffer.from(push(Buffer.from(chunk).toString("latin1")), "latin1"),
    end: () => Buffer.from(end(), "latin1")
  }
}

/** A form that begins before the last `longest - 1` units would have been seen whole: what stands there is certain. */
const streaming = ({ longest, matcher }: Pattern): Streaming<string> => {
  let held = ""
  const take = (certain: number): string => {
    let [out, from] = ["", 0]
    for (const {
      0: { length },
      index
    } of held.matchAll(matcher)) {
      if (index >= certain) break
      out += held.slice(from, index) + mark
      from = index + length
    }
    const to = Math.max(from, certain)
    out += held.slice(from, to)
    held = held.slice(to)
    return out
  }
  return {
    push: (chunk) => {
      held += chunk
      const certain = held.length - (longest - 1)
      return certain > 0 ? take(certain) : ""
    },
    end: () => take(held.length)
  }
}

const scrubbed = <J extends Schema.Json>(json: J, text: (text: string) => string): J => {
  const walk = (value: Schema.Json): Schema.Json => {
    if (typeof value === "string") return text(value)
    // A secret of digits may come back as a number.
    if (typeof value === "number" && text(String(value)) !== String(value)) return mark
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(walk)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), walk(member)]))
  }
  const whole = JSON.stringify(json)
  // A walk keeps what is no secret, and whoever put a secret there gets a text.
  return text(whole) === whole ? json : (walk(json) as J)
}

const named =
  /(\b(?:authorization|x-api-key)\s*:\s*)[^\r\n]+|(\bbearer\s+)\S+|(\b(?:api_key|secret|password|token)\s*[:=]\s*)\S+|(\bsk-)[\w-]{10,}/giu

/** Takes out what stands where credentials stand, whoever handed them out. For messages and logs, not for data. */
export const byName = (text: string): string =>
  text.replaceAll(
    named,
    (_, header = "", bearer = "", field = "", key = "") => `${header}${bearer}${field}${key}${mark}`
  )
