/** What a fetch may cost. A host can choose other values, up to the ceilings. */
import * as Duration from "effect/Duration"

/** What a host may choose. */
export interface LimitOptions {
  /** For everything from the first look-up to the last byte; 30 seconds, and at most 120. */
  readonly timeLimit?: Duration.Input
  /** Of the unpacked content; 5 MiB, and at most 20. */
  readonly maxBytes?: number
  /** 5, and at most 20. */
  readonly maxRedirects?: number
  /** 80 and 443: whatever listens elsewhere was hardly meant for the public. */
  readonly ports?: ReadonlyArray<number>
}

export interface Limits {
  readonly timeMs: number
  readonly maxBytes: number
  readonly maxRedirects: number
  readonly ports: ReadonlySet<number>
}

const mebibyte = 1024 * 1024

/** A model waits no longer for a page. */
const defaultTimeMs = 30_000
/** A person does not wait longer for a model. */
const maxTimeMs = 120_000
/** More text than any model reads. */
const defaultBytes = 5 * mebibyte
/** All of it is in memory at once. */
const maxBytes = 20 * mebibyte
const defaultRedirects = 5
/** As browsers do. */
const maxRedirects = 20

/** No server that is in use takes longer ones. */
export const maxUrlBytes = 8192
/** The longest name that DNS can carry. */
export const maxHostLength = 253
/** Of an answer: cookies and policies of large sites fit. */
export const maxHeaderBytes = 64 * 1024

/**
 * Everything that a server may send for a content: honest ones send little besides. Without a limit the marks between chunks,
 * answers that announce another one and packed data that unpack to nothing go on until the time is over.
 */
export const maxSentBytes = ({ maxBytes }: Limits): number => 2 * maxBytes + mebibyte

/** A text compresses ten to twenty times; only a bomb does more than a hundred. */
export const maxRatio = 100
/** Short contents may be as regular as they like. */
export const ratioFromBytes = mebibyte

/** A limit that nobody can mean is a mistake of the host's. */
export const limitsOf = (options: LimitOptions): Limits => ({
  timeMs: checked("timeLimit in milliseconds", Duration.toMillis(options.timeLimit ?? defaultTimeMs), 1, maxTimeMs),
  maxBytes: checked("maxBytes", options.maxBytes ?? defaultBytes, 1, maxBytes),
  maxRedirects: checked("maxRedirects", options.maxRedirects ?? defaultRedirects, 0, maxRedirects),
  ports: new Set((options.ports ?? [80, 443]).map((port) => checked("port", port, 1, 65_535)))
})

const checked = (name: string, value: number, least: number, most: number): number => {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new RangeError(`${name} must be a whole number between ${least} and ${most}, not ${value}`)
}
