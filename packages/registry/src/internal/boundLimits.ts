/** How much of a call, and of a turn, a model reads. */

/** Each is a whole number. */
export interface Limits {
  /** Of one call, texts and structured value together. */
  readonly lines: number
  /** Of one call in UTF-8, texts and structured value together. */
  readonly bytes: number
  /** Of all calls of a turn together. */
  readonly turnLines: number
  /** Of all calls of a turn together. */
  readonly turnBytes: number
  /** Of one media part. With 0 none is sent: all are kept, and notes take their places. */
  readonly mediaBytes: number
  /** Of all media parts of a call together. */
  readonly mediaTotalBytes: number
  /** Of all media parts of all calls of a turn together. */
  readonly turnMediaBytes: number
  /** How many media parts of a call are sent. */
  readonly mediaParts: number
  /** How many media parts of all calls of a turn are sent. */
  readonly turnMediaParts: number
}

/** With what a host chose instead. Throws on what is no limit. */
export const chosen = (limits: Limits, choice: Partial<Limits> = {}): Limits => ({ ...limits, ...checked(choice) })

/** With what a turn lowers. Throws on what is no limit. */
export const lowered = (limits: Limits, choice: Partial<Limits> = {}): Limits => {
  const lower = chosen(limits, choice)
  const least = (name: keyof Limits) => Math.min(lower[name], limits[name])
  return {
    lines: least("lines"),
    bytes: least("bytes"),
    turnLines: least("turnLines"),
    turnBytes: least("turnBytes"),
    mediaBytes: least("mediaBytes"),
    mediaTotalBytes: least("mediaTotalBytes"),
    turnMediaBytes: least("turnMediaBytes"),
    mediaParts: least("mediaParts"),
    turnMediaParts: least("turnMediaParts")
  }
}

/** Text is always shown, media need not be. */
const mayBeNone = new Set(["mediaBytes", "mediaTotalBytes", "turnMediaBytes", "mediaParts", "turnMediaParts"])

const checked = (choice: Partial<Limits>): Partial<Limits> => {
  for (const [name, limit] of Object.entries(choice)) {
    const least = mayBeNone.has(name) ? 0 : 1
    if (!Number.isSafeInteger(limit) || limit < least) {
      throw new RangeError(`${name} must be a whole number of at least ${least}, not ${limit}`)
    }
  }
  return choice
}
