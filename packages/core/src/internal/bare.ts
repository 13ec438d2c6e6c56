/** Objects for JSON from outside. */
import type * as Schema from "effect/Schema"

/** Inherits nothing, like an object without a prototype, which engines make slow and large. */
export class Bare {
  [key: string]: Schema.MutableJson
}
Object.setPrototypeOf(Bare.prototype, null)
Reflect.deleteProperty(Bare.prototype, "constructor")

/** One such object with the given properties, in their order. */
export const bareFrom = (entries: Iterable<readonly [string, Schema.Json]>): Schema.JsonObject => {
  const object: Record<string, Schema.Json> = new Bare()
  for (const [key, value] of entries) object[key] = value
  return object
}
