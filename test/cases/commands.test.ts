import { assert, describe, it } from "@effect/vitest"
import { LocationFiles, LocationJobs, LocationShell, Process, Shell } from "@haft/builtins"
import { Location, type Tool, ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { NodeChildProcessSpawner } from "@haft/node"
import { Approvals, Permissions, PolicyStore } from "@haft/policy"
import { Effect, Exit, Layer, Option, Predicate, Ref, Result, Schema, Stream } from "effect"
import * as Fs from "node:fs"
import * as Net from "node:net"
import { dirname } from "node:path"
import { type BadInput, badInputs, isCommandCase } from "./corpus.ts"
import { belowCeiling } from "./processCeiling.ts"
import { canary, makeWorkspace, type Workspace } from "./workspace.ts"

/** What a person approved for good. */
const approved = "git status"

/** These are about an approval that must not cover more than it was given for; the others are approved, each for once. */
const isAboutApproval = ({ input }: BadInput): boolean =>
  Predicate.hasProperty(input, "command") &&
  /^git status.|^rg --pre|^tar .*checkpoint|^GIT_SSH/s.test(String(input.command))

const replyTo = (entry: BadInput, { request }: Approvals.Pending): Approvals.Reply => {
  if (request.action !== "shell") return Approvals.reject()
  if (request.resources.join("\n") === approved) return Approvals.always
  return isAboutApproval(entry) ? Approvals.reject() : Approvals.once
}

/** Counts what it is asked. */
const person = Effect.fnUntraced(function* (entry: BadInput) {
  const approvals = yield* Approvals.Service
  const asked = yield* Ref.make(0)
  yield* Effect.forkScoped(
    Stream.runForEach(approvals.changes, (change) =>
      change._tag === "Asked"
        ? Effect.andThen(
            Ref.update(asked, (count) => count + 1),
            Effect.orDie(approvals.reply(change.pending, replyTo(entry, change.pending)))
          )
        : Effect.void
    ),
    { startImmediately: true }
  )
  return asked
})

/** Small enough to be reached soon. Half of each is enough for the commands that must succeed. */
const limits = { processes: 32, memoryBytes: 256 * 1024 * 1024, fileBytes: 64 * 1024 * 1024 }

const layerPolicy = (root: string) =>
  Layer.provide(Permissions.layer({ location: Location.Ref.make(root) }), PolicyStore.layerMemory)

const layerFor = (root: string) =>
  LocationJobs.layer().pipe(
    Layer.provideMerge(LocationShell.layer({ isolation: "required", limits })),
    Layer.provide(NodeChildProcessSpawner.layer),
    Layer.provideMerge(Layer.merge(LocationFiles.layer({ root }), layerPolicy(root)))
  )

const JobInput = Schema.Struct({ id: Schema.String, action: Schema.optionalKey(Schema.String) })

/** The corpus calls a job by an id, the tool by its number; one that has ended is there, so that its number is free. */
const adapted = Effect.fnUntraced(function* ({ tool }: BadInput, input: Schema.Json, shell: Tool.Any) {
  if (tool === "shell") return input
  const { action = "poll", id } = Schema.decodeUnknownSync(JobInput)(input)
  if (!id.startsWith("${FINISHED")) return { action, pid: id }
  const { output } = yield* Testing.call(shell, { command: "true", background: true })
  const { pid } = Schema.decodeUnknownSync(Schema.Struct({ pid: Schema.Int }))(output.structured)
  return { action, pid }
})

/** Then the call is cut off, as a person or a deadline would. */
const longest = 4_000

const outcome = Effect.fnUntraced(
  function* (entry: BadInput, workspace: Workspace, port: number) {
    const shell = yield* Shell.make
    const asked = yield* person(entry)
    if (isAboutApproval(entry)) yield* allowForGood(shell, asked)
    const tool: Tool.Any = entry.tool === "shell" ? shell : yield* Process.make
    const input = yield* adapted(entry, withPort(workspace.expanded(entry.input), port), shell)
    const call = Effect.exit(Effect.result(Testing.call(tool, input, { name: entry.tool })))
    const exit = yield* Effect.timeoutOption(call, entry.limitMs ?? longest)
    if (Option.isNone(exit)) return Option.none()
    return Option.some(Exit.isSuccess(exit.value) ? exit.value.value : assert.fail("a refusal is typed"))
  },
  Effect.scoped,
  (effect, _, workspace) => Effect.provide(effect, layerFor(workspace.root))
)

/** Then it runs without a question. */
const allowForGood = Effect.fnUntraced(function* (shell: Tool.Any, asked: Ref.Ref<number>) {
  yield* Testing.call(shell, { command: approved })
  yield* Testing.call(shell, { command: approved })
  assert.strictEqual(yield* Ref.get(asked), 1)
})

const withPort = (input: Schema.Json, port: number): Schema.Json =>
  JSON.parse(JSON.stringify(input).replaceAll("${PORT}", String(port)))

/** Processes whose working directory is the workspace or below it: whoever the command started, and whoever it was. */
const survivors = (root: string): ReadonlyArray<string> =>
  Fs.readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => directoryOf(pid).startsWith(dirname(root)))

