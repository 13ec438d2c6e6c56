/** Why a text could not be read as JSON. */

/** Keys and indices that lead to something in a text. */
export type Place = ReadonlyArray<string | number>

export type Reason =
  /** `position` is that of the character at which it became clear. */
  | { readonly code: "truncated" | "concatenated" | "unparseable"; readonly position: number }
  | { readonly code: "duplicate_key"; readonly path: Place }
  | { readonly code: "not_json"; readonly received: string; readonly path: Place }
  | { readonly code: "too_deep" | "too_large" }

/** Thrown inside a reading and caught where it began: a parser is full of places that can end it. */
export class Fault extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(reason.code)
    this.reason = reason
  }
}

/** The reason that a reading ended with, if it ended with one. A bug stays a bug. */
export const reasonOf = (cause: unknown): Reason => {
  if (cause instanceof Fault) return cause.reason
  throw cause
}

/** Both from 1 on, as editors count. */
export const lineAndColumn = (text: string, position: number): string => {
  const before = text.slice(0, position).split(/\r\n|\n|\r/)
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}
