/** Every sentence of this package that a client, or a person behind one, reads. */

/** The code is ours and says nothing about inputs or outputs. */
export const unsettled = (code: string): string =>
  `The call could not be completed (${code}). It is not the client's fault.`

export const unknownOutput = "There is no such output for this client."

/** Why a reference leads nowhere. */
export const unavailable = {
  Unknown: unknownOutput,
  Expired: "The output was kept, and has been removed since to make room. Make the call again.",
  Lost: "The output is damaged and is not shown. Make the call again."
} as const

export const unreadableOutput = "The output cannot be read at the moment."

/** Stands at the end of a page of a kept output. */
export const moreOutput = (next: string, total: number): string =>
  `[There are more bytes, ${total} in all. Go on with ${next}]`

/** The answer to input that cannot be read as a message. */
export const badFrame = (fault: "TooLong" | "NotJson", maxBytes: number): string =>
  fault === "TooLong"
    ? `The message is longer than ${maxBytes} bytes and was not read. Send less at once.`
    : "The line is not a JSON message. Send one JSON-RPC message on each line."

export const badHost = "This server does not go by that name. Use the address that it printed when it started."

export const badOrigin = "Pages of that origin may not use this server. Its operator can allow the origin."

export const badToken = "A token is missing or wrong. Send the one of this server as: Authorization: Bearer <token>"

export const bodyTooLarge = (maxBytes: number): string =>
  `The message is longer than ${maxBytes} bytes and was not read. Send less at once.`
