/**
 * Control groups of the kernel, in which commands are counted and held: what is started in one stays in it, whatever it does
 * to its parent, its session and its environment. Not every system lets this process make them.
 */
import * as Fs from "node:fs"
import * as Process from "node:process"
import { processOf, type Running, signal } from "./shellProcesses.ts"

/** Of one command. */
export interface Group {
  /** Whoever writes itself into the file `cgroup.procs` in it is in it. */
  readonly directory: string
  /** The processes in it that run. */
  readonly members: () => ReadonlyArray<Running>
  /** Kills every process in it, and lets none begin. */
  readonly kill: () => void
  /** Returns whether it is gone: it cannot go before its last process. */
  readonly remove: () => boolean
}

/** Makes a group that can hold so many processes and threads, unless the system does not want that. */
export type MakeGroup = (tasks: number) => Group | undefined

/** Groups below this directory. What processes that were killed have left there is removed. */
export const groupsBelow = (parent: string): MakeGroup => {
  const owner = nameOf(Process.pid)
  let made = 0
  for (const forgotten of namesIn(parent).filter(isForgotten)) removed(`${parent}/${forgotten}`)
  return (tasks) => makeGroup(`${parent}/${owner}-${++made}`, tasks)
}

/** The directories that this process could make groups in, as far as the system shows its own. The best first. */
export const groupPlaces = (): ReadonlyArray<string> => {
  const mounts = linesOf("/proc/self/mountinfo").map(mountIn)
  return linesOf("/proc/self/cgroup").flatMap((line) => {
    const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    const isUnified = controllers === ""
    if (!isUnified && !controllers.split(",").includes("pids")) return []
    const mount = mounts.find(({ options, type }) =>
      isUnified ? type === "cgroup2" : type === "cgroup" && options.includes("pids")
    )
    if (mount === undefined || !isBelow(path, mount.root)) return []
    const own = mount.path + (mount.root === "/" ? path : path.slice(mount.root.length)).replace(/\/$/, "")
    // Where groups are made by a manager of services, one that has processes can have no groups with limits below.
    return isUnified && own !== mount.path ? [own, own.slice(0, own.lastIndexOf("/"))] : [own]
  })
}

const isBelow = (path: string, root: string): boolean => root === "/" || path === root || path.startsWith(`${root}/`)

interface Mount {
  readonly root: string
  readonly path: string
  readonly type: string
  readonly options: ReadonlyArray<string>
}

/** The number of optional fields varies, and a lone dash ends them. */
const mountIn = (line: string): Mount => {
  const [before = "", after = ""] = line.split(" - ")
  const [, , , root = "", path = ""] = before.split(" ")
  const [type = "", , options = ""] = after.split(" ")
  return { root, path, type, options: options.split(",") }
}

const makeGroup = (directory: string, tasks: number): Group | undefined => {
  if (!succeeds(() => Fs.mkdirSync(directory))) return undefined
  // Without the controller that counts there is no such file, and none can be made.
  if (succeeds(() => write(directory, "pids.max", tasks))) return groupIn(directory)
  removed(directory)
  return undefined
}

const groupIn = (directory: string): Group => {
  const members = () => linesOf(`${directory}/cgroup.procs`).flatMap((line) => processOf(Number(line)) ?? [])
  return {
    directory,
    members,
    kill: () => {
      succeeds(() => write(directory, "pids.max", 0))
      for (const { pid } of members()) signal(pid, "SIGKILL")
    },
    remove: () => removed(directory)
  }
}

/** Who made a group stands in its name; a number alone may be a stranger's by now. */
const nameOf = (pid: number): string => `haft-${pid}-${processOf(pid)?.began ?? 0}`

const isForgotten = (name: string): boolean => {
  const [, owner, pid] = /^(haft-(\d+)-\d+)-\d+$/.exec(name) ?? []
  return owner !== undefined && owner !== nameOf(Number(pid))
}

const write = (directory: string, name: string, value: number): void =>
  Fs.writeFileSync(`${directory}/${name}`, String(value), { flag: "r+" })

/** The kernel does not remove one that holds a process. */
const removed = (directory: string): boolean => succeeds(() => Fs.rmdirSync(directory)) || !Fs.existsSync(directory)

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return Fs.readdirSync(directory)
  } catch {
    return []
  }
}

const linesOf = (path: string): ReadonlyArray<string> => {
  try {
    return Fs.readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
  } catch {
    return []
  }
}

const succeeds = (act: () => void): boolean => {
  try {
    act()
    return true
  } catch {
    return false
  }
}
