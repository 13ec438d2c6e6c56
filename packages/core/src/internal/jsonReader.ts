/**
 * Reads JSON values from text, strictly or with the liberties that models take. It keeps its own stack, bounds what it
 * reads, and refuses a key that occurs twice.
 */
import type * as Schema from "effect/Schema"
import { Bare } from "./bare.ts"
import { Fault, type Place } from "./jsonFault.ts"
import type { Limits } from "./jsonLimits.ts"
import { JsonTokens } from "./jsonTokens.ts"

/** A container that is not yet closed. */
interface Frame {
  readonly object: Bare | undefined
  readonly list: Array<Schema.MutableJson>
  key: string
  isEmpty: boolean
}

/** Where in a text to read, and how. */
export interface Options {
  readonly range: readonly [start: number, end: number]
  readonly isTolerant: boolean
  readonly limits: Limits
}

export class JsonReader extends JsonTokens {
  /** Values that were read. */
  values = 0
  /** The most containers that were open at the same time. */
  depth = 0
  private readonly limits: Limits
  private readonly stack: Array<Frame> = []

  constructor(text: string, { isTolerant, limits, range }: Options) {
    super(text, range, isTolerant)
    this.limits = limits
  }

  /** The next value. Throws a `Fault` for what cannot be read. */
  read(): Schema.Json {
    const value = this.begin()
    for (let frame = this.stack.at(-1); frame !== undefined; frame = this.stack.at(-1)) this.readMember(frame)
    return value
  }

  protected override get isInside(): boolean {
    return this.stack.length > 0
  }

  private readMember(frame: Frame): void {
    if (this.isClosed(frame)) this.stack.pop()
    else if (frame.object === undefined) frame.list.push(this.begin())
    else this.readProperty(frame, frame.object)
  }

  private readProperty(frame: Frame, object: Bare): void {
    frame.key = this.readKey()
    if (Object.hasOwn(object, frame.key)) throw new Fault({ code: "duplicate_key", path: this.path })
    this.skip()
    if (!this.passToken(":")) this.fail()
    object[frame.key] = this.begin()
  }

  private isClosed(frame: Frame): boolean {
    const closer = frame.object === undefined ? "]" : "}"
    this.skip()
    if (this.passToken(closer)) return true
    if (!frame.isEmpty) return this.isClosedAfterComma(closer)
    frame.isEmpty = false
    return false
  }

  private isClosedAfterComma(closer: string): boolean {
    if (!this.passToken(",")) this.fail()
    this.skip()
    if (!this.isAt(closer)) return false
    this.take("trailing_comma")
    return this.passToken(closer)
  }

  /** A value that is complete, or a container that is now open. */
  private begin(): Schema.MutableJson {
    this.skip()
    if (++this.values > this.limits.values) throw new Fault({ code: "too_large" })
    if (this.isAt("{")) return this.open({ object: new Bare(), list: [], key: "", isEmpty: true })
    if (this.isAt("[")) return this.open({ object: undefined, list: [], key: "", isEmpty: true })
    if (this.isAt('"') || this.isAt("'")) return this.readString()
    return this.isAtNumber ? this.readFinite() : this.readWord()
  }

  private open(frame: Frame): Schema.MutableJson {
    this.position++
    this.stack.push(frame)
    this.depth = Math.max(this.depth, this.stack.length)
    if (this.stack.length > this.limits.depth) throw new Fault({ code: "too_deep" })
    return frame.object ?? frame.list
  }

  private readFinite(): number {
    const value = this.readNumber()
    if (Number.isFinite(value)) return value
    throw new Fault({ code: "not_json", received: String(value), path: this.path })
  }

  /** A list that has something open in it has that as its last element already. */
  private get path(): Place {
    const isOpen = (index: number) => index < this.stack.length - 1
    return this.stack.map(({ key, list, object }, index) =>
      object === undefined ? list.length - (isOpen(index) ? 1 : 0) : key
    )
  }
}
