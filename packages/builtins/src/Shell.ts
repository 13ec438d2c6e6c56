/**
 * The tool that runs commands. Register it as `shell`. A command is isolated where the system can do that, and asks under
 * another name where it is not. Whatever it started is ended with it, unless it is sent to the background.
 */
import * as EffectSignal from "@haft/core/EffectSignal"
import * as Permission from "@haft/core/Permission"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failures } from "./internal/failures.ts"
import { locate } from "./internal/locate.ts"
import * as Inputs from "./internal/shellInputs.ts"
import * as Sentences from "./internal/shellSentences.ts"
import { warningsFor } from "./internal/shellWarnings.ts"
import * as LocationFiles from "./LocationFiles.ts"
import * as LocationJobs from "./LocationJobs.ts"
import * as LocationShell from "./LocationShell.ts"

const fields = Sentences.shellFields

/** What a model sends. */
export const Input = Schema.Struct({
  command: Inputs.CommandText.annotate({
    description: fields.command,
    aliases: ["cmd", "script"],
    examples: ["npm test"]
  }),
  cwd: Schema.optionalKey(
    Schema.String.annotate({
      description: fields.cwd,
      aliases: ["workdir", "working_directory"],
      examples: ["packages/a"]
    })
  ),
  timeout: Schema.optionalKey(Inputs.IdleSeconds.annotate({ description: fields.timeout, examples: [120] })),
  background: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.background })),
  description: Schema.optionalKey(Inputs.Description.annotate({ description: fields.description }))
})
type Input = typeof Input.Type

const Warnings = Schema.optionalKey(Schema.Array(Schema.String))
const Bytes = Schema.optionalKey(Schema.Int)

const Foreground = Schema.Struct({
  stdout: Schema.String,
  stderr: Schema.String,
  exit_code: Schema.Int,
  cwd: Schema.String,
  /** The signal that ended it, or that the exit code stands for. */
  signal: Schema.optionalKey(Schema.String),
  killed_by: Schema.optionalKey(Schema.Literals(["user", "process_limit", "memory_limit", "disk_limit"])),
  /** Missing in the middle, where a marker stands. */
  stdout_lost_bytes: Bytes,
  stderr_lost_bytes: Bytes,
  warnings: Warnings
})

const Background = Schema.Struct({
  background: Schema.Literal(true),
  pid: Schema.Int,
  /** For `read`. */
  log_file: Schema.String,
  cwd: Schema.String,
  warnings: Warnings
})

/** Of a command that was waited for, or of a job that runs on. */
export const Output = Schema.Union([Foreground, Background])

/** The tool, for the commands of one Location. */
export const make: Effect.Effect<
  Tool.Tool<typeof Input, typeof Output>,
  never,
  LocationFiles.Service | LocationJobs.Service | LocationShell.Service | Permission.Service
> = Effect.gen(function* () {
  const files = yield* LocationFiles.Service
  const jobs = yield* LocationJobs.Service
  const permission = yield* Permission.Service
  const shell = yield* LocationShell.Service
  const tool = Tool.make({
    description: Sentences.shellDescription,
    input: Input,
    output: Output,
    execute: Effect.fn("Shell.execute")(
      function* (input, context) {
        const cwd = yield* locate(files, permission, input.cwd ?? ".", context)
        yield* permission.assert(requestFor(shell, input, cwd), context)
        const signal = yield* EffectSignal.Service
        yield* signal.starting
        const command = { text: input.command, cwd }
        if (input.background === true) return yield* inBackground(yield* jobs.start(context.sessionID, command), input)
        return yield* foreground(shell, signal, command, input, context)
      },
      Effect.catchTags({ ...failures, ...Inputs.shellFailures }),
      Effect.catchTag("ToolFailure", Inputs.aboutCwd)
    ),
    toModelOutput: ({ output }) => [
      ToolContent.text("background" in output ? Sentences.startedJob(output) : Sentences.shownResult(output))
    ]
  })
  return Tool.annotate(tool, {
    title: "Shell",
    determinism: "side_effectful",
    asksFirst: true,
    operations: ["read", "write", "delete"],
    capabilities: ["process.execute"],
    risk: "high",
    version: "1.0.0"
  })
})

/** What the command may do is part of what is asked, so that an answer for isolated commands does not cover others. */
const requestFor = (
  { isolation, network }: LocationShell.Interface,
  { command, description }: Input,
  { identity, resource }: LocationFiles.Target
): Permission.Request => ({
  action: isolation === "none" ? "shell_unisolated" : network ? "shell_network" : "shell",
  resources: [command],
  save: [],
  metadata: { command, cwd: resource, isolation, network, ...(description === undefined ? {} : { description }) },
  target: [identity.split(":").slice(0, 2).join(":"), isolation, network ? "network" : "no network"].join("\n")
})

const inBackground = (job: LocationJobs.Job, { timeout }: Input) =>
  Effect.succeed({
    background: true as const,
    pid: job.pid,
    log_file: job.log.name,
    cwd: job.cwd,
    ...(timeout === undefined ? {} : { warnings: [Sentences.warnings.idleInBackground] })
  })

const foreground = Effect.fnUntraced(function* (
  shell: LocationShell.Interface,
  signal: EffectSignal.Interface,
  command: LocationShell.Command,
  { timeout }: Input,
  call: Tool.Context
) {
  const idle = timeout === undefined ? {} : { idle: Duration.seconds(timeout) }
  const result = yield* shell.run(command, { call, ...idle })
  const output = outputOf(command, result)
  if (result.movedAside.length > 0) return yield* madeProtected(output, result.movedAside)
  if (result.killedBy === "idle_timeout") return yield* fellSilent(output, timeout ?? 0)
  // What a command did that was ended before its time nobody knows.
  if (result.killedBy === undefined) yield* signal.committed([])
  return { ...output, ...(result.killedBy === undefined ? {} : { killed_by: result.killedBy }) }
})

const outputOf = (command: LocationShell.Command, result: LocationShell.Result) => {
  const { cwd, exitCode, signal, stderr, stdout } = result
  const warnings = warningsFor(command.text, result)
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    exit_code: exitCode,
    cwd,
    ...(signal === undefined ? {} : { signal }),
    ...(stdout.lostBytes === 0 ? {} : { stdout_lost_bytes: stdout.lostBytes }),
    ...(stderr.lostBytes === 0 ? {} : { stderr_lost_bytes: stderr.lostBytes }),
    ...(warnings.length === 0 ? {} : { warnings })
  }
}

const fellSilent = (output: ReturnType<typeof outputOf>, seconds: number) =>
  ToolFailure.timedOut({
    message: Sentences.idleTimeout(seconds),
    hint: Sentences.idleTimeoutHint,
    boundBy: "idle",
    limitMs: seconds * 1000,
    partial: { ...output, killed_by: "idle_timeout", idle_timeout_seconds: seconds }
  })

const madeProtected = (output: ReturnType<typeof outputOf>, moved: LocationShell.Result["movedAside"]) =>
  ToolFailure.denied({
    by: "policy",
    message: Sentences.protectedFiles(moved),
    hint: Sentences.protectedFilesHint,
    partial: output
  })
