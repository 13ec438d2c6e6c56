/** Opens an output of a store on files. What is read was checked against its hash, once for as long as it is unchanged. */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import type * as Session from "@haft/core/Session"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { Access } from "./outputFilesAccess.ts"
import * as Directory from "./outputFilesDirectory.ts"
import * as Rows from "./outputFilesRows.ts"
import { isOutdated, overAt } from "./outputLimits.ts"
import type { Source } from "./outputSource.ts"

/** One read: few trips to the disk, and little of this thread's time for each. */
const chunkBytes = 256 * 1024

/** Remembered as unchanged. Pages are read from few outputs at a time. */
const maxVerified = 1000

/** By hash, what the file was like when its bytes were right. */
export type Verified = Map<string, string>

/** Readable until the Scope closes: an open file outlives its name. */
export const open = Effect.fnUntraced(function* (
  access: Access,
  verified: Verified,
  session: Session.ID,
  ref: ManagedOutput.Ref
) {
  const row = yield* Rows.findOutput(access.sql, session, ref)
  if (row === undefined) return yield* unavailable("Unknown")
  if (row.hash === null) return yield* unavailable("Expired")
  const opened = yield* Effect.result(Directory.openContent(access.directory, row.hash))
  if (opened._tag === "Failure") return yield* unopened(access, session, ref, opened.failure)
  const file = opened.success
  if (!(yield* isIntact(file, row.hash, row.bytes, verified))) return yield* lost(ref)
  yield* noteUse(access, session, row.used_at)
  const { bytes, lines, mime_type } = row
  return { mimeType: mime_type, bytes, lines, read: (offset, end) => read(file, offset, end) } satisfies Source
})

/** What is there can be read, even where nothing can be written any more. */
const noteUse = Effect.fnUntraced(function* ({ limits, sql }: Access, session: Session.ID, usedAt: number) {
  const now = yield* Clock.currentTimeMillis
  if (isOutdated(usedAt, now, limits)) yield* Effect.ignore(Rows.noteUse(sql, session, now))
})

const unavailable = (reason: OutputStore.UnavailableError["reason"]) => new OutputStore.UnavailableError({ reason })

/** Somebody has to know, and the model cannot do anything about it. */
const lost = (ref: ManagedOutput.Ref) =>
  Effect.andThen(
    Effect.annotateLogs(Effect.logError("a kept output is missing or damaged"), { ref }),
    Effect.fail(unavailable("Lost"))
  )

/** A sweep removes the file before its rows, so a file that is gone means something else in a session that is over. */
const unopened = Effect.fnUntraced(function* (
  { limits, sql }: Access,
  session: Session.ID,
  ref: ManagedOutput.Ref,
  error: Effect.Error<ReturnType<typeof Directory.openContent>>
) {
  if (error.reason._tag !== "NotFound" && error.reason._tag !== "BadResource") return yield* error
  const row = yield* Rows.findOutput(sql, session, ref)
  const { usedBy } = overAt(yield* Clock.currentTimeMillis, limits)
  const isExpired = row === undefined || row.hash === null || row.is_released !== 0 || row.used_at <= usedBy
  return yield* isExpired ? Effect.fail(unavailable("Expired")) : lost(ref)
})

const isIntact = Effect.fnUntraced(function* (file: FileSystem.File, hash: string, bytes: number, verified: Verified) {
  const { ino, mtime, size, type } = yield* file.stat
  if (type !== "File" || size !== BigInt(bytes)) return false
  const identity = [Option.getOrUndefined(ino), Option.getOrUndefined(mtime)?.getTime()].join()
  if (verified.get(hash) === identity) return true
  const digest = createHash("sha256")
  yield* Stream.runForEach(read(file, 0, bytes), (chunk) => Effect.sync(() => digest.update(chunk)))
  if (digest.digest("hex") !== hash) return false
  remember(verified, hash, identity)
  return true
})

const remember = (verified: Verified, hash: string, identity: string): void => {
  verified.set(hash, identity)
  const [oldest] = verified.keys()
  if (oldest !== undefined && verified.size > maxVerified) verified.delete(oldest)
}

const read = (
  file: FileSystem.File,
  offset: number,
  end: number
): Stream.Stream<Uint8Array, OutputStore.StorageError> =>
  Stream.unfold(offset, (at) => (at >= end ? Effect.undefined : readAt(file, at, Math.min(chunkBytes, end - at)))).pipe(
    Stream.mapError((cause) => new OutputStore.StorageError({ operation: "open", cause }))
  )

/** Never less than was promised without a word. */
const readAt = Effect.fnUntraced(function* (file: FileSystem.File, at: number, count: number) {
  const chunk = yield* file.readAlloc(count, { position: BigInt(at) })
  if (Option.isNone(chunk)) return yield* Effect.fail(new Error("the file ends before its output"))
  return [chunk.value, at + chunk.value.length] as const
})
