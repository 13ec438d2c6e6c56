/** What a run leaves behind that it should have taken with it: processes, descriptors and temporary files. */
import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Processes from "./processes.ts"

/** Compiled modules of all programs, which are most of what a short one costs. Kept between scenarios and runs. */
export const compileCache = join(tmpdir(), "haft-faults-cache")

/** The processes of a scenario carry this in their environment. */
const marker = "HAFT_FAULT"

/** Ends and closings that nobody waits for come this late on a busy machine. */
const graceMillis = 10_000
const pauseMillis = 50

/** Runs with a place of its own for temporary files, and tells what is left there, open or running afterwards. */
export const watched = <A, E>(tries: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-scenario-"))),
    (place) => within(place, tries),
    (place) => Effect.sync(() => Fs.rmSync(place, { recursive: true, force: true }))
  )

const within = Effect.fnUntraced(function* <A, E>(place: string, tries: Effect.Effect<A, E, Scope.Scope>) {
  // Commands of other users have their files here too.
  Fs.chmodSync(place, 0o1777)
  const id = randomUUID()
  const own = { TMPDIR: place, NODE_COMPILE_CACHE: compileCache, [marker]: id }
  const before = Object.fromEntries(Object.keys(own).map((name) => [name, process.env[name]]))
  const open = Processes.openDescriptors()
  Object.assign(process.env, own)
  const result = yield* Effect.ensuring(
    Effect.scoped(tries),
    Effect.sync(() => restore(before))
  )
  const remains = () => [
    ...Processes.withEnvironment(`${marker}=${id}`).map((pid) => `process ${pid}`),
    ...Processes.openedSince(open).map((path) => `descriptor ${path}`),
    ...Fs.readdirSync(place).map((name) => `file ${name}`)
  ]
  let left = remains()
  for (let waited = 0; left.length > 0 && waited < graceMillis; waited += pauseMillis) {
    yield* Effect.sleep(pauseMillis)
    left = remains()
  }
  return { result, left }
})

const restore = (before: Readonly<Record<string, string | undefined>>): void => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

/** A directory that goes with the Scope, readable by this user alone. */
export const temporary: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-faults-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)
