/** Writes an output to a file, and only then says that it is there. */
import * as OutputStore from "@haft/core/OutputStore"
import type * as Session from "@haft/core/Session"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import { createHash } from "node:crypto"
import { type EarlySync, earlySync } from "./earlySync.ts"
import type { Access } from "./outputFilesAccess.ts"
import * as Directory from "./outputFilesDirectory.ts"
import type { Ledger } from "./outputFilesLedger.ts"
import * as Rows from "./outputFilesRows.ts"
import { forget, removeUnknown } from "./outputFilesSweep.ts"
import { isOutdated } from "./outputLimits.ts"
import { LineCounter } from "./outputLines.ts"
import { OutputPieces } from "./outputPieces.ts"
import { makeRef } from "./outputRef.ts"

/** Random, so that no two temporary files are ever the same. */
const nameBytes = 16

export const retain = (access: Access, ledger: Ledger, session: Session.ID, content: OutputStore.Content) =>
  Effect.scoped(
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const draft = makeDraft(access)
        yield* Effect.addFinalizer(() => (draft.isKept ? Effect.void : discard(access, ledger, draft)))
        const opened = yield* Scope.fork(yield* Effect.scope)
        const opening = Scope.provide(access.directory.files.open(draft.path, newFile), opened)
        const file = Fiber.join(yield* Effect.forkIn(opening, opened, { startImmediately: true }))
        const syncing = earlySync(Effect.flatMap(file, ({ sync }) => sync))
        const put = (piece: Uint8Array) => append(access, ledger, draft, { file, syncing }, piece)
        yield* restore(inPieces(content.bytes, put))
        yield* syncing.finish
        const committing = commit(access, ledger, draft, { session, mimeType: content.mimeType })
        const [retained] = yield* Effect.all([committing, Scope.close(opened, Exit.void)], { concurrency: 2 })
        return retained
      })
    )
  )

const newFile = { flag: "wx", mode: Directory.privateFile, noFollow: true } as const

/** An output that is being written. */
interface Draft {
  readonly path: string
  readonly digest: ReturnType<typeof createHash>
  readonly lines: LineCounter
  bytes: number
  isKept: boolean
}

const makeDraft = ({ directory, owner }: Access): Draft => ({
  path: Directory.temporaryPath(directory, owner, Hex.encode(SecureRandom.randomBytesUnsafe(nameBytes))),
  digest: createHash("sha256"),
  lines: new LineCounter(),
  bytes: 0,
  isKept: false
})

/** A file that cannot be removed now is removed by a sweep after this process has ended. */
const discard = ({ directory }: Access, ledger: Ledger, { bytes, path }: Draft) =>
  Effect.andThen(Effect.ignore(directory.files.remove(path, { force: true })), ledger.giveBack(bytes))

const inPieces = Effect.fnUntraced(function* <E>(
  bytes: Stream.Stream<Uint8Array>,
  put: (piece: Uint8Array) => Effect.Effect<void, E>
) {
  const pieces = new OutputPieces()
  const add = Effect.fnUntraced(function* (chunk: Uint8Array) {
    for (const piece of pieces.add(chunk)) yield* put(piece)
  })
  yield* Stream.runForEach(bytes, add)
  if (pieces.rest.length > 0) yield* put(pieces.rest)
})

/** Where a draft is written to. */
interface Written {
  readonly file: Effect.Effect<FileSystem.File, PlatformError.PlatformError>
  readonly syncing: EarlySync
}

const append = Effect.fnUntraced(function* (
  access: Access,
  ledger: Ledger,
  draft: Draft,
  { file, syncing }: Written,
  piece: Uint8Array
) {
  if (draft.bytes + piece.length > access.limits.maxOutputBytes) return yield* exceeded("output")
  yield* ledger.take(draft, piece.length)
  // This thread hashes while another opens and writes, and counts while the disk syncs.
  const writing = Effect.flatMap(file, ({ writeAll }) => writeAll(piece))
  yield* Effect.all([writing, Effect.sync(() => draft.digest.update(piece))], { concurrency: 2 })
  yield* syncing.begin
  draft.lines.add(piece)
})

const exceeded = (limit: "output" | "session") => new OutputStore.StorageError({ operation: "retain", limit })

/**
 * The rows and the file's name change while nobody else can look at either. The disk may make both durable at the same
 * time: a name that is lost without its rows, or the other way round, is one that nobody was told of.
 */
const commit = Effect.fnUntraced(function* (
  access: Access,
  ledger: Ledger,
  draft: Draft,
  whose: { readonly mimeType: string; readonly session: Session.ID }
) {
  const { directory, owner, sql } = access
  const { bytes, path } = draft
  const output = { ...whose, ref: makeRef(), hash: draft.digest.digest("hex"), bytes, lines: draft.lines.lines }
  const change = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // The first row takes the lock of the database.
    const named = Effect.andThen(claim(access, output, now), Directory.place(directory, path, output.hash))
    const synced = Effect.andThen(named, Effect.forkScoped(Directory.sync(directory), { startImmediately: true }))
    // None waits for another: a trip to the thread of the database takes longer than what is done there.
    const [syncing] = yield* Effect.all(
      [synced, Rows.insertContent(sql, output), Rows.reserveMore(sql, owner, -bytes)],
      { concurrency: "unbounded" }
    )
    return syncing
  })
  const changed = Effect.onError(sql.withTransaction(change), () => Effect.ignore(removeUnknown(access, output.hash)))
  const syncing = yield* changed
  draft.isKept = true
  ledger.spend(bytes)
  yield* Effect.onError(Fiber.join(syncing), () => Effect.ignore(forget(access, output.session, [output.ref])))
  return { ref: output.ref, bytes, lines: output.lines } satisfies OutputStore.Retained
})

/** The row of an output, if its session may have one more. A session that was over goes on. */
const claim = Effect.fnUntraced(function* ({ limits, sql }: Access, output: Rows.NewOutput, now: number) {
  const session = yield* Rows.insertOutput(sql, output, limits.maxSessionBytes)
  if (session === undefined) return yield* exceeded("session")
  const { is_released, used_at } = session
  const isOver = is_released !== 0 || used_at === null || isOutdated(used_at, now, limits)
  if (isOver) yield* Rows.revive(sql, output.session, now)
})
