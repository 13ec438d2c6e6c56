/** Counts how often a decoder looks at arguments, and stops it when that is more than any honest call needs. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { countValues } from "./jsonValues.ts"

/** Looks that any arguments may take: some hundredths of a second, and little memory for what is found wrong meanwhile. */
const baseLooks = 50_000

/** Looks that each value adds: a few for every alternative that it is tried with. */
const looksPerValue = 10

/** Looks at arguments through proxies. A codec that waits for something is not counted further than that. */
export const isAffordable = (
  decode: (input: unknown) => Effect.Effect<unknown, unknown>,
  input: Schema.Json
): boolean => {
  let left = baseLooks + looksPerValue * countValues(input)
  const spend = (count: number) => {
    left -= count
    if (left < 0) throw exhausted
  }
  Effect.runSyncExit(Effect.suspend(() => decode(watched(input, spend))))
  return left >= 0
}

const exhausted = new Error("the decoder looked too often")

/** The value behind proxies that tell how often it is looked at. */
export const watched = (value: unknown, spend: (count: number) => void): unknown => {
  const proxies = new WeakMap<object, object>()
  const watch = (target: unknown): unknown => {
    if (typeof target !== "object" || target === null) return target
    const proxy = proxies.get(target) ?? new Proxy(target, handler)
    proxies.set(target, proxy)
    return proxy
  }
  const handler: ProxyHandler<object> = {
    get: (target, key) => {
      spend(1)
      return watch(Reflect.get(target, key))
    },
    has: (target, key) => {
      spend(1)
      return Reflect.has(target, key)
    },
    getOwnPropertyDescriptor: (target, key) => {
      spend(1)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target)
      spend(keys.length)
      return keys
    }
  }
  return watch(value)
}
