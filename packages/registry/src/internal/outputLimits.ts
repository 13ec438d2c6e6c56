/** How much an output store keeps, and for how long. */

/** Every limit of a store. Bytes are those of the outputs themselves. */
export interface Limits {
  /** Of one output. */
  readonly maxOutputBytes: number
  /** Of all outputs of one session, each counted as often as it was kept. */
  readonly maxSessionBytes: number
  /** Of all outputs together, equal ones counted once. */
  readonly maxStoreBytes: number
  /** How long the outputs of a session can be read after it was released. */
  readonly maxAgeMillis: number
  /** A session that kept and opened nothing for so long counts as released, until it does again. */
  readonly maxIdleMillis: number
}

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3
const day = 24 * 60 * 60 * 1000

/**
 * One output: more than any log that somebody would still search. A session: a few of the largest. The store: what a
 * developer's disk has to spare. A week: long enough to come back to a conversation after a holiday weekend. Thirty days:
 * whoever comes back to a conversation that nobody ended does so within a month, and a host that died ended none.
 */
export const defaults: Limits = {
  maxOutputBytes: 512 * mebibyte,
  maxSessionBytes: 2 * gibibyte,
  maxStoreBytes: 4 * gibibyte,
  maxAgeMillis: 7 * day,
  maxIdleMillis: 30 * day
}

/** In memory a store shares the machine with whatever else its process does. */
export const memoryDefaults: Limits = { ...defaults, maxSessionBytes: gibibyte, maxStoreBytes: gibibyte }

/** The defaults with what a host chose instead. Throws on a limit that nothing could ever be within. */
export const limitsOf = (defaults: Limits, chosen: Partial<Limits> | undefined): Limits => {
  const limits = { ...defaults, ...chosen }
  for (const [name, value] of Object.entries(limits)) {
    if (!(value >= 1)) throw new RangeError(`${name} must be a number of at least 1, not ${value}`)
  }
  return limits
}

/** Which sessions are over: those released by then, and those that did nothing after that. */
export interface Over {
  readonly releasedBy: number
  readonly usedBy: number
}

/** Their outputs are in the way of newer ones. */
export const overAt = (now: number, { maxIdleMillis }: Limits): Over => ({
  releasedBy: Number.MAX_SAFE_INTEGER,
  usedBy: now - maxIdleMillis
})

/** Their outputs are too old. */
export const expiredAt = (now: number, { maxAgeMillis, maxIdleMillis }: Limits): Over => ({
  releasedBy: now - maxAgeMillis,
  usedBy: now - maxAgeMillis - maxIdleMillis
})

/** A use is noted at the earliest after this part of the idle age: most pages are read, and most outputs kept, without. */
const noteEvery = 1 / 100

/** Whether the last use that was noted is too long ago. One in the future was noted by a clock that was wrong. */
export const isOutdated = (usedAt: number, now: number, { maxIdleMillis }: Limits): boolean =>
  Math.abs(now - usedAt) > maxIdleMillis * noteEvery

/** How long a reference to a removed output is still answered as expired instead of unknown: longer than any session. */
export const tombstoneMillis = 30 * day

/** Which limit something would exceed. */
export type Exceeded = "output" | "session" | "store"
