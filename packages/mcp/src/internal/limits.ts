/** What a client may send. */

/** Arguments may have 8 MiB; an envelope around them needs little. */
export const maxFrameBytes = 10 * 1_048_576
