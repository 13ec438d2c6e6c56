/**
 * How the engine is run: with a fixed list of arguments in which text of a call is only ever the value of an option, without
 * an environment, and where that is possible with nothing to see but the directory that it searches.
 */
import * as ChildProcess from "effect/process/ChildProcess"
import * as Process from "node:process"

/** What the engine may open: nothing but the directory, or whatever this process may. */
export type Isolation = "namespace" | "none"

/** Where the programs are. */
export interface Programs {
  readonly ripgrep: string
  /** A name is looked for in the system's own directories. */
  readonly bubblewrap: string
}

/** A larger file is data, not text that somebody wrote. */
export const maxFileBytes = 20 * 1024 * 1024

/** Compiled patterns that need more are attacks or mistakes. */
const compiledLimit = "10M"

/** What is searched and how much work a pattern may be. Of files that cannot be read only the exit code tells. */
const fixed = [
  "--no-config",
  "--no-messages",
  "--max-filesize",
  String(maxFileBytes),
  "--regex-size-limit",
  compiledLimit,
  "--dfa-size-limit",
  compiledLimit,
  "--threads",
  "2",
  "--no-ignore-parent",
  "--no-ignore-global",
  "--no-require-git"
]

/** Which files are looked at. */
export interface Scope {
  readonly glob: string | undefined
  /** Hidden and ignored ones, too. */
  readonly all: boolean
}

/** What is looked for in them. */
export interface Pattern {
  readonly pattern: string
  readonly ignoreCase: boolean
  readonly context: number
  /** Matching lines of one file. */
  readonly maxCount: number
}

/** Inside the directory that is searched. */
const here = ["--", "./"]

/** What is read from the standard input. */
export const input = ["--", "-"]

export const filesArguments = (scope: Scope): ReadonlyArray<string> => [
  ...fixed,
  "--files",
  "--null",
  ...scopeArguments(scope),
  ...here
]

export const linesArguments = (pattern: Pattern, scope: Scope | undefined): ReadonlyArray<string> => [
  ...fixed,
  "--json",
  "--max-count",
  String(pattern.maxCount),
  "--context",
  String(pattern.context),
  pattern.ignoreCase ? "--ignore-case" : "--case-sensitive",
  "-e",
  pattern.pattern,
  ...(scope === undefined ? input : [...scopeArguments(scope), ...here])
]

/** Looks for nothing, and fails if the pattern or the glob cannot be used. */
export const checkArguments = (pattern: string, glob: string | undefined): ReadonlyArray<string> => [
  ...fixed,
  "-e",
  pattern,
  ...(glob === undefined ? [] : ["-g", glob]),
  ...input
]

/** What git keeps for itself is never meant. */
const withoutGit = ["-g", "!.git"]

const scopeArguments = ({ all, glob }: Scope): ReadonlyArray<string> => [
  ...(all ? ["--hidden", "--no-ignore"] : []),
  ...(glob === undefined ? [] : ["-g", glob]),
  ...withoutGit
]

/** Nothing is lost by a quick end. */
const ending = { env: {}, killSignal: "SIGKILL", forceKillAfter: "1 second" } as const

type Input = NonNullable<ChildProcess.CommandOptions["stdin"]>

/** Sees whatever this process may see. */
export const plain = ({ ripgrep }: Programs, place: string, args: ReadonlyArray<string>, stdin: Input = "ignore") =>
  ChildProcess.make(ripgrep, args, { ...ending, cwd: place, stdin })

/** Sees nothing but the directory, which it cannot change. The shell only opens that directory for the next program. */
export const isolated = ({ bubblewrap, ripgrep }: Programs, place: string, args: ReadonlyArray<string>) =>
  ChildProcess.make(
    "/bin/sh",
    [
      "-c",
      'exec "$@" 3<.',
      "sh",
      bubblewrap,
      "--die-with-parent",
      ...capabilities(),
      "--ro-bind-fd",
      "3",
      "/location",
      "--ro-bind",
      ripgrep,
      "/ripgrep",
      "--chdir",
      "/location",
      "--",
      "/ripgrep",
      ...args
    ],
    { ...ending, cwd: place, stdin: "ignore" }
  )

/** The superuser may read what belongs to others, as the other tools can. Nobody else has anything to keep. */
const capabilities = (): ReadonlyArray<string> =>
  Process.getuid?.() === 0 ? ["--cap-drop", "ALL", "--cap-add", "CAP_DAC_READ_SEARCH"] : []
