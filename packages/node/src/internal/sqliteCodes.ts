/** The result codes of SQLite that mean something here. An extended code has its primary one in the lowest byte. */

/** A lock that somebody else holds. */
export const busy = 5
/** The disk failed. What SQLite has in memory, and the system in its cache, may not be what is on the disk. */
export const ioError = 10
/** What is in the file is no sound database. */
export const corrupt = 11
/** The disk has no room. */
export const full = 13
/** There is no such file, or it may not be opened. */
export const cannotOpen = 14

export const primary = (code: number | undefined): number | undefined => (code === undefined ? undefined : code & 0xff)

/** An error that looks as if SQLite had thrown it. */
export const refuse = (errcode: number, message: string): never => {
  throw Object.assign(new Error(message), { errcode })
}
