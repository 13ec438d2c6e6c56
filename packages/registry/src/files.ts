/**
 * The `OutputStore` in a directory, with what is known about the files in a SQLite database: it survives its process, and
 * the processes of one machine can share it. It needs Effect's `FileSystem` and `SqlClient`, for instance those of
 * `@haft/node`; the database may be the one of `@haft/registry/sql`.
 *
 * Everything that decides about files happens in transactions of the database, so that its lock, which the kernel frees
 * when a process dies, is the only one. Use a database for one directory, and no other database for that directory.
 */
import * as OutputStore from "@haft/core/OutputStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { type Access, failsAs, outsideHosts } from "./internal/outputFilesAccess.ts"
import * as Ledger from "./internal/outputFilesLedger.ts"
import { open, type Verified } from "./internal/outputFilesOpen.ts"
import * as Opening from "./internal/outputFilesOpening.ts"
import { retain } from "./internal/outputFilesRetain.ts"
import * as Rows from "./internal/outputFilesRows.ts"
import { forget, sweep } from "./internal/outputFilesSweep.ts"
import * as Tables from "./internal/outputFilesTables.ts"
import * as InternalLimits from "./internal/outputLimits.ts"
import { searchSource } from "./internal/outputSearch.ts"
import { openRange } from "./internal/outputSource.ts"
import type { Owners } from "./internal/settlementStoreOwners.ts"

/** The store was not opened, and its outputs are as they were. */
export const RefusedError = Opening.RefusedError
export type RefusedError = Opening.RefusedError

/** How the store is run. */
export interface Options {
  /** Of this store alone, made when it is missing; other users must not be able to look into it. */
  readonly directory: string
  /** Without them 512 MiB for one output, 2 GiB for a session, 4 GiB for all, and a week after a release or 30 idle days. */
  readonly limits?: Partial<InternalLimits.Limits>
  /**
   * Without it a process that dies counts as writing until its row in `haft_output_writers` is removed, and what it had
   * begun stays. Processes that can be killed know better: give them `NodeOwners` of `@haft/node`.
   */
  readonly owners?: Owners
}

/**
 * Nothing is swept by itself, except when a new output needs the room: a host calls `release` when a session ends, and
 * runs `sweep` from time to time, say once an hour. A session that is never released is live until it was idle for
 * `maxIdleMillis`; a store that is full of live sessions refuses more. Not to be used inside `sql.withTransaction`.
 */
export const layerFileSystem = (
  options: Options
): Layer.Layer<
  OutputStore.Service,
  OutputStore.StorageError | RefusedError,
  FileSystem.FileSystem | SqlClient.SqlClient
> => Layer.effect(OutputStore.Service, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const outside = outsideHosts(yield* SqlClient.SqlClient)
  const access = yield* orUnopened(outside(prepare(options)))
  const ledger = yield* Ledger.make(access)
  return store(access, ledger)
})

const prepare = Effect.fnUntraced(function* (options: Options) {
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  const limits = InternalLimits.limitsOf(InternalLimits.defaults, options.limits)
  const isSqlite = sql.onDialectOrElse({ sqlite: () => true, orElse: () => false })
  if (!isSqlite) return yield* Opening.refuse("NotSqlite", "Files need a SQLite database: its lock guards them.")
  const directory = yield* Opening.openDirectory(options.directory)
  if ((yield* Tables.migrate) > Tables.version) {
    return yield* Opening.refuse(
      "NewerVersion",
      "A later release has used this database. Use that release or a later one."
    )
  }
  yield* Opening.bind(directory, sql)
  const owner = yield* enter(sql, options.owners)
  const access: Access = {
    directory,
    sql,
    limits,
    owner,
    isAlive: options.owners?.isAlive ?? (() => Effect.succeed(true))
  }
  return access
})

/** The owner is released last: as long as its row is there, its files count as being written. */
const enter = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, owners: Owners | undefined) {
  const owner = owners === undefined ? SecureRandom.uuidV4Unsafe() : yield* owners.acquire
  yield* Effect.acquireRelease(Rows.insertWriter(sql, owner), () => Effect.ignore(Rows.deleteWriter(sql, owner)))
  return owner
})

const orUnopened = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, (cause) =>
    cause instanceof Opening.RefusedError ? cause : new OutputStore.StorageError({ operation: "open", cause })
  )

const store = (access: Access, ledger: Ledger.Ledger): OutputStore.Interface => {
  const verified: Verified = new Map()
  const outside = outsideHosts(access.sql)
  return {
    retain: Effect.fn("OutputStore.retain")(
      (session, content) => retain(access, ledger, session, content),
      outside,
      failsAs("retain")
    ),
    open: Effect.fn("OutputStore.open")(
      function* (session, ref, range) {
        return yield* openRange(yield* open(access, verified, session, ref), range)
      },
      outside,
      orUnavailable("open")
    ),
    search: (session, ref, query) =>
      open(access, verified, session, ref).pipe(
        outside,
        orUnavailable("search"),
        Effect.map((source) => searchSource(source, query)),
        Stream.unwrap
      ),
    release: Effect.fn("OutputStore.release")(
      function* (session, refs) {
        if (refs === undefined) yield* Rows.release(access.sql, session, yield* Clock.currentTimeMillis)
        else if (refs.length > 0) yield* forget(access, session, refs)
      },
      outside,
      failsAs("release")
    ),
    sweep: sweep(access).pipe(outside, Effect.withSpan("OutputStore.sweep"), failsAs("sweep"))
  }
}

/** That an output is not there is for the caller to know; everything else is ours. */
const orUnavailable =
  (operation: "open" | "search") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.mapError(effect, (cause) =>
      cause instanceof OutputStore.UnavailableError || cause instanceof OutputStore.StorageError
        ? cause
        : new OutputStore.StorageError({ operation, cause })
    )
