/**
 * Stands between a JSON value from outside and any schema: bounds its depth and size, and copies it into objects
 * that inherit nothing, so that neither a deep value nor an inherited name can fool a decoder.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Bare } from "./internal/bare.ts"
import { isPlain } from "./internal/isPlain.ts"
import * as internal from "./internal/jsonLimits.ts"

/** How deep and how large a value may be. */
export type Limits = internal.Limits
/** Containers inside each other. */
export const maxDepth = internal.maxDepth
/** Values in one document. */
export const maxNodes = internal.maxNodes
/** Characters in all strings and keys together. */
export const maxCharacters = internal.maxCharacters
/** Of arguments and of anything else that came from outside. */
export const defaultLimits: Limits = internal.defaultLimits

/** `received` names the kind of thing that JSON cannot carry: a function, a date, a number that is not finite. */
export type Refusal =
  | { readonly code: "too_deep" | "too_large" }
  | { readonly code: "not_json"; readonly received: string }

/**
 * Copies a value that is JSON within the limits, in one walk without recursion. A property that is `undefined` is left
 * out, as it would be on any wire. What throws when it is read is not JSON.
 */
export const guard = (value: unknown, limits: Limits = defaultLimits): Result.Result<Schema.Json, Refusal> => {
  // What is read may call the guard itself, which then finds none to use again.
  const walk = idle ?? new Walk()
  idle = undefined
  try {
    const root = walk.start(limits).copy(value, 1)
    walk.fill()
    return walk.refusal === undefined ? Result.succeed(root) : Result.fail(walk.refusal)
  } catch {
    return Result.fail({ code: "not_json", received: "unreadable" })
  } finally {
    walk.rest()
    idle = walk
  }
}

/** Used again, so that looking at what is small allocates only its copy. */
let idle: Walk | undefined

/** `target` is the copy of `source`, empty until it is filled. `next` is filled after it. */
interface OpenArray {
  readonly source: ReadonlyArray<unknown>
  readonly target: Array<Schema.MutableJson>
  readonly depth: number
  readonly next: OpenArray | undefined
}

interface OpenObject {
  readonly source: Readonly<Record<string, unknown>>
  readonly target: Schema.MutableJsonObject
  readonly depth: number
  readonly next: OpenObject | undefined
}

class Walk {
  refusal: Refusal | undefined
  /** Containers that were met and not yet filled. Chained, because a list takes room for more than most calls have. */
  private objects: OpenObject | undefined
  private arrays: OpenArray | undefined
  private nodes = 0
  private characters = 0
  private limits: Limits = defaultLimits

  start(limits: Limits): this {
    this.limits = limits
    this.nodes = 0
    this.characters = 0
    return this
  }

  /** Keeps nothing of what it walked through. */
  rest(): void {
    this.refusal = undefined
    this.objects = undefined
    this.arrays = undefined
  }

  /** Fills what was met on the way, until nothing is left or something is refused. */
  fill(): void {
    for (;;) {
      const object = this.objects
      this.objects = object?.next
      if (object !== undefined) this.fillObject(object)
      const array = this.arrays
      this.arrays = array?.next
      if (array !== undefined) this.fillArray(array)
      if ((object === undefined && array === undefined) || this.refusal !== undefined) return
    }
  }

  /** The copy of a refused value does not matter: the walk ends there. */
  copy(value: unknown, depth: number): Schema.MutableJson {
    if (this.isFull()) return this.refuse({ code: "too_large" })
    if (typeof value === "string") return this.measure(value)
    if (typeof value === "boolean" || value === null) return value
    if (typeof value === "number" && Number.isFinite(value)) return value
    if (typeof value !== "object") return this.refuse({ code: "not_json", received: nameOf(value) })
    if (depth > this.limits.depth) return this.refuse({ code: "too_deep" })
    if (Array.isArray(value)) return this.openArray(value, depth)
    if (isPlain(value)) return this.openObject(value, depth)
    return this.refuse({ code: "not_json", received: nameOf(value) })
  }

  private openArray(source: ReadonlyArray<unknown>, depth: number): Schema.MutableJson {
    const target: Array<Schema.MutableJson> = []
    this.arrays = { source, target, depth, next: this.arrays }
    return target
  }

  private openObject(source: Readonly<Record<string, unknown>>, depth: number): Schema.MutableJson {
    const target = new Bare()
    this.objects = { source, target, depth, next: this.objects }
    return target
  }

  private fillArray({ depth, source, target }: OpenArray): void {
    for (let index = 0; index < source.length && this.refusal === undefined; index++) {
      target.push(this.copy(source[index], depth + 1))
    }
  }

  private fillObject({ depth, source, target }: OpenObject): void {
    for (const key of Object.keys(source)) {
      if (this.refusal !== undefined) return
      const value = source[this.measure(key)]
      if (value === undefined && this.isFull()) this.refuse({ code: "too_large" })
      if (value !== undefined) target[key] = this.copy(value, depth + 1)
    }
  }

  /** Counts one more. */
  private isFull(): boolean {
    return ++this.nodes > this.limits.values
  }

  private measure(text: string): string {
    this.characters += text.length
    if (this.characters > this.limits.characters) this.refuse({ code: "too_large" })
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
  const name = Object.prototype.toString.call(value).slice(8, -1)
  return name === "Object" || !builtIn.test(name) ? "class instance" : name
}

/** A class can call itself anything. */
const builtIn = /^[A-Z][A-Za-z0-9]{0,30}$/
