import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, PlatformError, Scope, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as NodeChildProcessSpawner from "@haft/node/NodeChildProcessSpawner"
import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"
import { childProcess } from "./suites/childProcess.ts"
import {
  firstLine,
  groupOf,
  isRunning,
  longTime,
  runningWith,
  shell,
  Spawner,
  stateOf,
  text,
  turn,
  until,
  untilStalled
} from "./suites/processes.ts"

const passThrough = Layer.effect(
  Spawner,
  Effect.map(Spawner, (spawner) => ChildProcessSpawner.make((command) => spawner.spawn(command)))
).pipe(Layer.provide(NodeChildProcessSpawner.layer))

childProcess("NodeChildProcessSpawner", NodeChildProcessSpawner.layer)
childProcess("a spawner that delegates", passThrough)

/** Ends a process that a test has left running on purpose. */
const endAfterwards = (pid: number) => Effect.addFinalizer(() => Effect.sync(() => process.kill(pid, "SIGKILL")))

const environment = (options: ChildProcess.CommandOptions) =>
  Effect.flatMap(Spawner, (spawner) => spawner.lines(ChildProcess.make("/usr/bin/env", [], options)))

layer(NodeChildProcessSpawner.layer)("NodeChildProcessSpawner", (it) => {
  it.effect("the signal that ended a child is a field of the failure", () =>
    Effect.gen(function* () {
      const { reason } = yield* Effect.flip((yield* Spawner).exitCode(shell("kill -USR1 $$")))
      assert.instanceOf(reason.cause, NodeChildProcessSpawner.SignalError)
      assert.strictEqual(reason.cause.signal, "SIGUSR1")
    })
  )

  it.effect("a member of the group that nobody reaped is not waited for", () =>
    Effect.gen(function* () {
      // The parent of the member leaves the group before the member ends, so that it survives and never reaps.
      const script = "(head -n 1 <&3 >&2 & echo member $!; exec setsid sleep 1000 >&2) & echo parent $!"
      const child = yield* (yield* Spawner).spawn(shell(script, { additionalFds: { fd3: { type: "input" } } }))
      const lines = (yield* text(child.stdout)).trim().split("\n")
      const pidOf = (name: string) => Number(lines.find((line) => line.startsWith(name))?.split(" ")[1])
      const [member, parent] = [pidOf("member"), pidOf("parent")]
      yield* endAfterwards(parent)
      yield* until(() => groupOf(parent) === parent)
      yield* Stream.run(Stream.encodeText(Stream.make("go\n")), child.getInputFd(3))
      yield* until(() => stateOf(member) === "Z")
      assert.isTrue(process.kill(-child.pid, 0))
      yield* child.kill({ forceKillAfter: "1 hour" })
    })
  )

  it.effect("a reader goes on where another one stopped", () =>
    Effect.gen(function* () {
      const child = yield* (yield* Spawner).spawn(shell("echo one; read line; echo two"))
      assert.strictEqual(yield* firstLine(child.stdout), "one")
      yield* Stream.run(Stream.encodeText(Stream.make("\n")), child.stdin)
      assert.strictEqual(yield* text(child.stdout), "two\n")
    })
  )

  it.effect("output that the Scope cut off does not pass for complete", () =>
    Effect.gen(function* () {
      const child = yield* (yield* Spawner).spawn(ChildProcess.make("yes")).pipe(
        Effect.tap(({ pid }) => untilStalled(pid)),
        Effect.scoped
      )
      const error = yield* Effect.flip(Stream.runDrain(child.stdout))
      assert.deepInclude(error.reason, { _tag: "BadResource" })
    })
  )

  it.effect("input that fails ends the child, which never sees the end of it", () =>
    Effect.gen(function* () {
      const broken = PlatformError.badArgument({ module: "test", method: "input" })
      const stdin = Stream.concat(Stream.encodeText(Stream.make("half")), Stream.fail(broken))
      const child = yield* (yield* Spawner).spawn(
        shell("trap '' TERM; cat; echo end", { stdin, forceKillAfter: "100 millis" })
      )
      assert.strictEqual(yield* Effect.flip(child.exitCode), broken)
      assert.notInclude(yield* text(child.stdout), "end")
    })
  )

  it.effect("a defect in the input shows as one", () =>
    Effect.gen(function* () {
      const child = yield* (yield* Spawner).spawn(shell("cat", { stdin: Stream.die("broken") }))
      const exit = yield* Effect.exit(child.exitCode)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it.effect("a refusal says what is wrong and does not quote it", () =>
    Effect.gen(function* () {
      const spawner = yield* Spawner
      const refused = (command: ChildProcess.Command) =>
        Effect.map(Effect.flip(spawner.spawn(command)), ({ reason }) => reason.description)
      assert.strictEqual(yield* refused(ChildProcess.make("")), "the command is empty")
      assert.strictEqual(yield* refused(shell("\0")), "a NUL character in the command")
      assert.strictEqual(yield* refused(shell("", { cwd: "\0" })), "a NUL character in the working directory")
      assert.strictEqual(yield* refused(shell("", { env: { A: "\0" } })), "a NUL character in the environment")
      const additionalFds = { fd2: { type: "output" } } as const
      assert.strictEqual(yield* refused(shell("", { additionalFds })), "fd2 is not a descriptor from fd3 to fd1023")
    })
  )

  it.effect("a child that leaves its input unread has still ended its output", () =>
    Effect.gen(function* () {
      const child = yield* (yield* Spawner).spawn(
        shell("read go; printf answer >&3", { additionalFds: { fd3: { type: "duplex" } } })
      )
      yield* Stream.run(Stream.encodeText(Stream.make("question")), child.getInputFd(3))
      yield* Stream.run(Stream.encodeText(Stream.make("go\n")), child.stdin)
      assert.strictEqual(yield* text(child.getOutputFd(3)), "answer")
    })
  )

  it.effect("a child that has ended its side of a duplex descriptor can still be written to", () =>
    Effect.gen(function* () {
      const script = `
        const socket = new net.Socket({ fd: 3, allowHalfOpen: true })
        socket.end("last word").on("data", (data) => process.stdout.write(data))`
      const additionalFds = { fd3: { type: "duplex" } } as const
      const child = yield* (yield* Spawner).spawn(
        ChildProcess.make(process.execPath, ["-e", script], { additionalFds })
      )
      assert.strictEqual(yield* text(child.getOutputFd(3)), "last word")
      yield* turn
      yield* Stream.run(Stream.encodeText(Stream.make("reply")), child.getInputFd(3))
      assert.strictEqual(yield* text(child.stdout), "reply")
    })
  )

  it.effect("a pipeline that cannot be completed ends what it has started", () =>
    Effect.gen(function* () {
      const spawner = yield* Spawner
      const word = longTime()
      const sleeping = ChildProcess.make("sleep", [word])
      yield* Effect.flip(spawner.spawn(ChildProcess.pipeTo(sleeping, ChildProcess.make("no-such-command"))))
      assert.lengthOf(runningWith(word), 0)
      yield* spawner.spawn(ChildProcess.pipeTo(sleeping, ChildProcess.make("cat")))
      assert.lengthOf(runningWith(word), 1)
    })
  )

  it.effect("a pipe from a descriptor that carries no output is refused", () =>
    Effect.gen(function* () {
      const spawner = yield* Spawner
      const piped = (options: ChildProcess.PipeOptions) =>
        Effect.flip(spawner.exitCode(ChildProcess.pipeTo(shell("true"), ChildProcess.make("cat"), options)))
      assert.deepInclude((yield* piped({ from: "fd3" })).reason, { _tag: "BadArgument" })
      assert.deepInclude((yield* piped({ to: "fd1" })).reason, { _tag: "BadArgument" })
      assert.deepInclude((yield* piped({ to: "fd1024" })).reason, { _tag: "BadArgument" })
    })
  )

  it.effect("Node's coverage variable is not added to the environment", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const before = process.env["NODE_V8_COVERAGE"]
          process.env["NODE_V8_COVERAGE"] = "/tmp"
          return before
        }),
        (before) =>
          Effect.sync(() => {
            if (before === undefined) delete process.env["NODE_V8_COVERAGE"]
            else process.env["NODE_V8_COVERAGE"] = before
          })
      )
      assert.deepStrictEqual(yield* environment({ env: { A: "1" } }), ["A=1"])
      assert.include(yield* environment({}), "NODE_V8_COVERAGE=/tmp")
    })
  )

  it.effect("a child that stays in our process group is ended alone", () =>
    Effect.gen(function* () {
      const [member, leader] = yield* Effect.gen(function* () {
        const child = yield* (yield* Spawner).spawn(shell("sleep 1000 >&2 & echo $!; wait", { detached: false }))
        return [Number(yield* firstLine(child.stdout)), child.pid] as const
      }).pipe(Effect.scoped)
      yield* endAfterwards(member)
      assert.deepStrictEqual([isRunning(leader), isRunning(member)], [false, true])
    })
  )

  it.effect("an unreferenced child outlives its Scope, and a referenced one again does not", () =>
    Effect.gen(function* () {
      const spawner = yield* Spawner
      const sleeping = ChildProcess.make("sleep", ["1000"])
      const leave = (use: (child: ChildProcessSpawner.ChildProcessHandle) => Effect.Effect<unknown, unknown>) =>
        Effect.scoped(Effect.tap(spawner.spawn(sleeping), use))
      const left = yield* leave((child) => child.unref)
      yield* endAfterwards(left.pid)
      assert.isTrue(isRunning(left.pid))
      const kept = yield* leave((child) => Effect.flatten(child.unref))
      assert.isFalse(isRunning(kept.pid))
    })
  )

  it.effect("a program whose only child is unreferenced exits", () =>
    Effect.gen(function* () {
      const program = fileURLToPath(new URL("fixtures/unref.ts", import.meta.url))
      const pid = Number(yield* (yield* Spawner).string(ChildProcess.make(process.execPath, [program])))
      yield* endAfterwards(pid)
      assert.isTrue(isRunning(pid))
    })
  )

  it.effect("two hundred children, and as many that cannot be started, leave no descriptor and no listener", () =>
    Effect.gen(function* () {
      const spawner = yield* Spawner
      const additionalFds = { fd3: { type: "duplex" }, fd4: { type: "output" } } as const
      const unread = spawner.spawn(shell("echo unread; echo unread >&2; echo unread >&3", { additionalFds }))
      const missing = Effect.flip(spawner.spawn(ChildProcess.make("no-such-command", { additionalFds })))
      const round = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () => Effect.all([unread, missing]), {
          concurrency: "unbounded",
          discard: true
        })
      yield* Effect.scoped(round(1))
      const before = openResources()
      const scope = yield* Scope.make()
      yield* Scope.provide(round(200), scope)
      assert.isAbove(openResources().descriptors, before.descriptors + 200)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(openResources(), before)
    })
  )
})

const openResources = () => ({
  descriptors: Fs.readdirSync("/proc/self/fd").length,
  listeners: process.eventNames().map((event) => [event, process.listenerCount(event)])
})
