/** What the path of a call stands for. Finding out touches nothing, and what was found is told to nobody yet. */
import { type Descent, follow, reach, type Root } from "./descent.ts"
import * as Errors from "./fileErrors.ts"
import { absent, identityOf, placeOf } from "./identity.ts"
import * as PathText from "./pathText.ts"
import type { Pin } from "./pins.ts"
import type { Protection } from "./protection.ts"

/** A place inside a root that a call may ask to read or change. */
export interface Target {
  readonly _tag: "Target"
  /** As the call gave it. */
  readonly path: string
  /** What a permission is asked for: the place with links resolved, relative to the Location, or absolute outside of it. */
  readonly resource: string
  /** Of what was there when it was resolved. Not for the model: it tells whether something is there. */
  readonly identity: string
  /** The directory outside the Location that was allowed. */
  readonly external: { readonly directory: string; readonly place: string } | undefined
  readonly names: ReadonlyArray<string>
}

/** A place outside the Location. `directory` has to be allowed before anything in it is looked at. */
export interface External {
  readonly _tag: "External"
  readonly path: string
  readonly directory: string
  readonly names: ReadonlyArray<string>
}

/** Where a target is right now. */
export interface Reached {
  readonly root: Root
  readonly descent: Descent
  /** Of the target itself, if something is there. */
  readonly leaf: Pin | undefined
  /** The deepest directory on the way to the target that exists. */
  readonly parent: Pin
  readonly release: () => void
}

export class Targets {
  readonly location: Root
  private readonly protection: Protection
  private readonly spelling: string

  /** `spelling` is the path by which the host knows the Location, perhaps by way of links. */
  constructor(location: Root, protection: Protection, spelling: string) {
    this.location = location
    this.protection = protection
    this.spelling = spelling
  }

  resolve(path: string): Target | External {
    PathText.check(path)
    if (!PathText.isAbsolute(path)) return this.inside(path, PathText.componentsOf(path))
    const names = PathText.below(this.location.path, path) ?? this.belowSpelling(path)
    return names === undefined ? externalOf(path, PathText.normalized(path)) : this.inside(path, names)
  }

  /**
   * The same place if `directory` is a real path, and otherwise where its links lead, to be allowed in its turn. If that is
   * in the Location after all, it is a place of the Location, and what holds there holds for it.
   */
  enter({ directory, names, path }: External): Target | External {
    const system = this.system()
    const descent = follow(system, path, PathText.componentsOf(directory))
    try {
      const inside = this.insideBy(descent)
      if (inside !== undefined) return this.inside(path, [...inside, ...names])
      const real = PathText.absolute(descent.names)
      if (real !== directory) return { _tag: "External", path, directory: real, names }
      const root = { access: system.access, pin: endOf(system, descent, path), path: directory }
      return this.target(root, path, names, { directory, place: placeOf(root.pin.stats) })
    } finally {
      descent.release()
      system.pin.release()
    }
  }

  /** Walks to the target once more, without a link: where it leads was settled when it was resolved. */
  reach(target: Target): Reached {
    const { release, root } = this.rootOf(target)
    try {
      const descent = reach(root, target.path, target.names)
      return reached(root, descent, () => {
        descent.release()
        release()
      })
    } catch (cause) {
      release()
      throw cause
    }
  }

  /** A file or directory that a search found below a target. No link is followed, and what is not there is an error. */
  below(target: Target, path: string): Target {
    const { release, root } = this.rootOf(target)
    try {
      return this.found(
        root,
        path,
        reach(root, path, [...target.names, ...PathText.componentsOf(path)]),
        target.external
      )
    } finally {
      release()
    }
  }

  private found(root: Root, path: string, descent: Descent, external: Target["external"]): Target {
    try {
      assertThere(root, descent, path)
      return this.targetAt(root, path, descent, external)
    } finally {
      descent.release()
    }
  }

  private belowSpelling(path: string): ReadonlyArray<string> | undefined {
    return PathText.isAbsolute(this.spelling) ? PathText.below(this.spelling, path) : undefined
  }

