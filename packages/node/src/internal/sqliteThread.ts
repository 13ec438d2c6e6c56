/**
 * The worker thread behind one SQLite database: requests with replies, and a typed error for each that it dies with.
 * Another takes its place, and checks the file as after any unclean end.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as SqlError from "effect/sql/SqlError"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { disconnected, fromFailure } from "./sqliteError.ts"
import type { Before, Message, Outcome, Reply, Request, Results, Settings, Start } from "./sqliteProtocol.ts"

/** What a connection needs of the thread; who starts it also ends it. */
export interface SqliteThread {
  /**
   * Waits for the reply even when interrupted: SQLite cannot be stopped half way, and the connection must not go to
   * somebody else while it still works for this request.
   */
  readonly request: <R extends Request>(request: R) => Effect.Effect<Results[R["_tag"]], SqlError.SqlError>
  /**
   * Opens the database again if it has failed, on another thread if its own has died. For whoever gets the connection,
   * before the first query: what is left of a transaction is refused until then.
   */
  readonly ready: Effect.Effect<void, SqlError.SqlError>
  /** Whether the last reply left a transaction open. */
  readonly inTransaction: () => boolean
}

/** Opens the database on a thread of its own; closing the Scope answers what was asked, then ends the thread. */
export const start = (settings: Settings): Effect.Effect<SqliteThread, SqlError.SqlError, Scope.Scope> =>
  Effect.acquireRelease(Effect.try({ try: () => spawn(settings), catch: disconnected }), (thread) => thread.end).pipe(
    Effect.tap((thread) => thread.ready)
  )

/** Source runs as TypeScript and the published package as JavaScript; the worker lies beside this file in both. */
const workerUrl = new URL(`./sqliteWorker${extname(new URL(import.meta.url).pathname)}`, import.meta.url)

type Settle = (reply: Effect.Effect<unknown, SqlError.SqlError>) => void

const spawn = (settings: Settings) => {
  const pending = new Map<number, Settle>()
  let inTransaction = false
  let isReady = false
  let before: Before | undefined
  let ended: { readonly cause: unknown } | undefined
  let isReleased = false
  let nextId = 0

  const fail = (cause: unknown) => {
    ended ??= { cause }
    inTransaction = false
    isReady = false
    for (const settle of pending.values()) settle(Effect.fail(disconnected(ended.cause)))
    pending.clear()
  }
  const launch = () => {
    const worker = new Worker(workerUrl, { name: "sqlite", workerData: { settings, before } satisfies Start })
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()))
    worker.on("message", (reply: Reply) => {
      inTransaction = reply.inTransaction
      // One that was given up may still answer what it was asked, and is not asked any more.
      isReady = reply.isReady && ended === undefined
      pending.get(reply.id)?.(settled(reply.outcome))
      pending.delete(reply.id)
    })
    worker.on("messageerror", fail)
    worker.on("error", fail)
    worker.on("exit", (code) => fail(new Error(`the SQLite worker ended with code ${code}`)))
    return { worker, exited }
  }
  let thread = launch()

  const ask = (request: Request, settle: Settle) => {
    if (ended !== undefined) return settle(Effect.fail(disconnected(ended.cause)))
    const message: Message = { id: nextId++, request }
    pending.set(message.id, settle)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.worker.postMessage(message)
  }
  const end = Effect.promise(() => {
    isReleased = true
    if (ended === undefined) ask({ _tag: "Disconnect" }, () => {})
    else void thread.worker.terminate()
    ended ??= { cause: released() }
    return thread.exited
  })
  // The worker is part of this package and answers as `Results` says.
  const request = <R extends Request>(request: R) =>
    Effect.uninterruptible(
      Effect.callback<Results[R["_tag"]], SqlError.SqlError>((settle) => ask(request, settle as Settle))
    )
  // Only once the dead one is gone: as long as it has the file, what it left is not settled.
  const replace = Effect.uninterruptible(
    Effect.andThen(
      Effect.promise(() => {
        void thread.worker.terminate()
        return thread.exited
      }),
      Effect.try({
        try: () => {
          // Nobody would end another one.
          if (isReleased) throw released()
          thread = launch()
          ended = undefined
        },
        catch: disconnected
      })
    )
  )
  const connect = Effect.asVoid(
    Effect.tap(request({ _tag: "Connect" }), (opened) => Effect.sync(() => void (before = opened)))
  )
  const ready = Effect.suspend(() => {
    if (isReady) return Effect.void
    return ended === undefined || isReleased ? connect : Effect.andThen(replace, connect)
  })
  return { request, ready, inTransaction: () => inTransaction, end }
}

const released = (): Error => new Error("the client was released")

const settled = (outcome: Outcome) =>
  outcome._tag === "Success" ? Effect.succeed(outcome.value) : Effect.fail(fromFailure(outcome.failure))
