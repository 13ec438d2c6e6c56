/**
 * Stands between a JSON value from outside and any schema: bounds its depth and size, and copies it into objects
 * without a prototype, so that neither a deep value nor an inherited name can fool a decoder.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isPlain } from "./internal/isPlain.ts"

/** Containers inside each other. A recursive schema overflows the stack somewhere above 1,000. */
export const maxDepth = 128

/** Values in one document. A decoder needs about a microsecond for each. */
export const maxNodes = 100_000

/** Characters in all strings and keys together. What is longer belongs in a file, not in an argument. */
export const maxCharacters = 8 * 1024 * 1024

/** `received` names the kind of thing that JSON cannot carry: a function, a date, a number that is not finite. */
export type Refusal =
  | { readonly code: "too_deep" | "too_large" }
  | { readonly code: "not_json"; readonly received: string }

/**
 * Copies a value that is JSON within the limits, in one walk without recursion. A property that is `undefined` is left
 * out, as it would be on any wire.
 */
export const guard = (value: unknown): Result.Result<Schema.Json, Refusal> => {
  const walk = new Walk()
  const root = walk.copy(value, 1)
  while (walk.refusal === undefined) {
    const fill = walk.pending.pop()
    if (fill === undefined) return Result.succeed(root)
    fill()
  }
  return Result.fail(walk.refusal)
}

class Walk {
  /** Containers that were met and not yet filled. */
  readonly pending: Array<() => void> = []
  refusal: Refusal | undefined
  private nodes = 0
  private characters = 0

  /** The copy of a refused value does not matter: the walk ends there. */
  copy(value: unknown, depth: number): Schema.MutableJson {
    if (++this.nodes > maxNodes) return this.refuse({ code: "too_large" })
    if (typeof value === "string") return this.measure(value)
    if (typeof value === "boolean" || value === null) return value
    if (typeof value === "number" && Number.isFinite(value)) return value
    if (typeof value !== "object") return this.refuse({ code: "not_json", received: nameOf(value) })
    if (depth > maxDepth) return this.refuse({ code: "too_deep" })
    if (Array.isArray(value)) return this.copyArray(value, depth)
    if (isPlain(value)) return this.copyObject(value, depth)
    return this.refuse({ code: "not_json", received: nameOf(value) })
  }

  private copyArray(source: ReadonlyArray<unknown>, depth: number): Schema.MutableJson {
    const copy: Array<Schema.MutableJson> = []
    this.pending.push(() => {
      for (let index = 0; index < source.length && this.refusal === undefined; index++) {
        copy.push(this.copy(source[index], depth + 1))
      }
    })
    return copy
  }

  private copyObject(source: Readonly<Record<string, unknown>>, depth: number): Schema.MutableJson {
    const copy: Schema.MutableJsonObject = Object.create(null)
    this.pending.push(() => {
      for (const key of Object.keys(source)) {
        const value = source[key]
        if (value !== undefined) copy[this.measure(key)] = this.copy(value, depth + 1)
        if (this.refusal !== undefined) return
      }
    })
    return copy
  }

  private measure(text: string): string {
    this.characters += text.length
    if (this.characters > maxCharacters) this.refuse({ code: "too_large" })
    return text
  }

  private refuse(refusal: Refusal): null {
    this.refusal ??= refusal
    return null
  }
}

const nameOf = (value: unknown): string => {
  if (typeof value === "number") return String(value)
  if (typeof value !== "object") return typeof value
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  return tag === "Object" ? "class instance" : tag
}
