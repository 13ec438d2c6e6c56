/** Names of properties that a provider accepts: the tool's own where they are fit, and otherwise something close to them. */
import type { Profile } from "./modelProfile.ts"

/** Of the names that every provider accepts. */
const maxKeyLength = 64

export class KeyNames {
  private readonly fit: RegExp | undefined
  private readonly taken: Set<string>

  /** Fit names keep theirs, so no other may become one of them. */
  constructor({ propertyNames }: Profile, names: Iterable<string>) {
    this.fit = propertyNames === undefined ? undefined : new RegExp(`^(?:${propertyNames})$`)
    this.taken = new Set([...names].filter((name) => this.isFit(name)))
  }

  of(name: string): string {
    return this.isFit(name) ? name : this.unused(name.replace(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d|$)/, "_"))
  }

  private isFit(name: string): boolean {
    return this.fit === undefined || this.fit.test(name)
  }

  private unused(name: string, count = 1): string {
    const end = count === 1 ? "" : `_${count}`
    const key = name.slice(0, maxKeyLength - end.length) + end
    if (this.taken.has(key)) return this.unused(name, count + 1)
    this.taken.add(key)
    return key
  }
}
