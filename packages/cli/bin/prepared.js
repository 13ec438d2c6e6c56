/**
 * In a clone of the repository, the command starts from a bundle of its sources, which takes a third of the time and half
 * of the memory. The bundle is made when there is none, and again when a source has changed since.
 */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** Git ignores it, and whoever installs anew finds it empty. */
const cache = fileURLToPath(new URL("../node_modules/.cache/haft/", import.meta.url))

const script = fileURLToPath(new URL("../scripts/bundle.ts", import.meta.url))

/** Many times what it takes. A lock that is older belongs to somebody who died. */
const longestMs = 120_000

/** A server that runs may load a part of its bundle later, after sources have changed a few times. */
const kept = 5

/**
 * @typedef {{ readonly directory: string, readonly files: ReadonlyArray<readonly [path: string, mtimeMs: number, size: number]> }} Bundle
 */

/**
 * The module that starts the command. None if there is no bundle and none can be made: the sources do as well, slowly.
 * @param {string} [place]
 * @returns {string | undefined}
 */
export const prepared = (place = cache) => {
  const found = current(place)
  if (found !== undefined && found.files.every(isUnchanged)) return entryOf(found.directory)
  try {
    const made = exclusively(place, () => make(place))
    return made === undefined ? undefined : entryOf(made)
  } catch (error) {
    tell(`It could not be prepared, and starts from its sources: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

/** @param {string} directory */
const entryOf = (directory) => pathToFileURL(Path.join(directory, "start.js")).href

/** @param {string} text */
const tell = (text) => void process.stderr.write(`haft: ${text}\n`)

/** @param {string} place */
const noteOf = (place) => Path.join(place, "current.json")

/**
 * @param {string} place
 * @returns {Bundle | undefined}
 */
const current = (place) => {
  try {
    return JSON.parse(Fs.readFileSync(noteOf(place), "utf8"))
  } catch {
    return undefined
  }
}

/** @param {Bundle["files"][number]} file */
const isUnchanged = ([path, mtimeMs, size]) => {
  const now = Fs.statSync(path, { throwIfNoEntry: false })
  return now?.mtimeMs === mtimeMs && now.size === size
}

/**
 * Whoever comes while another makes the bundle does not wait for it.
 * @template A
 * @param {string} place
 * @param {() => A} run
 * @returns {A | undefined}
 */
const exclusively = (place, run) => {
  const lock = Path.join(place, "lock")
  Fs.mkdirSync(place, { recursive: true })
  const held = Fs.statSync(lock, { throwIfNoEntry: false })
  if (held !== undefined && Date.now() - held.mtimeMs > longestMs) Fs.rmSync(lock, { recursive: true, force: true })
  try {
    Fs.mkdirSync(lock)
  } catch {
    return undefined
  }
  try {
    return run()
  } finally {
    Fs.rmSync(lock, { recursive: true, force: true })
  }
}

/**
 * @param {string} place
 * @returns {string | undefined}
 */
const make = (place) => {
  tell("preparing this checkout, once after every change of its sources")
  const begun = Date.now()
  const directory = Fs.mkdtempSync(Path.join(place, "bundle-"))
  const { error, status, stderr, stdout } = spawnSync(process.execPath, [script, directory], {
    encoding: "utf8",
    timeout: longestMs
  })
  if (error !== undefined || status !== 0) {
    Fs.rmSync(directory, { recursive: true, force: true })
    throw error ?? new Error(stderr.trim().split("\n").at(-1) ?? `${script} failed`)
  }
  /** @type {ReadonlyArray<string>} */
  const paths = JSON.parse(stdout)
  const files = paths.map((path) => {
    const { mtimeMs, size } = Fs.statSync(path)
    return /** @type {const} */ ([path, mtimeMs, size])
  })
  // What was written meanwhile may be in it or not, so the next start makes another one.
  if (files.every(([, mtimeMs]) => mtimeMs < begun)) note(place, { directory, files })
  return directory
}

/**
 * @param {string} place
 * @param {Bundle} bundle
 */
const note = (place, bundle) => {
  const draft = Path.join(bundle.directory, "current.json")
  Fs.writeFileSync(draft, JSON.stringify(bundle))
  Fs.renameSync(draft, noteOf(place))
  const older = Fs.readdirSync(place)
    .filter((name) => name.startsWith("bundle-"))
    .map((name) => Path.join(place, name))
    .toSorted((one, other) => Fs.statSync(other).mtimeMs - Fs.statSync(one).mtimeMs)
  for (const directory of older.slice(kept)) Fs.rmSync(directory, { recursive: true, force: true })
}