  /** Told by the directory itself and not by its path: it may have been renamed or mounted elsewhere. */
  private insideBy({ names, pins }: Descent): ReadonlyArray<string> | undefined {
    const place = placeOf(this.location.pin.stats)
    const index = pins.findLastIndex(({ stats }) => placeOf(stats) === place)
    return index === -1 ? undefined : names.slice(index + 1)
  }

  private inside(path: string, names: ReadonlyArray<string>): Target {
    return this.target(this.location, path, names, undefined)
  }

  private target(root: Root, path: string, names: ReadonlyArray<string>, external: Target["external"]): Target {
    const descent = follow(root, path, names)
    try {
      return this.targetAt(root, path, descent, external)
    } finally {
      descent.release()
    }
  }

  private targetAt(root: Root, path: string, descent: Descent, external: Target["external"]): Target {
    const place = PathText.absolute([...PathText.componentsOf(root.path), ...descent.names])
    if (this.protection.covers(place)) throw new Errors.ProtectedError({ path })
    const resource = external === undefined ? PathText.relative(descent.names) : place
    return { _tag: "Target", path, resource, identity: identityIn(root, descent), external, names: descent.names }
  }

  private system(): Root {
    const { access } = this.location
    return { access, pin: access.pin("/"), path: "/" }
  }

  private rootOf({ external, path }: Target): { readonly root: Root; readonly release: () => void } {
    if (external === undefined) return { root: this.location, release: () => undefined }
    const system = this.system()
    const descent = reach(system, path, PathText.componentsOf(external.directory))
    const release = () => {
      descent.release()
      system.pin.release()
    }
    const pin = descent.pins[descent.names.length - 1] ?? (descent.names.length === 0 ? system.pin : undefined)
    if (pin !== undefined && placeOf(pin.stats) === external.place) {
      return { root: { access: system.access, pin, path: external.directory }, release }
    }
    release()
    throw new Errors.ChangedError({ path })
  }
}

const externalOf = (path: string, names: ReadonlyArray<string>): External => ({
  _tag: "External",
  path,
  directory: PathText.absolute(names.slice(0, -1)),
  names: names.slice(-1)
})

const identityIn = (root: Root, { names, obstacle, pins }: Descent): string => {
  if (obstacle !== undefined) return obstacle
  if (pins.length < names.length) return absent
  return identityOf((pins.at(-1) ?? root.pin).stats)
}

const reached = (root: Root, descent: Descent, release: () => void): Reached => {
  const { names, pins } = descent
  const isThere = pins.length === names.length
  const holders = isThere ? pins.slice(0, -1) : pins
  return {
    root,
    descent,
    leaf: isThere ? (pins.at(-1) ?? root.pin) : undefined,
    parent: holders.at(-1) ?? root.pin,
    release
  }
}

/** The directory at the end of a walk that was allowed. */
const endOf = (root: Root, descent: Descent, path: string): Pin => {
  assertThere(root, descent, path)
  const pin = descent.pins.at(-1) ?? root.pin
  if (pin.stats.isDirectory()) return pin
  throw new Errors.WrongKindError({ path, expected: "Directory", found: "File" })
}

const assertThere = (root: Root, descent: Descent, path: string): void => {
  if (descent.obstacle !== undefined) throw obstacleError(path, descent.obstacle, root)
  if (descent.pins.length < descent.names.length) throw Errors.notFound(path)
}

export const obstacleError = (
  path: string,
  obstacle: NonNullable<Descent["obstacle"]>,
  root: Root
): Errors.FileError => {
  switch (obstacle) {
    case "NotDirectory":
      return new Errors.WrongKindError({ path, expected: "Directory", found: "File" })
    case "NotAllowed":
      return new Errors.AccessError({ path, reason: "NotAllowed" })
    case "KernelFile":
      return new Errors.WrongKindError({ path, expected: "FileOrDirectory", found: "KernelFile" })
    case "Link":
      return root.access.confinement === "strict"
        ? new Errors.ChangedError({ path })
        : new Errors.OutsideError({ path, by: "Link" })
  }
}
