/** The directories that an isolated command may write to, with what is kept from it in them. */
import * as Effect from "effect/Effect"
import type * as LocationFiles from "../LocationFiles.ts"
import { attempt } from "./attempt.ts"
import * as FileLocks from "./fileLocks.ts"
import type { OpenDirectory } from "./fileReads.ts"
import { gitGuard } from "./gitPlaces.ts"
import * as Pins from "./pins.ts"
import { StartError } from "./shellErrors.ts"
import * as Guard from "./shellGuard.ts"
import type { Mount } from "./shellSandbox.ts"

/** Something that turns into code later, and that a command was not to make. */
export interface Moved {
  readonly from: string
  /** Where it is now. */
  readonly to: string
}

/** A directory that is held open. */
export interface Held {
  readonly target: LocationFiles.Target
  readonly directory: OpenDirectory
}

/** One of them, as it was before the command. */
export interface Area extends Held {
  readonly path: string
  /** What a path below it is called: relative in the root, absolute outside. */
  readonly named: (resource: string) => string
  readonly isProtected: Guard.IsProtected | undefined
  readonly before: Guard.Guarded
}

/** As it is now. Nothing is protected in it if the host protects nothing. */
export const look = Effect.fnUntraced(function* (
  files: LocationFiles.Interface,
  { directory, target }: Held,
  isProtected: Guard.IsProtected | undefined
) {
  const isOutside = target.external !== undefined
  const path = isOutside ? target.resource : files.root
  const named = (resource: string) => (isOutside ? `${path}/${resource}` : resource)
  const area = { target, directory, path, named }
  if (isProtected === undefined) return { ...area, isProtected, before: new Map() } satisfies Area
  const isGit = yield* gitGuard(files, isOutside ? (below) => files.below(target, below) : files.resolve)
  const isGuarded: Guard.IsProtected = (resource) => isProtected(named(resource)) || isGit(named(resource))
  return { ...area, isProtected: isGuarded, before: yield* Guard.look(directory, isGuarded) } satisfies Area
})

/** Each is a descriptor of the launcher, whose usual limit is 1,024. */
const maxMounts = 900

/** The root is there already; a directory outside has to be laid into the view. A command that sees too much does not run. */
export const mountsFor = (areas: ReadonlyArray<Area>): Effect.Effect<ReadonlyArray<Mount>, StartError> => {
  const mounts = areas.flatMap((area) => [
    ...(area.target.external === undefined ? [] : [outside(area)]),
    ...Guard.mountsFor(area.path, area.directory, area.before)
  ])
  return mounts.length > maxMounts ? Effect.fail(new StartError({ reason: "Protected" })) : Effect.succeed(mounts)
}

const outside = ({ isProtected, path, target }: Area): Mount => ({
  path,
  place: target.identity.split(":").slice(0, 2).join(":"),
  isReadOnly: isProtected !== undefined && Guard.isWhole("", isProtected)
})

/** Moves aside what a command was not to make. */
export const review = (
  files: LocationFiles.Interface,
  areas: ReadonlyArray<Area>,
  mark: string
): Effect.Effect<ReadonlyArray<Moved>> =>
  Effect.map(
    Effect.forEach(areas, (area) => reviewOne(files, area, mark)),
    (moved) => moved.flat()
  )

const reviewOne = Effect.fnUntraced(function* (files: LocationFiles.Interface, area: Area, mark: string) {
  const { before, directory, isProtected, path } = area
  if (isProtected === undefined) return []
  const locks = yield* FileLocks.Service
  const isOwnFile = (identity: string, resource: string) => locks.isOwnAt(identity, `${path}/${resource}`)
  const appeared = Guard.appeared(before, yield* Guard.look(directory, isProtected))
  const foreign = appeared.filter((resource) => !Guard.isOwn(directory, resource.split("/"), isOwnFile))
  const moved = yield* Effect.forEach(foreign, (resource) => moveAside(files, area, resource, mark))
  return moved.flat()
})

/** As much of the mark as makes a name that is free. */
const tokenLength = 8

/** Nothing where another command that ends at this moment has done it. */
const moveAside = (files: LocationFiles.Interface, { named, target }: Area, from: string, mark: string) =>
  Effect.gen(function* () {
    const names = from.split("/")
    const name = names.pop() ?? ""
    const aside = Guard.asideName(from, mark.slice(0, tokenLength))
    const parent = names.length === 0 ? target : yield* files.below(target, names.join("/"))
    const opened = yield* files.open(parent)
    if (opened._tag === "File") return []
    yield* attempt(from, () => Pins.moveAside(opened, name, aside))
    return [{ from: named(from), to: named([...names, aside].join("/")) }]
  }).pipe(
    Effect.scoped,
    Effect.catchTag("LocationFiles.NotFoundError", () => Effect.succeed([])),
    // The directory is held open; if it cannot be changed any more, nothing could have appeared in it.
    Effect.orDie
  )
