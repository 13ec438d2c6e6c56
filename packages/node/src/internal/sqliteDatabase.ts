/** Opens a database of `node:sqlite` as a durable store wants it. */
import { DatabaseSync } from "node:sqlite"
import { busy, corrupt, refuse, ioError } from "./sqliteCodes.ts"
import * as SqliteFile from "./sqliteFile.ts"
import type { Before, Settings } from "./sqliteProtocol.ts"

/** How long a statement waits for the lock of another connection; longer waits are a `LockTimeoutError`. */
const busyTimeoutMillis = 5_000

/** Pause between two attempts where SQLite does not wait by itself. */
const retryMillis = 20

export interface Opened {
  readonly database: DatabaseSync
  /** None for a database in memory. */
  readonly file: SqliteFile.SqliteFile | undefined
}

/** `before` is what was open until it failed. */
export const open = (settings: Settings, before?: Before): Opened => {
  const file = isFile(settings.filename) ? SqliteFile.inspect(settings, before) : undefined
  const isDoubtful = before !== undefined || file?.isLeftOpen === true
  if (isDoubtful && file === undefined) return refuse(ioError, "what was in memory cannot be opened again")
  if (isDoubtful && file !== undefined) check(file)
  const database = new DatabaseSync(file?.url ?? settings.filename, {
    readOnly: settings.readOnly,
    timeout: busyTimeoutMillis,
    enableForeignKeyConstraints: true
  })
  try {
    if (!settings.readOnly) enableWal(database, busyTimeoutMillis / retryMillis)
    database.exec("PRAGMA synchronous = FULL")
    if (isDoubtful && !settings.readOnly) secure(database, before !== undefined)
  } catch (error) {
    database.close()
    throw error
  }
  return { database, file }
}

/** SQLite takes an empty name for a temporary database. */
const isFile = (filename: string): boolean => filename !== ":memory:" && filename !== ""

/**
 * Reads every page, so it is for databases that were not left in order. It can only read: closing a database that can
 * write would work the log into a file that is found damaged.
 */
const check = ({ url }: SqliteFile.SqliteFile): void => {
  const reading = new URL(url)
  reading.searchParams.set("mode", "ro")
  const database = new DatabaseSync(reading, { readOnly: true, timeout: busyTimeoutMillis })
  try {
    const [finding] = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})
    // A finding comes after a line that names the database.
    const found = String(finding).split("\n").at(-1)
    if (found !== "ok") refuse(corrupt, `the database is damaged (${found}): restore it from a copy`)
  } finally {
    database.close()
  }
}

/**
 * What whoever had it open wrote to the log and could not sync looks committed to whoever opens it next, and a later sync
 * says nothing about it. So it is written once more, to the file itself. With others at work that may not be possible at
 * once: who has lost its own sync waits for it, who finds an open log leaves it to them.
 */
const secure = (database: DatabaseSync, isNeeded: boolean): void => {
  const [isBusy, written, secured] = Object.values(database.prepare("PRAGMA wal_checkpoint(FULL)").get() ?? {})
  if (isNeeded && (isBusy !== 0 || written !== secured)) refuse(busy, "the database is in use and cannot be secured")
}

/** SQLite's own waiting does not cover this: two that open a new file at once would have one fail immediately. */
const enableWal = (database: DatabaseSync, attempts: number): void => {
  try {
    database.exec("PRAGMA journal_mode = WAL")
  } catch (error) {
    if (attempts <= 0 || Object(error).errcode !== busy) throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMillis)
    enableWal(database, attempts - 1)
  }
}
