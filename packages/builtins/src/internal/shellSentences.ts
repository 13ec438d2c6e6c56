/** Every sentence about commands and background jobs that a model reads. */
import { count } from "./sentences.ts"

export const shellDescription = [
  "Run a command with bash, in the project's directory unless cwd says otherwise. Gives what it printed on both streams and its",
  "exit code; an exit code other than 0 is a result and not an error of this tool. Standard input is empty, so nothing can ask.",
  "When the command ends, everything that it left running is ended, too: to keep a server running, set background, and look",
  "after it with the tool process. To read, search or change files, the tools for that are better."
].join(" ")

export const shellFields = {
  command: "The command, as bash understands it. A pipeline fails if any part of it fails.",
  cwd: "The directory to run it in, relative to the project's directory or absolute. Without it the project's directory.",
  timeout: [
    "Ends the command if it prints nothing for this many seconds, 1 to 3600. Without it a silent command goes on until it ends.",
    "It does not limit a command that keeps printing."
  ].join(" "),
  background:
    "Whether to return at once and let it run on as a job. For servers, watchers and other commands without an end.",
  description: "What it is for, in a few words, for the person who may be asked."
}

export const processDescription = [
  "Look after background jobs of the tool shell. list shows all of this session; poll tells how a job is doing and shows the end",
  "of its log; wait does the same once it has ended, or after seconds; kill ends it. The whole log is read with read and its",
  "log_file."
].join(" ")

export const processFields = {
  action: "What to do.",
  pid: "The number that shell gave for the job. Needed for everything but list.",
  seconds: "How long to wait at most. Without it 60, and never more than 300. The job goes on afterwards.",
  tail_lines: "How many lines of the end of the log to show. Without it 40, and never more than 200.",
  force: "Whether kill is to end it at once, without a chance to put things in order."
}

export const blankCommand = "a command that is not blank"
export const withoutNul = "text without zero characters or half characters (lone surrogates)"
export const upTo = (bytes: number): string => `at most ${bytes} bytes`

export const notDirectory = (path: string): string => `${path} is a file, so no command can run in it.`
export const notDirectoryHint = "Give the directory that the file is in."

export const gap = (bytes: number): string =>
  `\n[… ${bytes} bytes are lost here: the output is larger than what is kept …]\n`

const startErrors = {
  Sandbox: "The command was not run: the program that isolates commands failed.",
  Shell: "The command was not run: the shell could not be started.",
  Exchanged: "The command was not run: a directory that it needs was exchanged at that moment.",
  Secret: "The command was not run: a secret that it is to get cannot be used.",
  Protected: "The command was not run: more files are protected than can be kept from it.",
  NotConfined:
    "The command was not run: on this system commands and tools for files take turns, so none can run in the background.",
  TooManyJobs: "The command was not run: too many background jobs are running."
} as const

export const notStarted = (reason: keyof typeof startErrors): string => startErrors[reason]

export const notStartedHint: Readonly<Record<keyof typeof startErrors, string>> = {
  Sandbox: "Try once more. If it fails again, tell the user that commands cannot be isolated on this system right now.",
  Shell: "Try once more. If it fails again, tell the user.",
  Exchanged: "Try once more.",
  Secret: "Tell the user: the value has to have 8 characters or more, and no zero character.",
  Protected:
    "Tell the user: the project has too many files that may not be changed, such as configuration of agents and editors.",
  NotConfined: "Run it without background.",
  TooManyJobs: "End a job that is not needed any more with process, action kill."
}

export const idleTimeout = (seconds: number): string =>
  `The command printed nothing for ${count(seconds, "second")} and was ended. What it printed until then is kept.`

export const idleTimeoutHint = [
  "It may have changed something already, so look before running it again.",
  "If it only needs longer, give a larger timeout or none; if it never ends, set background."
].join(" ")

export const protectedFiles = (moved: ReadonlyArray<{ readonly from: string; readonly to: string }>): string =>
  `The command created files that only the user may create, so they were moved aside: ${moved
    .map(({ from, to }) => `${from} is now ${to}`)
    .join(", ")}.`

export const protectedFilesHint = "Do without them, or ask the user to allow the change with a tool for files."

