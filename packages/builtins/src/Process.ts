/**
 * The tool that looks after background jobs. Register it as `process`. It sees the jobs of the calling session and no other,
 * and signals nothing that is not one of them.
 */
import * as EffectSignal from "@haft/core/EffectSignal"
import type * as Session from "@haft/core/Session"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { invalidArgument } from "./internal/failures.ts"
import * as Sentences from "./internal/shellSentences.ts"
import * as LocationJobs from "./LocationJobs.ts"

/** A build's worth; then a model should look. */
const [defaultWait, maxWait] = [60, 300]

/** A screen, and as much as is worth a look without paging. */
const [defaultTail, maxTail] = [40, 200]

const fields = Sentences.processFields
const atLeast = (least: number) => Schema.Int.check(Schema.isGreaterThanOrEqualTo(least))

/** What a model sends. */
export const Input = Schema.Struct({
  action: Schema.Literals(["list", "poll", "wait", "kill"]).annotate({ description: fields.action }),
  pid: Schema.optionalKey(atLeast(1).annotate({ description: fields.pid, examples: [4711] })),
  seconds: Schema.optionalKey(
    atLeast(0).annotate({ description: fields.seconds, aliases: ["timeout"], examples: [60] })
  ),
  tail_lines: Schema.optionalKey(atLeast(0).annotate({ description: fields.tail_lines, examples: [40] })),
  force: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.force }))
})
type Input = typeof Input.Type

const ExitCode = Schema.optionalKey(Schema.Int)
const Warnings = Schema.optionalKey(Schema.Array(Schema.String))
const common = { pid: Schema.Int, log_file: Schema.String, exit_code: ExitCode }

const List = Schema.Struct({
  action: Schema.Literal("list"),
  jobs: Schema.Array(Schema.Struct({ ...common, alive: Schema.Boolean, command: Schema.String, cwd: Schema.String }))
})

const Poll = Schema.Struct({
  action: Schema.Literal("poll"),
  ...common,
  alive: Schema.Boolean,
  log_tail: Schema.String,
  warnings: Warnings
})

const Wait = Schema.Struct({
  action: Schema.Literal("wait"),
  ...common,
  exited: Schema.Boolean,
  timed_out: Schema.Boolean,
  log_tail: Schema.String,
  warnings: Warnings
})

const Kill = Schema.Struct({
  action: Schema.Literal("kill"),
  pid: Schema.Int,
  /** False if it had ended already. */
  killed: Schema.Boolean,
  signal: Schema.Literals(["SIGTERM", "SIGKILL"])
})

/** One of four, told apart by `action`. */
export const Output = Schema.Union([List, Poll, Wait, Kill])
type Output = typeof Output.Type

/** The tool, for the jobs of one Location. */
export const make: Effect.Effect<Tool.Tool<typeof Input, typeof Output>, never, LocationJobs.Service> = Effect.gen(
  function* () {
    const jobs = yield* LocationJobs.Service
    const tool = Tool.make({
      description: Sentences.processDescription,
      input: Input,
      output: Output,
      execute: Effect.fn("Process.execute")(function* (
        input,
        { sessionID }
      ): Effect.fn.Return<Output, ToolFailure.ToolFailure> {
        if (input.action === "list") return { action: "list", jobs: (yield* jobs.list(sessionID)).map(listed) }
        const job = yield* find(jobs, sessionID, input)
        if (input.action === "kill") return yield* kill(job, input.force ?? false)
        return yield* input.action === "poll" ? poll(job, input) : wait(job, input)
      }),
      toModelOutput: ({ output }) => [ToolContent.text(shown(output))]
    })
    return Tool.annotate(tool, {
      title: "Background jobs",
      determinism: "idempotent",
      asksFirst: true,
      operations: ["read", "delete"],
      capabilities: ["process.manage"],
      risk: "medium",
      version: "1.0.0"
    })
  }
)

const find = Effect.fnUntraced(function* (jobs: LocationJobs.Interface, owner: Session.ID, { pid }: Input) {
  if (pid === undefined) return yield* invalidArgument("pid", Sentences.pidNeeded, Sentences.pidNeededHint)
  const found = yield* jobs.find(owner, pid)
  if (Option.isSome(found)) return found.value
  const own = (yield* jobs.list(owner)).map((job) => job.pid)
  return yield* ToolFailure.notFound({
    message: Sentences.noJob(pid),
    hint: Sentences.noJobHint(own),
    field: "pid",
    resource: String(pid),
    candidates: own.map(String)
  })
})

const stateOf = (job: LocationJobs.Job) => {
  const exit = job.exit()
  return { pid: job.pid, log_file: job.log.name, ...(exit === undefined ? {} : { exit_code: exit.code }) }
}

const listed = (job: LocationJobs.Job) => ({
  ...stateOf(job),
  alive: job.exit() === undefined,
  command: job.command,
  cwd: job.cwd
})

const poll = Effect.fnUntraced(function* (job: LocationJobs.Job, input: Input) {
  const log_tail = yield* tailOf(job, input)
  const alive = job.exit() === undefined
  return { action: "poll" as const, ...stateOf(job), alive, log_tail, ...warningsFor(input) }
})

const wait = Effect.fnUntraced(function* (job: LocationJobs.Job, input: Input) {
  const seconds = Math.min(input.seconds ?? defaultWait, maxWait)
  const ended = yield* Effect.timeoutOption(job.ended, `${seconds} seconds`)
  const exited = Option.isSome(ended)
  const log_tail = yield* tailOf(job, input)
  return { action: "wait" as const, ...stateOf(job), exited, timed_out: !exited, log_tail, ...warningsFor(input) }
})

const kill = Effect.fnUntraced(function* (job: LocationJobs.Job, force: boolean) {
  const signal = yield* EffectSignal.Service
  yield* signal.starting
  const killed = yield* job.kill(force)
  yield* signal.committed(killed ? [{ kind: "process.kill", target: String(job.pid) }] : [])
  return { action: "kill" as const, pid: job.pid, killed, signal: force ? ("SIGKILL" as const) : ("SIGTERM" as const) }
})

const tailOf = ({ log }: LocationJobs.Job, { tail_lines = defaultTail }: Input) =>
  log.tail(Math.min(tail_lines, maxTail))

const warningsFor = ({ action, seconds = 0, tail_lines = 0 }: Input) => {
  const warnings = [
    ...(action === "wait" && seconds > maxWait ? [Sentences.warnings.waitCut] : []),
    ...(tail_lines > maxTail ? [Sentences.warnings.tailCut] : [])
  ]
  return warnings.length === 0 ? {} : { warnings }
}

const shown = (output: typeof Output.Encoded): string => {
  switch (output.action) {
    case "list":
      return Sentences.jobList(output.jobs)
    case "poll":
      return Sentences.jobState(output)
    case "wait":
      return Sentences.jobState({ ...output, alive: !output.exited })
    case "kill":
      return Sentences.jobKilled(output.pid, output.killed, output.signal)
  }
}
