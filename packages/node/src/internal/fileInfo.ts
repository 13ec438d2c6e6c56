/** Node's stat results and directory entries in Effect's terms. */
import * as ByteSize from "effect/ByteSize"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as NodeFs from "node:fs"

/** The kind of the entry itself: a link is a link, whatever it points to. */
export const toType = (entry: NodeFs.Dirent | NodeFs.BigIntStats): FileSystem.File.Type => {
  if (entry.isFile()) return "File"
  if (entry.isDirectory()) return "Directory"
  if (entry.isSymbolicLink()) return "SymbolicLink"
  if (entry.isFIFO()) return "FIFO"
  if (entry.isSocket()) return "Socket"
  if (entry.isBlockDevice()) return "BlockDevice"
  return entry.isCharacterDevice() ? "CharacterDevice" : "Unknown"
}

/** Every field of the file's metadata; Node reports all of them. */
export const toInfo = (stat: NodeFs.BigIntStats): FileSystem.File.Info => ({
  type: toType(stat),
  mtime: Option.some(stat.mtime),
  atime: Option.some(stat.atime),
  birthtime: Option.some(stat.birthtime),
  dev: unsigned(stat.dev),
  ino: Option.some(unsigned(stat.ino)),
  mode: Number(stat.mode),
  nlink: Option.some(unsigned(stat.nlink)),
  uid: Option.some(Number(stat.uid)),
  gid: Option.some(Number(stat.gid)),
  rdev: Option.some(unsigned(stat.rdev)),
  size: ByteSize.bytes(stat.size),
  blksize: Option.some(ByteSize.bytes(stat.blksize)),
  blocks: Option.some(stat.blocks)
})

// Node hands the kernel's unsigned 64-bit numbers over as signed ones.
const unsigned = (value: bigint): bigint => BigInt.asUintN(64, value)
