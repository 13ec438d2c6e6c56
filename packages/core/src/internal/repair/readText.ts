/** Reads text that a model wrote as JSON, with or without liberties, and says which it took. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Fault, type Reason, reasonOf } from "../jsonFault.ts"
import type { Limits } from "../jsonLimits.ts"
import { JsonReader } from "../jsonReader.ts"
import { isObject, sameJson } from "./json.ts"
import type { Kind } from "./warning.ts"

export interface Reading {
  readonly value: Schema.Json
  /** In the order in which they were met. */
  readonly kinds: ReadonlyArray<Kind>
  readonly values: number
  readonly depth: number
}

export interface ReadOptions {
  readonly isTolerant: boolean
  /** Whether something may follow the first object. */
  readonly hasTail: boolean
  readonly limits: Limits
}

export const readText = (text: string, options: ReadOptions): Result.Result<Reading, Reason> => {
  if (text.length > options.limits.characters) return Result.fail({ code: "too_large" })
  return Result.try({ try: () => readWhole(text, options), catch: reasonOf })
}

type Range = readonly [start: number, end: number]

const readWhole = (text: string, options: ReadOptions): Reading => {
  const kinds = new Set<Kind>()
  const range = options.isTolerant ? contentOf(text, kinds) : ([0, text.length] as const)
  const reader = new JsonReader(text, { ...options, range })
  const first = reader.read()
  reader.skip()
  const tail: Array<Kind> = []
  const value = reader.isAtEnd ? first : readTail(reader, first, text.slice(0, range[1]), options, tail)
  return { value, kinds: [...kinds, ...reader.liberties, ...tail], values: reader.values, depth: reader.depth }
}

const fence = "```"
const language = "json"

/** Without what stands around the JSON. */
const contentOf = (text: string, kinds: Set<Kind>): Range => {
  const [start, end] = trim(text, [0, text.length], kinds)
  const inside = text.slice(start, end)
  if (inside.length < 2 * fence.length || !inside.startsWith(fence) || !inside.endsWith(fence)) return [start, end]
  kinds.add("code_fence")
  const open = start + fence.length
  return trim(text, [text.startsWith(language, open) ? open + language.length : open, end - fence.length], kinds)
}

const trim = (text: string, [start, end]: Range, kinds: Set<Kind>): Range => {
  const inside = text.slice(start, end)
  const from = start + inside.length - inside.trimStart().length
  const to = Math.max(from, end - (inside.length - inside.trimEnd().length))
  const leading = text.slice(start, from)
  if (leading.startsWith(byteOrderMark)) kinds.add("bom")
  if (oddSpace.test(leading.replace(byteOrderMark, "") + text.slice(to, end))) kinds.add("outer_whitespace")
  return [from, to]
}

const byteOrderMark = "\uFEFF"

/** White space that JSON does not know. */
const oddSpace = /[^ \t\n\r]/

/** Objects first, as many as there are, then what may follow the last of them. */
const readTail = (
  reader: JsonReader,
  first: Schema.Json,
  text: string,
  { hasTail, isTolerant }: Pick<ReadOptions, "hasTail" | "isTolerant">,
  kinds: Array<Kind>
): Schema.Json => {
  if (!hasTail || !isObject(first)) return reader.fail("unparseable")
  let value: Schema.Json = first
  while (reader.isAt("{")) value = readNext(reader, value, isTolerant, kinds)
  if (reader.isAtEnd) return value
  const kind = isTolerant ? tailKind(text.slice(reader.position)) : undefined
  if (kind === undefined) return reader.fail("unparseable")
  kinds.push(kind)
  return value
}

/** Prose can be left out; a bracket in it could be the rest of the arguments. */
const tailKind = (rest: string): Kind | undefined => {
  if (/^[\s}\]]*$/.test(rest)) return "extra_closer"
  return /^\p{L}[^[\]{}]*$/u.test(rest) ? "trailing_text" : undefined
}

/** Another object says something else, unless it says the same or the first said nothing. The same again is no JSON. */
const readNext = (reader: JsonReader, first: Schema.Json, isTolerant: boolean, kinds: Array<Kind>): Schema.Json => {
  const { position } = reader
  const next = reader.read()
  const kind = nextKind(first, next)
  if (kind === undefined || !isTolerant) {
    throw new Fault({ code: kind === "duplicated_object" ? "unparseable" : "concatenated", position })
  }
  kinds.push(kind)
  reader.skip()
  return kind === "duplicated_object" ? first : next
}

const nextKind = (first: Schema.Json, next: Schema.Json): Kind | undefined => {
  if (sameJson(first, {})) return "leading_empty_object"
  return sameJson(first, next) ? "duplicated_object" : undefined
}
