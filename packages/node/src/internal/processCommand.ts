/** A command as `node:child_process` wants it: revealed words, the exact environment, a table of descriptors. */
import * as ChildProcess from "effect/process/ChildProcess"
import * as Redacted from "effect/Redacted"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type * as NodeChildProcess from "node:child_process"
import type { Bytes } from "./processPipes.ts"

type Word = string | Redacted.Redacted<string>
type Stdio = Extract<ChildProcess.CommandInput, string>

/** One entry of the child's descriptor table, with what the command says about its two directions. */
export interface Descriptor {
  readonly stdio: Stdio
  readonly isInput: boolean
  readonly isOutput: boolean
  readonly source?: Bytes | undefined
  readonly endOnDone?: boolean | undefined
  readonly sink?: Sink.Sink<Uint8Array, Uint8Array, never, ChildProcessError> | undefined
}

type ChildProcessError = Stream.Error<Bytes>

/** The usual soft limit on open files; the table is an array, so a larger number would only cost memory. */
const maxDescriptor = 1023

/** Why a command is refused before anything is started. Never quotes a word, since any of them may be secret. */
export const refusalOf = ({ args, command, options }: ChildProcess.StandardCommand): string | undefined => {
  if (command === "") return "the command is empty"
  if (isShell(options) && args.length > 0) return "shell together with arguments"
  if (hasNul(command) || args.some(hasNul)) return "a NUL character in the command"
  if (hasNul(options.cwd ?? "")) return "a NUL character in the working directory"
  if (Object.entries(options.env ?? {}).some(([name, value]) => hasNul(name) || hasNul(value ?? ""))) {
    return "a NUL character in the environment"
  }
  const unknown = Object.keys(options.additionalFds ?? {}).find((name) => descriptorOf(name) === undefined)
  return unknown === undefined ? undefined : `${unknown} is not a descriptor from fd3 to fd${maxDescriptor}`
}

/** The number in `fd3`. */
export const descriptorOf = (name: string): number | undefined => {
  const fd = ChildProcess.parseFdName(name)
  return fd === undefined || fd > maxDescriptor ? undefined : fd
}

const isShell = ({ shell }: ChildProcess.CommandOptions): boolean => shell !== undefined && shell !== false

const hasNul = (word: Word): boolean => reveal(word).includes("\0")

const reveal = (word: Word): string => (Redacted.isRedacted(word) ? Redacted.value(word) : word)

export const wordsOf = (command: ChildProcess.StandardCommand): ReadonlyArray<string> => command.args.map(reveal)

export const leadsGroup = ({ detached }: ChildProcess.CommandOptions): boolean =>
  process.platform !== "win32" && detached !== false

export const spawnOptionsOf = (
  options: ChildProcess.CommandOptions,
  descriptors: ReadonlyArray<Descriptor>
): NodeChildProcess.SpawnOptions => ({
  cwd: options.cwd,
  env: environmentOf(options),
  shell: options.shell ?? false,
  detached: options.detached ?? process.platform !== "win32",
  windowsHide: options.windowsHide ?? options.detached !== true,
  stdio: descriptors.map(({ stdio }) => stdio)
})

const environmentOf = ({ env, extendEnv }: ChildProcess.CommandOptions): NodeJS.ProcessEnv => {
  if (env === undefined) return process.env
  // Node adds its own coverage variable to every environment that does not mention it.
  const base = extendEnv === true ? process.env : { NODE_V8_COVERAGE: undefined }
  const own = Object.entries(env).map(([name, value]) => [name, value === undefined ? undefined : reveal(value)])
  return Object.assign(Object.create(null), base, Object.fromEntries(own))
}

/** The whole table by number; a gap between additional descriptors stays closed in the child. */
export const descriptorsOf = (options: ChildProcess.CommandOptions): ReadonlyArray<Descriptor> => {
  const table = [stdinOf(options.stdin), outputOf(options.stdout), outputOf(options.stderr)]
  for (const [name, config] of Object.entries(options.additionalFds ?? {})) {
    const fd = descriptorOf(name)
    if (fd !== undefined) table[fd] = additionalOf(config)
  }
  return Array.from(table, (descriptor) => descriptor ?? { stdio: "ignore", isInput: false, isOutput: false })
}

/** Options that several places read in their long form. */
export const stdinConfigOf = (stdin: ChildProcess.CommandOptions["stdin"]): ChildProcess.StdinConfig => {
  if (stdin === undefined) return { stream: "pipe" }
  return typeof stdin === "string" || Stream.isStream(stdin) ? { stream: stdin } : stdin
}

const stdinOf = (stdin: ChildProcess.CommandOptions["stdin"]): Descriptor => {
  const { endOnDone, stream } = stdinConfigOf(stdin)
  const direction = { isInput: true, isOutput: false, endOnDone }
  return typeof stream === "string" ? { ...direction, stdio: stream } : { ...direction, stdio: "pipe", source: stream }
}

const outputOf = (output: ChildProcess.CommandOptions["stdout"]): Descriptor => {
  const stream = typeof output === "object" && !Sink.isSink(output) ? output.stream : output
  const direction = { isInput: false, isOutput: true }
  return Sink.isSink(stream) ? { ...direction, stdio: "pipe", sink: stream } : { ...direction, stdio: stream ?? "pipe" }
}

const additionalOf = (config: ChildProcess.AdditionalFdConfig): Descriptor => ({
  stdio: "pipe",
  isInput: config.type !== "output",
  isOutput: config.type !== "input",
  source: config.type === "output" ? undefined : config.stream,
  sink: config.type === "input" ? undefined : config.sink
})
