/**
 * Where Git takes programs from because a file of the project says so: the directory of `core.hooksPath`, and the one that a
 * `.git` file points to. Only who reads these files can know, so the tools tell it to whoever decides.
 */
import * as Effect from "effect/Effect"
import type * as LocationFiles from "../LocationFiles.ts"

/** Longer than any that people write, and nothing to wait for. */
const maxConfigBytes = 64 * 1024

/** Finds what a path stands for, in the root or in a directory outside. */
type Resolve = LocationFiles.Interface["resolve"]

/** Whether a resource is in such a place, as the files are now. */
export const gitGuard = (
  files: LocationFiles.Interface,
  resolve: Resolve = files.resolve
): Effect.Effect<(resource: string) => boolean> =>
  Effect.map(gitPlaces({ open: files.open, resolve }), (places) => {
    const guarded = places.map(folded)
    return (resource) => guarded.some((place) => covers(place, folded(resource)))
  })

type Files = Pick<LocationFiles.Interface, "open" | "resolve">

const covers = (place: string, resource: string): boolean =>
  place === "." || resource === place || resource.startsWith(`${place}/`)

/** Some file systems take these for the same. */
const folded = (resource: string): string => resource.normalize("NFC").toLowerCase()

const gitPlaces = Effect.fnUntraced(function* (files: Files) {
  const pointer = /^gitdir:[ \t]*(.+)$/m.exec(yield* textAt(files, ".git"))?.[1]?.trim()
  const directory = pointer === undefined ? [] : yield* resourceAt(files, pointer)
  const hooks = hooksPathIn(yield* textAt(files, `${pointer ?? ".git"}/config`))
  return hooks === undefined ? directory : [...directory, ...(yield* resourceAt(files, hooks))]
})

/** What cannot be read, Git cannot read either, or it lies outside. */
const textAt = (files: Files, path: string): Effect.Effect<string> =>
  Effect.gen(function* () {
    const located = yield* files.resolve(path)
    if (located._tag === "External") return ""
    const opened = yield* files.open(located)
    return opened._tag === "File" ? Buffer.from(yield* opened.read(0, maxConfigBytes)).toString("utf8") : ""
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => "")
  )

const resourceAt = (files: Files, path: string): Effect.Effect<ReadonlyArray<string>> =>
  files.resolve(path).pipe(
    Effect.map((located) => (located._tag === "Target" ? [located.resource] : [])),
    Effect.orElseSucceed(() => [])
  )

const section = /^\s*\[\s*(?<name>[^\]\s"]+)\s*(?<part>"[^\]]*")?\s*\]/
const hooksPath = /^\s*hookspath\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^;#]*))/i

/** The last one counts, as it does for Git. */
const hooksPathIn = (config: string): string | undefined => {
  let [isCore, found]: [boolean, string | undefined] = [false, undefined]
  for (const line of config.split(/\r?\n/)) {
    const { name, part } = section.exec(line)?.groups ?? {}
    if (name !== undefined) isCore = name.toLowerCase() === "core" && part === undefined
    const { plain, quoted } = (isCore ? hooksPath.exec(line.replace(section, ""))?.groups : undefined) ?? {}
    found = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain?.trim() ?? found
  }
  return found
}
