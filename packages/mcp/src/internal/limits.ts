/** What a client may send. */

/** Arguments may have 8 MiB; an envelope around them needs little. */
export const maxFrameBytes = 10 * 1_048_576

/** A client that is left open over a working day may still need what it started; one that vanished never says so. */
export const sessionIdle = "8 hours"

/** How much longer an abandoned session may last. */
export const sweepEvery = "1 minute"
