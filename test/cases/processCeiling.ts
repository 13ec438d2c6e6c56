/**
 * No process limit binds root, so that a fork bomb in a test holds up the whole machine for as long as it takes to be
 * noticed. Where the system can count the processes of a group, this one and what it starts are kept below a ceiling.
 */
import { Effect } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"

/** With the threads of this process. Many times what a command may have, and nothing that a machine feels. */
const ceiling = 300

const controller = "/sys/fs/cgroup/pids"

/** Runs an effect below the ceiling, where there is one. */
export const belowCeiling = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(enter),
    () => effect,
    (group) => Effect.sync(() => leave(group))
  )

const enter = (): string | undefined => {
  const group = join(controller, `haft-test-${process.pid}`)
  try {
    Fs.mkdirSync(group)
    Fs.writeFileSync(join(group, "pids.max"), String(ceiling))
    Fs.writeFileSync(join(group, "cgroup.procs"), String(process.pid))
    return group
  } catch {
    return undefined
  }
}

const leave = (group: string | undefined): void => {
  if (group === undefined) return
  Fs.writeFileSync(join(controller, "cgroup.procs"), String(process.pid))
  try {
    Fs.rmdirSync(group)
  } catch {
    // What is still dying in it keeps an empty group for a moment longer, and it is nobody's burden.
  }
}
