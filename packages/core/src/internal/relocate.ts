/** Tells of places in arguments as the model sent them, where that is not how the tool takes them. */
import type { Locate } from "./arrival.ts"
import { shorten } from "./found.ts"
import { formatPath, parsePath } from "./path.ts"

/** A path that was cut stays as it is. */
export const relocate = <A extends { readonly path: string }>(
  items: ReadonlyArray<A>,
  locate: Locate | undefined
): ReadonlyArray<A> =>
  locate === undefined
    ? items
    : items.map((item) => {
        const path = parsePath(item.path)
        return path === undefined ? item : { ...item, path: shorten(formatPath(locate(path))) }
      })
