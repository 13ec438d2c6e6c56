/** The files of the repository, and what they must not give away about the machine that they were written on. */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { repository } from "./sources.ts"

export interface TextFile {
  readonly path: string
  readonly text: string
}

const read = (path: string): ReadonlyArray<TextFile> => {
  const text = Fs.readFileSync(Path.join(repository, path), "utf8")
  return text.includes("\0") ? [] : [{ path, text }]
}

/** All that git tracks and this checkout has, except binary files. */
export const trackedFiles = (): ReadonlyArray<TextFile> =>
  execFileSync("git", ["ls-files", "-z"], { cwd: repository, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && Fs.existsSync(Path.join(repository, path)))
    .flatMap(read)

/** Cases about paths need paths; nobody lives at this one. */
const invented = /^\/home\/user\b/

/** Where people and their checkouts live. The names stand apart so that this file does not match itself. */
const homes = new RegExp(String.raw`(?<![\w.~*-])/(?:${["root", "home", "Users"].join("|")})/[\w.-]+`, "g")

/** This checkout and this home, wherever they are; a path of one segment says nothing. */
const ownPlaces = [repository.replace(/\/$/, ""), Os.homedir()].filter((path) => path.split(Path.sep).length > 2)

export const machinePaths = ({ path, text }: TextFile): ReadonlyArray<string> => {
  const known = [...text.matchAll(homes)].map(([match]) => match).filter((match) => !invented.test(match))
  const own = ownPlaces.filter((place) => text.includes(place))
  return [...known, ...own].map((found) => `${path} names the directory ${found}`)
}

const registryHost = /https?:\/\/[\w.-]*(?:registry|npmmirror|artifactory)[\w.-]*/g

/** A lockfile without hosts installs from whichever registry its reader uses. */
const lockedTarball = /tarball: https?:\S+/g

export const registryHosts = ({ path, text }: TextFile): ReadonlyArray<string> =>
  [...text.matchAll(registryHost), ...text.matchAll(lockedTarball)].map(([found]) => `${path} names ${found}`)
