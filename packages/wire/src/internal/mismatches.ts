/** Where a JSON value does not contain what it has to. */
import type * as Schema from "effect/Schema"
import { isObject } from "./boxes.ts"

/** A place where it does not. */
export interface Found {
  readonly path: string
  readonly expected: Schema.Json
  readonly received?: Schema.Json
}

/** Objects may have more keys than expected; everything else is equal or not. */
export const mismatchesOf = (
  expected: Schema.Json,
  received: Schema.Json | undefined,
  path = ""
): ReadonlyArray<Found> => {
  if (isObject(expected) && isObject(received)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      mismatchesOf(value, ownOf(received, key), `${path}/${key}`)
    )
  }
  if (Array.isArray(expected) && Array.isArray(received) && expected.length === received.length) {
    return expected.flatMap((value: Schema.Json, index) => mismatchesOf(value, received[index], `${path}/${index}`))
  }
  return expected === received ? [] : [{ path, expected, ...(received === undefined ? {} : { received }) }]
}

const ownOf = (value: Schema.JsonObject, key: string): Schema.Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined
