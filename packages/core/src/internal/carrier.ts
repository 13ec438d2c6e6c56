/**
 * Keeps the inside of a tool away from whoever holds it. A tool is a frozen object without a single property; what it
 * stands for is found through this module alone.
 */
import * as Result from "effect/Result"
import { isPlain } from "./isPlain.ts"
import type * as Tool from "../Tool.ts"
import type { Refusal } from "./refusal.ts"
import * as Sentences from "./registrationSentences.ts"
import type { Sealed } from "./sealed.ts"

/** A tool that cannot be registered keeps the reason, so that making one never throws. */
type Content = Result.Result<Sealed, Refusal>

const contents = new WeakMap<object, Content>()

const carriersKey: unique symbol = Symbol.for("@haft/core/Tool/carriers")

/** The carriers of all copies of this package in the process: a second copy is recognised and not opened. */
const carriers = ((globalThis as { [carriersKey]?: WeakSet<object> })[carriersKey] ??= new WeakSet())

export const seal = <T extends Tool.Any>(content: Content): T => {
  const carrier: T = Object.freeze(Object.create(null))
  contents.set(carrier, content)
  carriers.add(carrier)
  return carrier
}

export const unseal = (value: unknown): Content => {
  if (typeof value !== "object" || value === null) return Result.fail(Sentences.notATool)
  return contents.get(value) ?? Result.fail(impostor(value))
}

/** A spread or a clone of a carrier is a plain empty object, which nobody registers on purpose. */
const impostor = (value: object): Refusal => {
  if (carriers.has(value)) return Sentences.foreignTool
  return isPlain(value) && Reflect.ownKeys(value).length === 0 ? Sentences.copiedTool : Sentences.notATool
}