/** What is worth knowing about a result besides the result. */
export const warnings = {
  leftovers: "Processes that the command left running were ended. To keep one running, use background.",
  sigpipe: "Exit code 141 means that a reader closed its pipe early, as head does. That is usually fine.",
  swallowed: "It printed nothing. A pipeline or a redirection may have swallowed the output.",
  unterminated: "A quote or a here-document in the command is not closed.",
  multiLine: "Code of several lines is hard to quote. Write it to a file, and run that.",
  idleInBackground: "timeout has no meaning for a background job, and was ignored.",
  waitCut: "No wait is longer than 300 seconds, so seconds was taken for 300.",
  tailCut: "No more than 200 lines of a log are shown at once, so tail_lines was taken for 200.",
  processLimit: "The command was ended because it had too many processes at once.",
  memoryLimit: "The command was ended because it used too much memory.",
  diskLimit: [
    "The command was ended because a disk lost too much of its room, or too many files were made, while it ran.",
    "What it wrote to the project is still there: remove what is not needed."
  ].join(" ")
}

const limitWarnings: ReadonlyMap<string, string> = new Map([
  ["memory_limit", warnings.memoryLimit],
  ["disk_limit", warnings.diskLimit]
])

/** Of a background job, which nobody else ends by a cause. */
export const limitReached = (cause: string): string => limitWarnings.get(cause) ?? warnings.processLimit

export const invalidBytes = (stream: string, bytes: number): string =>
  `${count(bytes, "byte")} of ${stream} ${bytes === 1 ? "is" : "are"} not UTF-8, shown as \uFFFD.`

export const lostBytes = (stream: string, bytes: number): string =>
  `${count(bytes, "byte")} in the middle of ${stream} are lost. Send large outputs to a file, and read or search that.`

interface ShownResult {
  readonly stdout: string
  readonly stderr: string
  readonly exit_code: number
  readonly signal?: string
  readonly killed_by?: string
  readonly warnings?: ReadonlyArray<string>
}

const lined = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

/** The output as it is, then what is said about it, each in brackets. */
export const shownResult = (result: ShownResult): string => {
  const { stderr, stdout } = result
  const streams = `${lined(stdout)}${stderr === "" ? "" : `[stderr]\n${lined(stderr)}`}`
  const nothing = stdout === "" && stderr === "" ? "[It printed nothing.]\n" : ""
  const notes = (result.warnings ?? []).map((warning) => `\n[${warning}]`).join("")
  return `${streams}${nothing}[${ending(result)}]${notes}`
}

const ending = ({ exit_code, killed_by, signal }: ShownResult): string => {
  const code = `exit code ${exit_code}${signal === undefined ? "" : `, ${signal}`}`
  return killed_by === "user" ? `ended by the user; ${code}` : code
}

interface ShownJob {
  readonly pid: number
  readonly log_file: string
}

export const startedJob = ({
  log_file,
  pid,
  warnings = []
}: ShownJob & { readonly warnings?: ReadonlyArray<string> }) =>
  [
    `Running in the background as process ${pid}. Its output goes to ${log_file}.`,
    "Use process with this pid to see how it is doing and to end it.",
    ...warnings.map((warning) => `[${warning}]`)
  ].join("\n")

export const noJob = (pid: number): string => `This session has no background job ${pid}.`
export const noJobHint = (pids: ReadonlyArray<number>): string =>
  pids.length === 0 ? "Start one with shell and background." : `Its jobs are ${pids.join(", ")}.`

export const pidNeeded = "pid is needed for poll, wait and kill."
export const pidNeededHint = "Give the number that shell gave, or use action list."

interface JobState extends ShownJob {
  readonly alive: boolean
  readonly exit_code?: number
  readonly command?: string
}

const stateOf = ({ alive, exit_code }: JobState): string =>
  alive ? "running" : exit_code === undefined ? "ended" : `ended with exit code ${exit_code}`

export const jobList = (jobs: ReadonlyArray<JobState>): string =>
  jobs.length === 0
    ? "[No background jobs.]"
    : jobs.map((job) => `${job.pid}\t${stateOf(job)}\t${job.log_file}\t${job.command ?? ""}`).join("\n")

export const jobState = (
  job: JobState & { readonly log_tail: string; readonly warnings?: ReadonlyArray<string> }
): string => {
  const notes = (job.warnings ?? []).map((warning) => `\n[${warning}]`).join("")
  return `${lined(job.log_tail)}[Process ${job.pid}: ${stateOf(job)}. Its log is ${job.log_file}.]${notes}`
}

export const jobKilled = (pid: number, killed: boolean, signal: string): string =>
  killed ? `Process ${pid} was ended with ${signal}.` : `Process ${pid} had ended already.`
