/** The processes of a command, read from Linux's `/proc`. Where there is none, nothing is found. */
import * as Fs from "node:fs"
import * as Process from "node:process"

/** One process that runs. */
export interface Running {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** In the order in which processes began. */
  readonly began: number
  readonly memoryBytes: number
}

/** The kernel counts memory in these on every architecture that Node is commonly run on. */
const pageBytes = 4096

/**
 * Everything that belongs to a command: members of the leader's group and session, what has the mark in its environment, and
 * the children of all these. Without a leader, whose number may be a stranger's by now, the mark has to do.
 */
export const familyOf = (leader: number | undefined, mark: string | undefined): ReadonlyArray<Running> => {
  const all = processesAmong(pids()).toSorted((left, right) => left.began - right.began || left.pid - right.pid)
  const family = new Set([leader])
  for (const { group, parent, pid, session } of all) {
    const isKin = family.has(parent) || family.has(pid) || group === leader || session === leader
    if (isKin || (mark !== undefined && hasMark(pid, mark))) family.add(pid)
  }
  return all.filter(({ pid }) => family.has(pid))
}

/** Counts only those that began after the leader and descend from it, and no further than the limit: it has to be quick. */
export const countBelow = (leader: number, limit: number): { readonly count: number; readonly memoryBytes: number } => {
  const family = new Set([leader])
  let memoryBytes = 0
  for (const pid of pids().filter((pid) => pid >= leader)) {
    const one = processOf(pid)
    if (one === undefined || (pid !== leader && !family.has(one.parent) && one.session !== leader)) continue
    family.add(pid)
    memoryBytes += one.memoryBytes
    if (family.size > limit) break
  }
  return { count: family.size, memoryBytes }
}

/** Whether it runs still: a dead one that nobody reaped does not, nor does a stranger with the same number. */
export const runs = ({ began, pid }: Pick<Running, "began" | "pid">): boolean => processOf(pid)?.began === began

export const processOf = (pid: number): Running | undefined => {
  const stat = attempt(() => Fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
  // The second field is the program's name, which may itself contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
  if (fields === undefined || fields[0] === "Z" || fields[0] === "X") return undefined
  const [, parent, group, session] = fields.map(Number)
  return {
    pid,
    parent: parent ?? 0,
    group: group ?? 0,
    session: session ?? 0,
    began: Number(fields[19]),
    memoryBytes: Number(fields[21]) * pageBytes
  }
}

/** Returns whether it was there to receive it. Someone else's process is not ours to signal. */
export const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return Process.kill(pid, name)
  } catch {
    return false
  }
}

const pids = (): ReadonlyArray<number> =>
  (attempt(() => Fs.readdirSync("/proc")) ?? [])
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toSorted((left, right) => left - right)

const processesAmong = (numbers: ReadonlyArray<number>): ReadonlyArray<Running> =>
  numbers.map(processOf).filter((one) => one !== undefined)

/** A process keeps the environment that it was started with, whoever its parent is now. */
const hasMark = (pid: number, mark: string): boolean =>
  attempt(() => Fs.readFileSync(`/proc/${pid}/environ`, "latin1"))?.includes(mark) ?? false

/** A process may end at any moment, and another user's tells nothing. */
const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
