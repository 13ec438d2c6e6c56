/** What tells whether a file is still the one that it was, without reading it. */
import type { BigIntStats } from "node:fs"
import type { Kind } from "./fileErrors.ts"

/** Of a place where nothing is. */
export const absent = "absent"

/**
 * Nobody but the kernel sets the time of the last change, and it moves with the content, the mode and the owner. So two
 * equal identities mean an untouched file, and none of its bytes had to be read before somebody allowed it.
 */
export const identityOf = ({ ctimeNs, dev, ino, mtimeNs, size }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(":")

/** The same after a rename or a new link, which move the time of the last change, and after the system was started anew. */
export const contentOf = ({ ino, mtimeNs, size }: BigIntStats): string => [ino, size, mtimeNs].join(":")

/** Which directory it is, whatever happens inside. */
export const placeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

export const kindOf = (stats: BigIntStats): Kind => {
  if (stats.isFile()) return "File"
  if (stats.isDirectory()) return "Directory"
  if (stats.isFIFO()) return "Pipe"
  if (stats.isSocket()) return "Socket"
  return stats.isBlockDevice() || stats.isCharacterDevice() ? "Device" : "Unknown"
}
