/** What is found out once, when the layer is built. */
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import * as Os from "node:os"
import { StartError } from "./shellErrors.ts"
import { groupPlaces, groupsBelow, type MakeGroup } from "./shellGroups.ts"
import { until } from "./shellEnding.ts"
import { open, removedWithinMillis, type Shell } from "./shellOpen.ts"
import { home } from "./shellSandbox.ts"
import { probe } from "./shellScripts.ts"

/** Where systems have it. */
const shells = ["/usr/bin/bash", "/bin/bash", "/usr/local/bin/bash"]

/** Any but those of a program that is not there. */
const foundCode = 42

/** The first that runs. */
export const findShell = Effect.fnUntraced(function* (chosen: string | undefined) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  for (const path of chosen === undefined ? shells : [chosen]) {
    const command = ChildProcess.make(path, ["-c", `exit ${foundCode}`], { env: {}, stdin: "ignore" })
    const code = yield* Effect.orElseSucceed(spawner.exitCode(command), () => undefined)
    if (Number(code) === foundCode) return path
  }
  return yield* new StartError({ reason: "Shell" })
})

/** Enough for a shell to enter. */
const trialTasks = 8

/** In the first place where a process can be put into one. */
export const findGroups = Effect.fnUntraced(
  function* (bash: string) {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    for (const place of groupPlaces()) {
      const makeGroup = groupsBelow(place)
      const group = makeGroup(trialTasks)
      if (group === undefined) continue
      const script = `echo 0 >"$1/cgroup.procs" && exit ${foundCode}`
      const command = ChildProcess.make(bash, ["-c", script, "bash", group.directory], { env: {}, stdin: "ignore" })
      const code = yield* Effect.orElseSucceed(spawner.exitCode(command), () => undefined)
      const isRemoved = yield* until(group.remove, removedWithinMillis)
      if (Number(code) === foundCode && isRemoved) return makeGroup
    }
    return undefined
  },
  (effect): Effect.Effect<MakeGroup | undefined, never, ChildProcessSpawner.ChildProcessSpawner> => effect
)

/** The environment of every command: nothing of this process is inherited. */
export const environmentOf = (
  isIsolated: boolean,
  extra: Readonly<Record<string, string>>
): ReadonlyMap<string, string> =>
  new Map([
    ["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    ["HOME", isIsolated ? home : Os.homedir()],
    ["LANG", "C.UTF-8"],
    ["TMPDIR", "/tmp"],
    ...Object.entries(extra)
  ])

/** Having the program is not enough: a system may forbid what it needs. */
export const isIsolating = Effect.fnUntraced(
  function* (shell: Shell) {
    const root = yield* shell.files.resolve(".")
    if (root._tag === "External") return false
    const text = probe([...shell.environment.keys()], shell.network)
    // What is tried is the isolation, so neither secrets nor protected paths are needed.
    const tried = { ...shell, secrets: Effect.succeed({}), isProtected: undefined }
    const { started } = yield* open(tried, { text, cwd: root })
    const said = yield* Stream.mkString(Stream.decodeText(started.stdout))
    return said === "isolated\n" && (yield* started.exited).code === 0
  },
  Effect.scoped,
  Effect.orElseSucceed(() => false)
)
