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
  /** How many media parts of a call are sent. */
  readonly mediaParts: number
}

/** With what a host chose instead. Throws on what is no limit. */
export const chosen = (limits: Limits, choice: Partial<Limits> = {}): Limits => ({ ...limits, ...checked(choice) })

/** With what a turn lowers. Throws on what is no limit. */
export const lowered = (limits: Limits, choice: Partial<Limits> = {}): Limits => {
  const { bytes, lines, mediaBytes, mediaParts, mediaTotalBytes, turnBytes, turnLines } = chosen(limits, choice)
  return {
    lines: Math.min(lines, limits.lines),
    bytes: Math.min(bytes, limits.bytes),
    turnLines: Math.min(turnLines, limits.turnLines),
    turnBytes: Math.min(turnBytes, limits.turnBytes),
    mediaBytes: Math.min(mediaBytes, limits.mediaBytes),
    mediaTotalBytes: Math.min(mediaTotalBytes, limits.mediaTotalBytes),
    mediaParts: Math.min(mediaParts, limits.mediaParts)
  }
}

const checked = (choice: Partial<Limits>): Partial<Limits> => {
  for (const [name, limit] of Object.entries(choice)) {
    const least = name.startsWith("media") ? 0 : 1
    if (!Number.isSafeInteger(limit) || limit < least) {
      throw new RangeError(`${name} must be a whole number of at least ${least}, not ${limit}`)
    }
  }
  return choice
}
