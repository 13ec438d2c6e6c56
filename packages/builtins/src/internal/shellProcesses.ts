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

/** How much a command uses. */
export interface Usage {
  readonly count: number
  readonly memoryBytes: number
}

export const usageOf = (processes: ReadonlyArray<Running>): Usage => ({
  count: processes.length,
  memoryBytes: processes.reduce((sum, one) => sum + one.memoryBytes, 0)
})

/**
 * Those that descend from the leader or are in its session, and no more of them than one above the limit: it has to be quick
 * when they are many. Numbers are given in turn and begin anew at some point, so whoever is younger mostly comes later.
 */
export const someBelow = (leader: number, limit: number): ReadonlyArray<Running> => {
  const all = pids()
  const first = all.findIndex((pid) => pid >= leader)
  const found: Array<Running> = []
  const family = new Set([leader])
  const others: Array<Running> = []
  const take = (one: Running): boolean => {
    const isKin = one.pid === leader || family.has(one.parent) || one.session === leader
    if (isKin) found.push(one)
    if (isKin) family.add(one.pid)
    return isKin
  }
  for (const pid of first === -1 ? all : [...all.slice(first), ...all.slice(0, first)]) {
    const one = processOf(pid)
    if (one !== undefined && !take(one)) others.push(one)
    if (found.length > limit) return found
  }
  // A child that came before its parent is found once the parent is.
  for (let known = -1; known !== found.length;) {
    known = found.length
    for (const one of others) if (!family.has(one.pid)) take(one)
  }
  return found
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