const directoryOf = (pid: string): string => {
  try {
    return Fs.readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ""
  }
}

/** Counts who reaches it. */
const listening = Effect.acquireRelease(
  Effect.callback<{ readonly server: Net.Server; hits: number }>((resume) => {
    const server = Net.createServer((socket) => {
      counted.hits++
      socket.end(canary)
    })
    const counted = { server, hits: 0 }
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(counted)))
  }),
  ({ server }) => Effect.sync(() => void server.close())
)

const Ran = Schema.Struct({ exit_code: Schema.Int, stdout: Schema.String, warnings: Schema.optionalKey(Schema.Json) })

/** What an entry that must be accepted prints, where it says so. */
const printed: Readonly<Record<string, string>> = {
  "shell-033": "\uFFFD\uFFFD\0",
  "shell-034": "€",
  "shell-032": "y\n"
}

type Called = Testing.Called<Tool.Codec, Tool.Codec>

const isDenial = (error: unknown): boolean =>
  error instanceof ToolFailure.ToolFailure && error.reason._tag === "Denied" && error.reason.by === "user"

/** A refusal before anything ran, or a command that failed inside. What it may print of itself is no secret. */
const isRefused = (entry: BadInput, result: Result.Result<Called, unknown>): boolean => {
  if (isAboutApproval(entry)) return Result.isFailure(result) && isDenial(result.failure)
  if (Result.isFailure(result)) return true
  const ran = Schema.decodeUnknownOption(Ran)(result.success.output.structured)
  // Reading an environment that has nothing in it succeeds.
  return Option.isSome(ran) && (ran.value.exit_code !== 0 || entry.id === "shell-038")
}

/** Some entries are cut off, on a machine that may be busy. */
const longTime = 120_000

describe("entries of the corpus about commands", { timeout: longTime }, () => {
  const entries = badInputs.filter(isCommandCase)

  it.live.each(entries.map((entry) => [entry.id, entry.why, entry] as const))("%s: %s", ([, , entry]) =>
    Effect.gen(function* () {
      process.env["HAFT_CORPUS"] = canary
      const workspace = yield* makeWorkspace(entry.setup ?? [])
      const server = yield* listening
      const address = server.server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      const outside = workspace.outside()
      const ended = yield* belowCeiling(outcome(entry, workspace, port))
      delete process.env["HAFT_CORPUS"]
      assert.deepStrictEqual(survivors(workspace.root), [])
      assert.notInclude(JSON.stringify(Option.getOrNull(ended)), canary)
      assert.deepStrictEqual(workspace.outside(), outside)
      assert.strictEqual(server.hits, 0)
      if (entry.must === "bounded") return
      assert(Option.isSome(ended), "it was not cut off")
      if (entry.must === "reject") return assert.isTrue(isRefused(entry, ended.value))
      assert(Result.isSuccess(ended.value))
      const { stdout } = Schema.decodeUnknownSync(Ran)(ended.value.success.output.structured)
      assert.strictEqual(stdout, printed[entry.id] ?? "")
    })
  )

  it.live("has a command that runs, among so much that does not", () =>
    Effect.gen(function* () {
      const entry: BadInput = {
        id: "shell-999",
        category: "shell",
        tool: "shell",
        input: { command: "cat a/b.txt && echo x > made && cat made" },
        must: "accept",
        why: ""
      }
      const workspace = yield* makeWorkspace([])
      const ended = yield* outcome(entry, workspace, 0)
      assert(Option.isSome(ended) && Result.isSuccess(ended.value))
      assert.include(JSON.stringify(ended.value.success.output.structured), "ok\\nx\\n")
    })
  )
})
