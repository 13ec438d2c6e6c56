/** What runs and what is open on this machine, read from `/proc`. */
import * as Fs from "node:fs"

const pids = (): ReadonlyArray<string> => Fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))

/** Of a process that ends meanwhile, nothing. A dead process that nobody reaped has neither arguments nor environment. */
const read = (path: string): string => {
  try {
    return Fs.readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Processes that were started with this in their environment, other than this one. */
export const withEnvironment = (entry: string): ReadonlyArray<string> =>
  pids().filter((pid) => pid !== `${process.pid}` && read(`/proc/${pid}/environ`).split("\0").includes(entry))

/** Processes that have this among their arguments. */
export const withArgument = (text: string): ReadonlyArray<string> =>
  pids().filter((pid) => read(`/proc/${pid}/cmdline`).includes(text))

/** The children of a process, and theirs. */
export const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const children = read(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .filter((text) => text !== "")
    .map(Number)
  return children.concat(children.flatMap(descendantsOf))
}

/** What a descriptor of this process leads to. Those of Node's own machinery have no file, pipe or socket. */
const descriptors = (): ReadonlyArray<string> =>
  Fs.readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return [Fs.readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      return []
    }
  })

/** Files, pipes and sockets that this process has open. */
export const openDescriptors = (): ReadonlyArray<string> =>
  descriptors().filter((path) => !path.startsWith("anon_inode:") && !path.startsWith("/dev/"))

/** Those that were not open before. */
export const openedSince = (before: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = [...before]
  return openDescriptors().filter((path) => {
    const index = known.indexOf(path)
    if (index >= 0) known.splice(index, 1)
    return index < 0
  })
}
