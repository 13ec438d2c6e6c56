/** How much one command may use. */
import * as Os from "node:os"

/** What a host may choose of it. */
export interface Limits {
  /** Of one stream of a foreground command; beyond it the middle is lost. */
  readonly outputBytes: number
  /** Of the log of a background job; beyond it the middle is lost. */
  readonly logBytes: number
  /** Processes at the same time. */
  readonly processes: number
  /** Of all its processes together. */
  readonly memoryBytes: number
  /** Of one file. */
  readonly fileBytes: number
  /** By how much the room of a file system that it can write to may shrink while it runs; who else writes there counts, too. */
  readonly diskBytes: number
  /** The same in files and directories. */
  readonly diskFiles: number
  /** Open files of one process. */
  readonly openFiles: number
}

/** The highest that a log may grow to: a disk is shared. */
export const maxLogBytes = 256 * 1024 * 1024

export const defaultLimits: Limits = {
  // Everything that a person or a model would read, of two streams, in a fraction of what a process may grow.
  outputBytes: 8 * 1024 * 1024,
  logBytes: 64 * 1024 * 1024,
  // A build on many cores needs a hundred or two.
  processes: 256,
  // The host and its other calls live in the other half.
  memoryBytes: Math.floor(Os.totalmem() / 2),
  // Larger than what builds make, smaller than a disk.
  fileBytes: 1024 * 1024 * 1024,
  // A large build with everything it downloads.
  diskBytes: 10 * 1024 * 1024 * 1024,
  // Several times what the packages of a large project are.
  diskFiles: 1_000_000,
  // What most systems give.
  openFiles: 1024
}

export const limitsOf = (chosen: Partial<Limits>): Limits => {
  const limits = { ...defaultLimits, ...chosen }
  return { ...limits, logBytes: Math.min(limits.logBytes, maxLogBytes) }
}

/** The unit of the shell's limit on the size of files. */
const shellBlock = 1024

/** The kernel counts threads with the processes, and the programs that stand between; programs have a few threads each. */
const tasksPerProcess = 4

/** What the kernel refuses to go beyond, where it counts at all. Who has too many processes is ended well before. */
export const tasksOf = ({ processes }: Pick<Limits, "processes">): number => processes * tasksPerProcess

/** As arguments of a launcher. */
export const limitArguments = (limits: Limits): ReadonlyArray<string> =>
  [Math.max(1, Math.floor(limits.fileBytes / shellBlock)), limits.openFiles, tasksOf(limits)].map(String)
