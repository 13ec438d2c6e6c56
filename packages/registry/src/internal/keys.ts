/** The keys of the objects of one output, in their order. */
import type * as Schema from "effect/Schema"

/** Up to here it takes less than a few milliseconds to list the keys of an object, and is not worth the memory. */
const manyKeys = 10_000

/**
 * Lists the keys of a huge object once, however often it is measured, shown and written: there is no way to see the first
 * keys of an object without the engine listing all of them. For one bounding only, because objects can change afterwards.
 */
export class Keys {
  /** Most outputs have no huge object. */
  private listed: Map<Schema.JsonObject, ReadonlyArray<string>> | undefined

  of(object: Schema.JsonObject): ReadonlyArray<string> {
    const listed = this.listed?.get(object)
    if (listed !== undefined) return listed
    const keys = Object.keys(object)
    if (keys.length < manyKeys) return keys
    this.listed ??= new Map()
    this.listed.set(object, keys)
    return keys
  }
}
