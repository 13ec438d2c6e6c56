/** Moves bytes between memory and an open file, in pieces that let an interruption through. */
import * as Effect from "effect/Effect"
import type { FileHandle } from "node:fs/promises"
import { attemptPromise } from "./attempt.ts"
import type { FileError } from "./fileErrors.ts"

/** Long enough for speed, short enough that an interruption does not wait. */
const chunkBytes = 4 * 1024 * 1024

/** Fills the buffer as far as the file goes, and gives how far that was. */
export const readInto = Effect.fnUntraced(function* (
  path: string,
  handle: FileHandle,
  buffer: Uint8Array,
  position: number
): Effect.fn.Return<number, FileError> {
  let filled = 0
  while (filled < buffer.length) {
    const [start, length] = [filled, Math.min(chunkBytes, buffer.length - filled)]
    const { bytesRead } = yield* attemptPromise(path, () => handle.read(buffer, start, length, position + start))
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
})

/** Writes all of it: the system may take less at once than it is given. */
export const writeAll = Effect.fnUntraced(function* (
  path: string,
  handle: FileHandle,
  bytes: Uint8Array
): Effect.fn.Return<void, FileError> {
  let written = 0
  while (written < bytes.length) {
    const [start, length] = [written, Math.min(chunkBytes, bytes.length - written)]
    written += (yield* attemptPromise(path, () => handle.write(bytes, start, length, start))).bytesWritten
  }
})
