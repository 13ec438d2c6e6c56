/**
 * The file of a database before SQLite sees it: whether it is the right one, whose it is, and whether it was left in
 * order. Nothing that exists is opened here: closing a descriptor would free the locks that SQLite has on the file.
 */
import * as Fs from "node:fs"
import { dirname, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { isOnNetwork } from "./networkFileSystem.ts"
import { cannotOpen, corrupt, refuse } from "./sqliteCodes.ts"
import type { Before, Settings } from "./sqliteProtocol.ts"

export interface SqliteFile {
  /** Lets SQLite open the file that is there, and make none. */
  readonly url: URL
  /** Another one if somebody puts another file in its place. */
  readonly identity: string
  /** Somebody has the database open, or died with it open. */
  readonly isLeftOpen: boolean
}

/** Refuses with a reason what must not be opened. A missing file is made, unless it was there `before`. */
export const inspect = (settings: Settings, before: Before | undefined): SqliteFile => {
  const path = resolve(settings.filename)
  assertUsable(dirname(path))
  if (settings.access === "owner") assertPrivate(dirname(path), "700")
  // The log first: whoever makes a database writes to the log only after the file itself.
  const logSize = statOf(logOf(path))?.size ?? 0
  const stat = statOf(path) ?? create(path, settings, before, logSize)
  const identity = `${stat.dev}:${stat.ino}`
  if (logSize > 0 && stat.size === 0) refuse(corrupt, `${path} is empty, but ${logOf(path)} is not: restore it`)
  if (stat.nlink > 1) refuse(cannotOpen, `${path} has several names: SQLite would keep a log under each of them`)
  if (before !== undefined && before.identity !== identity) refuse(cannotOpen, `${path} was replaced while it was open`)
  if (settings.access === "owner") for (const name of [path, logOf(path), `${path}-shm`]) assertPrivate(name, "600")
  return { url: urlOf(path, settings.readOnly), identity, isLeftOpen: logSize > 0 }
}

const assertUsable = (directory: string): void => {
  if (!Fs.existsSync(directory)) refuse(cannotOpen, `there is no directory ${directory}: make it first, with mode 700`)
  if (isOnNetwork(directory)) refuse(cannotOpen, `${directory} is on a network file system, where SQLite loses writes`)
}

const logOf = (path: string): string => `${path}-wal`

const statOf = (path: string): Fs.Stats | undefined => Fs.lstatSync(path, { throwIfNoEntry: false })

/** Never in place of one that was there: its log would be thrown away with it. */
const create = (path: string, { readOnly }: Settings, before: Before | undefined, logSize: number): Fs.Stats => {
  if (readOnly || before !== undefined) refuse(cannotOpen, `there is no database ${path}`)
  if (logSize > 0) refuse(corrupt, `${path} is gone, but ${logOf(path)} is not: restore it`)
  try {
    Fs.closeSync(Fs.openSync(path, "wx", 0o600))
  } catch (error) {
    // Somebody else made it meanwhile.
    if (statOf(path) === undefined) throw error
  }
  return Fs.lstatSync(path)
}

/** Records hold what tools returned. In a directory of our own nobody can put another file in place of this one. */
const assertPrivate = (path: string, mode: string): void => {
  const user = process.geteuid?.()
  const stat = statOf(path)
  if (user === undefined || stat === undefined) return
  const fault = faultOf(stat, user, mode)
  if (fault !== undefined) refuse(cannotOpen, `${path} ${fault}, or open the database with access "any"`)
}

const others = 0o077

/** What is wrong with a file or directory that should be this user's alone, and what to do about it. */
export const faultOf = (
  stat: Pick<Fs.Stats, "isSymbolicLink" | "uid" | "mode">,
  user: number,
  mode: string
): string | undefined => {
  if (stat.isSymbolicLink()) return "is a symbolic link: name the place it leads to"
  if (stat.uid !== user) return "belongs to another user: change its owner"
  return (stat.mode & others) === 0 ? undefined : `is open to other users: change its mode to ${mode}`
}

const urlOf = (path: string, readOnly: boolean): URL => {
  const url = pathToFileURL(path)
  url.searchParams.set("mode", readOnly ? "ro" : "rw")
  return url
}
