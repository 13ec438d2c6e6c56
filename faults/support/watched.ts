/** What a run leaves behind that it should have taken with it: processes, descriptors and temporary files. */
import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Processes from "./processes.ts"

/** The processes of a scenario carry this in their environment. */
const marker = "HAFT_FAULT"

/** Ends and closings that nobody waits for come this late on a busy machine. */
const graceMillis = 10_000
const pauseMillis = 50

/** Runs with a place of its own for temporary files, and tells what is left there, open or running afterwards. */
export const watched = Effect.fnUntraced(function* <A, E>(tries: Effect.Effect<A, E, Scope.Scope>) {
  const place = Fs.mkdtempSync(join(tmpdir(), "haft-scenario-"))
  // Commands of other users have their files here too.
  Fs.chmodSync(place, 0o1777)
  const id = randomUUID()
  const before = { TMPDIR: process.env["TMPDIR"], [marker]: process.env[marker] }
  const open = Processes.openDescriptors()
  yield* Effect.sync(() => Object.assign(process.env, { TMPDIR: place, [marker]: id }))
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
  Fs.rmSync(place, { recursive: true, force: true })
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
