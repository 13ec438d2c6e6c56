/** Lock files of owners: an owner is alive as long as somebody holds the lock of its file. */
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isOnNetwork } from "./networkFileSystem.ts"
import { busy, cannotOpen } from "./sqliteCodes.ts"

/** A held lock. */
export interface OwnerLock {
  readonly owner: string
  readonly release: () => void
}

const extension = ".lock"

/** Somebody who looks or sweeps at the wrong moment can spoil an attempt; each has a name of its own. */
const attempts = 10

/** Also removes the files that dead owners left. */
export const take = (directory: string): OwnerLock => {
  Fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (isOnNetwork(directory)) throw new Error("locks on a network file system cannot be trusted")
  for (const name of Fs.readdirSync(directory)) if (name.endsWith(extension)) sweep(join(directory, name))
  for (let attempt = 0; attempt < attempts; attempt++) {
    const lock = create(directory)
    if (lock !== undefined) return lock
  }
  throw new Error(`no lock could be taken in ${attempts} attempts`)
}

/** A missing file is no lock; any other trouble could hide one. */
export const isHeld = (directory: string, owner: string): boolean => {
  try {
    const database = new DatabaseSync(join(directory, owner + extension), { readOnly: true, timeout: 0 })
    try {
      database.exec("SELECT 1 FROM sqlite_schema")
      return false
    } finally {
      database.close()
    }
  } catch (error) {
    return codeOf(error) !== cannotOpen
  }
}

/** Undefined if a sweeper took it for a dead owner's between its creation and its lock. */
const create = (directory: string): OwnerLock | undefined => {
  const owner = randomUUID()
  const path = join(directory, owner + extension)
  const database = lock(path)
  if (database === undefined) return undefined
  const release = () => {
    Fs.rmSync(path, { force: true })
    database.close()
  }
  if (Fs.existsSync(path)) return { owner, release }
  database.close()
  return undefined
}

/** Under its lock, so that no owner can believe it has a file that is gone. What is no lock of ours stays. */
const sweep = (path: string): void => {
  try {
    const database = lock(path)
    if (database === undefined) return
    Fs.rmSync(path, { force: true })
    database.close()
  } catch {
    return
  }
}

const lock = (path: string): DatabaseSync | undefined => {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Nothing is ever written, so no journal needs to be left behind.
    database.exec("PRAGMA journal_mode = MEMORY")
    database.exec("BEGIN EXCLUSIVE")
    return database
  } catch (error) {
    database.close()
    if (codeOf(error) !== busy) throw error
    return undefined
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "errcode" in error ? error.errcode : undefined)
