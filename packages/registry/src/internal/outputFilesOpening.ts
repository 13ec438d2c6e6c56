/** Opens the directory of an output store, or refuses one that is not safe or not this store's. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as SqlClient from "effect/sql/SqlClient"
import { getuid } from "node:process"
import { exclusively } from "./outputFilesAccess.ts"
import * as Directory from "./outputFilesDirectory.ts"

/** Why a directory or a database is refused. */
export const Refusal = Schema.Literals([
  "NoDirectory",
  "ForeignOwner",
  "NotPrivate",
  "OtherDatabase",
  "DirectoryLost",
  "NewerVersion",
  "NotSqlite"
])
export type Refusal = typeof Refusal.Type

/** The store was not opened, and its outputs are as they were. */
export class RefusedError extends Schema.TaggedError<RefusedError>()("files.RefusedError", {
  reason: Refusal,
  /** For the operator: what is wrong and what to do. */
  message: Schema.String
}) {}

/** Missing directories are made, for their owner alone. */
export const openDirectory = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  yield* files
    .makeDirectory(path, { recursive: true, mode: Directory.privateDirectory })
    .pipe(Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.void))
  const { mode, type, uid } = yield* files.lstat(path)
  if (type !== "Directory") return yield* refuse("NoDirectory", `${path} is a ${type}. Name the directory itself.`)
  // Windows has no user ids.
  const self = getuid?.()
  if (self !== undefined && Option.getOrUndefined(uid) !== self) {
    return yield* refuse("ForeignOwner", `${path} belongs to another user. Choose a directory of your own.`)
  }
  if ((mode & Directory.others) !== 0) {
    return yield* refuse("NotPrivate", `${path} is open to other users. Make it private with: chmod 700`)
  }
  const real = yield* files.realPath(path)
  return { files, path: real, handle: yield* files.open(real) } satisfies Directory.Directory
})

const marker = "haft-outputs"

/**
 * A directory and a database belong together: each has the same id. Otherwise a store would take the files of another for
 * leftovers. The database has it first, so that whoever dies in between can go on.
 */
export const bind = Effect.fnUntraced(function* (directory: Directory.Directory, sql: SqlClient.SqlClient) {
  const id = yield* exclusively(sql, storeID(sql))
  yield* exclusively(sql, mark(directory, sql, id))
})

const mark = Effect.fnUntraced(function* (directory: Directory.Directory, sql: SqlClient.SqlClient, id: string) {
  const found = yield* readMarker(directory)
  if (found === id) return
  const { path } = directory
  if (found !== undefined) {
    const message = `${path} belongs to the store of another database. Use that database, or another directory.`
    return yield* refuse("OtherDatabase", message)
  }
  if ((yield* sql`SELECT 1 FROM haft_output_contents LIMIT 1`).length > 0) {
    const message = `${path} has no outputs, but the database has. Name the directory that it was used with.`
    return yield* refuse("DirectoryLost", message)
  }
  yield* writeMarker(directory, id)
})

const storeID = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [row] = yield* sql<{ readonly id: string }>`SELECT id FROM haft_output_store`
  if (row !== undefined) return row.id
  const id = SecureRandom.uuidV4Unsafe()
  yield* sql`INSERT INTO haft_output_store ${sql.insert({ id })}`
  return id
})

const readMarker = ({ files, path }: Directory.Directory) =>
  files.readFileString(`${path}/${marker}`).pipe(
    Effect.map((text): string | undefined => text.trim()),
    Effect.catchReason("PlatformError", "NotFound", () => Effect.undefined)
  )

/** Whole or not at all. Somebody who died on the way left a file that is written over. */
const writeMarker = Effect.fnUntraced(function* (directory: Directory.Directory, id: string) {
  const { files, path } = directory
  const unfinished = `${path}/${marker}.new`
  const bytes = new TextEncoder().encode(`${id}\n`)
  yield* Effect.scoped(
    Effect.flatMap(files.open(unfinished, { flag: "w", mode: Directory.privateFile, noFollow: true }), (file) =>
      Effect.andThen(file.writeAll(bytes), file.sync)
    )
  )
  yield* files.rename(unfinished, `${path}/${marker}`)
  yield* Directory.sync(directory)
})

/** What `openDirectory`, `bind` and the layer itself refuse with. */
export const refuse = (reason: Refusal, message: string) => new RefusedError({ reason, message })
