/** How large JSON from outside may be. */

/** How deep and how large a value may be. */
export interface Limits {
  readonly depth: number
  readonly values: number
  readonly characters: number
}

/** Containers inside each other. A recursive schema overflows the stack somewhere above 1,000. */
export const maxDepth = 128

/** Values in one document. A decoder needs about a microsecond for each. */
export const maxNodes = 100_000

/** Characters in all strings and keys together. What is longer belongs in a file, not in an argument. */
export const maxCharacters = 8 * 1024 * 1024

/** Of arguments and of anything else that came from outside. */
export const defaultLimits: Limits = { depth: maxDepth, values: maxNodes, characters: maxCharacters }
