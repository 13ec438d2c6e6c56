/**
 * Files of a root that turn into code later: what is there is laid read-only over itself while a command runs, and what
 * was not there before and is afterwards is moved aside.
 */
import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"
import { identityOf, placeOf } from "./identity.ts"
import * as Pins from "./pins.ts"
import type { Mount } from "./shellSandbox.ts"
import { isStaged } from "./stagedNames.ts"

/** Whether a path, relative to the root, is protected. A directory is if something below it can be. */
export type IsProtected = (resource: string) => boolean

/** What is protected and there, by its path below the root. */
export type Guarded = ReadonlyMap<string, Guard>

/** Whether a tool for files put the file with this identity at this resource. */
type IsOwnFile = (identity: string, resource: string) => boolean

interface Guard {
  readonly place: string
  /** `way`: only a directory on the way to something that is protected. */
  readonly kind: "way" | "whole" | "link"
}

/** Packages that somebody else wrote have settings that nobody obeys, and Git's objects are none; both are large. */
const passedOver: ReadonlySet<string> = new Set(["node_modules", "objects"])

/** A larger tree is not looked through to its end: what a command costs must not depend on it. */
const maxDirectories = 20_000

/** Directories that are read in one turn of the event loop: about two milliseconds. */
const directoriesPerTurn = 64

/** A name that no table lists, to find out whether everything below a directory is protected. */
const anything = "\u{10FFFD}"

export const look = (root: Pins.Place, isProtected: IsProtected): Effect.Effect<Guarded> =>
  Effect.promise(async () => {
    const found = new Map<string, Guard>()
    await lookFrom(root, [[]], 0, isProtected, found)
    return found
  })

/** The queue grows while it is worked on. */
const lookFrom = async (
  root: Pins.Place,
  queue: Array<ReadonlyArray<string>>,
  from: number,
  isProtected: IsProtected,
  found: Map<string, Guard>
): Promise<void> => {
  const until = Math.min(from + directoriesPerTurn, maxDirectories)
  let index = from
  for (; index < Math.min(queue.length, until); index++) {
    const { others, ways } = lookInto(root, queue[index] ?? [], isProtected, found)
    // What leads to something that is protected comes next, so that no number of others hides it.
    queue.splice(index + 1, 0, ...ways)
    queue.push(...others)
  }
  if (index >= Math.min(queue.length, maxDirectories)) return
  await setImmediate()
  return lookFrom(root, queue, index, isProtected, found)
}

/** Returns the directories to go on with. */
const lookInto = (
  root: Pins.Place,
  names: ReadonlyArray<string>,
  isProtected: IsProtected,
  found: Map<string, Guard>
): { readonly ways: ReadonlyArray<ReadonlyArray<string>>; readonly others: ReadonlyArray<ReadonlyArray<string>> } => {
  const [ways, others]: [Array<ReadonlyArray<string>>, Array<ReadonlyArray<string>>] = [[], []]
  for (const entry of Pins.entriesBelow(root, names)) {
    // A tool for files is at work there; nobody executes what it has not finished.
    if (isStaged(entry.name)) continue
    const path = [...names, entry.name]
    const resource = path.join("/")
    const guard = isProtected(resource) ? guardOf(root, path, isProtected) : undefined
    if (guard !== undefined) found.set(resource, guard)
    if (!entry.isDirectory() || guard?.kind === "whole" || passedOver.has(entry.name)) continue
    ;(guard === undefined ? others : ways).push(path)
  }
  return { ways, others }
}

const guardOf = (root: Pins.Place, path: ReadonlyArray<string>, isProtected: IsProtected): Guard | undefined => {
  const stats = Pins.statsBelow(root, path)
  if (stats === undefined) return undefined
  const place = placeOf(stats)
  if (!stats.isDirectory()) return { place, kind: stats.isFile() ? "whole" : "link" }
  return { place, kind: isWhole(path.join("/"), isProtected) ? "whole" : "way" }
}

/** Whether everything below a directory is protected; the directory itself has no path. */
export const isWhole = (resource: string, isProtected: IsProtected): boolean =>
  isProtected(resource === "" ? anything : `${resource}/${anything}`)

/** Directories on the way to something first: only what something is laid over cannot be moved. */
export const mountsFor = (root: string, at: Pins.Place, guarded: Guarded): ReadonlyArray<Mount> => {
  const mounts = new Map<string, Mount>()
  for (const [resource, { kind, place }] of guarded) {
    // A way that leads to nothing yet may be moved: what appears is noticed under any name.
    if (kind !== "whole") continue
    for (const way of waysTo(resource)) {
      const stats = mounts.has(way) ? undefined : Pins.statsBelow(at, way.split("/"))
      if (stats !== undefined) mounts.set(way, { path: `${root}/${way}`, place: placeOf(stats), isReadOnly: false })
    }
    mounts.set(resource, { path: `${root}/${resource}`, place, isReadOnly: true })
  }
  const depth = ({ path }: Mount) => path.split("/").length
  return [...mounts.values()].toSorted((left, right) => depth(left) - depth(right))
}

const waysTo = (resource: string): ReadonlyArray<string> => {
  const names = resource.split("/")
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join("/"))
}

/** The outermost of what was not there before, or is no longer the same, and is protected. */
export const appeared = (before: Guarded, after: Guarded): ReadonlyArray<string> => {
  const isNew = (resource: string) => after.has(resource) && before.get(resource)?.place !== after.get(resource)?.place
  const outermost = [...after]
    .filter(([resource, { kind }]) => kind !== "way" && isNew(resource) && before.get(resource)?.kind !== "whole")
    .map(([resource]) => waysTo(resource).find((way) => isNew(way)) ?? resource)
  return [...new Set(outermost)]
}

/**
 * Whether a tool for files put it there, after a permission of its own, and nobody changed it since. A directory is what is
 * in it.
 */
export const isOwn = (root: Pins.Place, names: ReadonlyArray<string>, isOwnFile: IsOwnFile): boolean => {
  const stats = Pins.statsBelow(root, names)
  if (stats?.isFile() === true) return isOwnFile(identityOf(stats), names.join("/"))
  if (stats?.isDirectory() !== true) return false
  const entries = Pins.entriesBelow(root, names)
  return entries.length > 0 && entries.every(({ name }) => isStaged(name) || isOwn(root, [...names, name], isOwnFile))
}

/** The new name beside the old one; no table lists it. */
export const asideName = (resource: string, token: string): string =>
  `moved-aside-${token}-${resource.split("/").at(-1)?.replace(/^\.+/, "") ?? ""}`
