/** Violations as they are found: kept as far as there is room, and counted from there on. */
import { type Code, maxBytes, maxTextLength, maxViolations, type Violation } from "../InvalidInput.ts"
import type { Bounded } from "./sentences.ts"

/** A violation that is put into words only if somebody is going to read it. */
interface Finding {
  readonly code: Code
  readonly tell: () => Violation
}

export class Found {
  private readonly kept: Array<Finding> = []
  private omitted = 0

  get isEmpty(): boolean {
    return this.kept.length === 0
  }

  /** Whether it begins with this. */
  startsWith(code: Code): boolean {
    return this.kept[0]?.code === code
  }

  has(code: Code): boolean {
    return this.kept.some((finding) => finding.code === code)
  }

  note(code: Code, tell: () => Violation): void {
    if (this.kept.length < maxViolations) this.kept.push({ code, tell })
    else this.omitted++
  }

  append(other: Found): void {
    for (const { code, tell } of other.kept) this.note(code, tell)
    this.omitted += other.omitted
  }

  /** All of them, unless there were more than are kept. */
  get complete(): ReadonlyArray<Violation> | undefined {
    return this.omitted > 0 ? undefined : this.kept.map(({ tell }) => tell())
  }

  /** Within the limits. After the first that does not fit, the rest is only counted. */
  bounded(): Bounded {
    const all = this.kept.map(({ tell }) => tell())
    let bytes = 0
    const fitting = all.filter((violation) => (bytes += utf8Length(JSON.stringify(violation))) <= maxBytes)
    return { violations: fitting, violationsOmitted: this.omitted + all.length - fitting.length }
  }
}

/** The only violation there is. */
export const only = (violation: Violation): Found => {
  const found = new Found()
  found.note(violation.code, () => violation)
  return found
}

/** Cuts what is too long; half a surrogate pair at the cut becomes a replacement character. */
export const shorten = (text: string): string =>
  text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1).toWellFormed()}…`

const utf8Length = (text: string): number => {
  let bytes = 0
  for (const character of text) bytes += utf8Width(character.codePointAt(0) ?? 0)
  return bytes
}

const utf8Width = (codePoint: number): number => {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}
