/** Which process groups have a member that runs, read from Linux's `/proc`. */
import * as Fs from "node:fs"
import { setImmediate } from "node:timers/promises"

/** Reads of `/proc` never wait for a disk, so they are synchronous; this many of them take about a millisecond. */
const entriesPerTurn = 64

let scan: Promise<ReadonlySet<number> | undefined> | undefined

/** `undefined` where there is no `/proc`. Callers that ask during a scan share it. */
export const runningGroups = (): Promise<ReadonlySet<number> | undefined> => {
  scan ??= scanGroups().finally(() => {
    scan = undefined
  })
  return scan
}

const scanGroups = async (): Promise<ReadonlySet<number> | undefined> => {
  const entries = attempt(() => Fs.readdirSync("/proc"))?.filter((name) => /^\d+$/.test(name)) ?? []
  return entries.length === 0 ? undefined : collect(entries, new Set())
}

const collect = async (entries: ReadonlyArray<string>, groups: Set<number>): Promise<ReadonlySet<number>> => {
  for (const pid of entries.slice(0, entriesPerTurn)) {
    const stat = attempt(() => Fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
    const group = stat === undefined ? undefined : runningGroupOf(stat)
    if (group !== undefined) groups.add(group)
  }
  if (entries.length <= entriesPerTurn) return groups
  await setImmediate()
  return collect(entries.slice(entriesPerTurn), groups)
}

/** The group in a line of `/proc/<pid>/stat`, unless the process is dead and only waits to be reaped. */
const runningGroupOf = (stat: string): number | undefined => {
  // The second field is the program's name, which may itself contain spaces and parentheses.
  const [state = "X", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return state === "Z" || state === "X" ? undefined : Number(group)
}

/** A process may end between the listing and the read. */
const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
