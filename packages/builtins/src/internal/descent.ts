/**
 * Walks down from a root one name at a time, holding each directory by a pin. The kernel never follows a link: its text is
 * read and walked like any other, so that a link can lead anywhere inside the root and nowhere else.
 */
import { codeOf } from "./attempt.ts"
import { LoopError, OutsideError } from "./fileErrors.ts"
import { isKernelFileSystem } from "./kernelFileSystems.ts"
import * as PathText from "./pathText.ts"
import { type Access, at, linkText, type Pin } from "./pins.ts"

/** Linux follows forty. */
const maxLinks = 32

/** A directory that nothing below it can leave. */
export interface Root {
  readonly access: Access
  readonly pin: Pin
  /** Its real path when it was pinned. */
  readonly path: string
}

/** Why a walk ended although something is there. */
export type Obstacle = "NotDirectory" | "NotAllowed" | "KernelFile" | "Link"

/** How far a walk came. Nobody is told before a permission is granted. */
export interface Descent {
  /** All that were asked for, with links resolved. */
  readonly names: ReadonlyArray<string>
  /** One for each name as far as there is something. */
  readonly pins: ReadonlyArray<Pin>
  readonly obstacle: Obstacle | undefined
  readonly release: () => void
}

/** Resolves links inside the root. Throws `OutsideError` and `LoopError`. */
export const follow = (root: Root, path: string, names: ReadonlyArray<string>): Descent =>
  descend(new Walk(root, path, root.access.confinement === "strict"), names)

/** Goes exactly where it is told; a link is an obstacle. */
export const reach = (root: Root, path: string, names: ReadonlyArray<string>): Descent =>
  descend(new Walk(root, path, false), names)

const descend = (walk: Walk, names: ReadonlyArray<string>): Descent => {
  try {
    walk.run(names)
    return walk
  } catch (cause) {
    walk.release()
    throw cause
  }
}

class Walk implements Descent {
  readonly names: Array<string> = []
  readonly pins: Array<Pin> = []
  obstacle: Obstacle | undefined
  private links = 0
  private readonly root: Root
  private readonly path: string
  private readonly followsLinks: boolean

  constructor(root: Root, path: string, followsLinks: boolean) {
    this.root = root
    this.path = path
    this.followsLinks = followsLinks
  }

  run(names: ReadonlyArray<string>): void {
    const rest = names.toReversed()
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) rest.push(...this.step(name).toReversed())
  }

  readonly release = (): void => {
    for (const pin of this.pins.splice(0)) pin.release()
  }

  /** Gives what is to be walked in place of a link. */
  private step(name: string): ReadonlyArray<string> {
    if (name === "" || name === ".") return []
    if (name === "..") return this.back()
    const isOpen = this.obstacle === undefined && this.pins.length === this.names.length
    this.names.push(name)
    return isOpen ? this.enter(name) : []
  }

  /** To a directory that is held already; the kernel is not asked. */
  private back(): ReadonlyArray<string> {
    if (this.names.pop() === undefined)
      throw new OutsideError({ path: this.path, by: this.links > 0 ? "Link" : "Parent" })
    if (this.names.length === this.pins.length) this.obstacle = undefined
    if (this.names.length < this.pins.length) this.pins.pop()?.release()
    return []
  }

  private enter(name: string): ReadonlyArray<string> {
    const parent = this.pins.at(-1) ?? this.root.pin
    if (!parent.stats.isDirectory()) return this.stop("NotDirectory")
    const pin = this.pin(parent, name)
    if (pin === undefined) return []
    this.pins.push(pin)
    if (pin.stats.isSymbolicLink()) return this.replace(parent, name)
    if (pin.stats.dev === this.root.pin.stats.dev || !isKernelFileSystem(pin)) return []
    this.pins.pop()?.release()
    return this.stop("KernelFile")
  }

  private pin(parent: Pin, name: string): Pin | undefined {
    try {
      return this.root.access.pin(at(parent, name))
    } catch (cause) {
      const code = codeOf(cause)
      if (code === "EACCES" || code === "EPERM") this.stop("NotAllowed")
      else if (code !== "ENOENT") throw cause
      return undefined
    }
  }

  private stop(obstacle: Obstacle): ReadonlyArray<string> {
    this.obstacle = obstacle
    return []
  }

  private replace(parent: Pin, name: string): ReadonlyArray<string> {
    this.pins.pop()?.release()
    if (!this.followsLinks) return this.stop("Link")
    if (++this.links > maxLinks) throw new LoopError({ path: this.path })
    this.names.pop()
    const text = this.textOf(parent, name)
    if (!PathText.isAbsolute(text)) return text.split("/")
    const names = PathText.below(this.root.path, text)
    if (names === undefined) throw new OutsideError({ path: this.path, by: "Link" })
    this.release()
    this.names.length = 0
    return names
  }

  /** What was a link a moment ago is looked at once more. */
  private textOf(parent: Pin, name: string): string {
    try {
      const text = linkText(parent, name)
      if (text !== undefined) return text
    } catch (cause) {
      if (codeOf(cause) === "EINVAL" || codeOf(cause) === "ENOENT") return name
      throw cause
    }
    throw new OutsideError({ path: this.path, by: "Link" })
  }
}
