/** How children end: on their own, by `kill`, with their Scope, by interruption. All of it under TestClock. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, type Layer, PlatformError, Queue, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { firstLine, isRunning, longTime, runningWith, shell, Spawner, temporaryDirectory, until } from "./processes.ts"

const leaderAndMember = "sleep 1000 & echo $$ $!; wait"

/** Runs a script inside a Scope until its first line; the line holds the pids to look at afterwards. */
const pidsFromScope = (script: string, options?: ChildProcess.CommandOptions) =>
  Effect.gen(function* () {
    const child = yield* (yield* Spawner).spawn(shell(script, options))
    const pids = (yield* firstLine(child.stdout)).split(" ").map(Number)
    assert.deepStrictEqual(pids.filter(isRunning), pids)
    return pids
  }).pipe(Effect.scoped)

export const childProcessEnding = (name: string, tested: Layer.Layer<ChildProcessSpawner.ChildProcessSpawner>) =>
  layer(tested)(name, (it) => {
    it.effect("leaving the Scope ends the child and its descendants", () =>
      Effect.gen(function* () {
        const pids = yield* pidsFromScope(leaderAndMember)
        assert.deepStrictEqual(pids.map(isRunning), [false, false])
      })
    )

    it.effect("interruption ends the child and its descendants", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const lines = yield* Queue.unbounded<string>()
        const reading = Stream.runForEach(spawner.streamLines(shell(leaderAndMember)), (line) =>
          Queue.offer(lines, line)
        )
        const fiber = yield* Effect.forkChild(reading)
        const pids = (yield* Queue.take(lines)).split(" ").map(Number)
        assert.deepStrictEqual(pids.map(isRunning), [true, true])
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(pids.map(isRunning), [false, false])
      })
    )

    it.effect("a descendant that outlives the child ends with the Scope", () =>
      Effect.gen(function* () {
        const member = yield* Effect.gen(function* () {
          const child = yield* (yield* Spawner).spawn(shell("sleep 1000 >&2 & echo $!"))
          const pid = Number(yield* firstLine(child.stdout))
          yield* child.exitCode
          assert.isTrue(isRunning(pid))
          return pid
        }).pipe(Effect.scoped)
        assert.isFalse(isRunning(member))
      })
    )

    it.effect("a descendant may clean up as well, whatever its program is called", () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const [program, proof] = [Path.join(directory, "x) Z 1 1 ("), Path.join(directory, "proof")]
        const script = "trap 'sleep 0.1; echo cleaned > \"$1\"; exit' TERM; echo ready; while :; do sleep 0.01; done"
        yield* Effect.promise(() => Fs.writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 }))
        yield* Effect.gen(function* () {
          const child = yield* (yield* Spawner).spawn(shell(`'${program}' '${proof}' &`))
          yield* firstLine(child.stdout)
          yield* child.exitCode
        }).pipe(Effect.scoped)
        assert.strictEqual(yield* Effect.promise(() => Fs.readFile(proof, "utf8")), "cleaned\n")
      })
    )

    it.effect("a child that ignores SIGTERM is killed after forceKillAfter", () =>
      Effect.gen(function* () {
        const stubborn = "trap '' TERM; echo $$; while :; do sleep 0.01; done"
        assert.deepStrictEqual((yield* pidsFromScope(stubborn, { forceKillAfter: "50 millis" })).map(isRunning), [
          false
        ])
      })
    )

    it.effect("a child may clean up before it ends", () =>
      Effect.gen(function* () {
        const script = "trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.01; done"
        const child = yield* (yield* Spawner).spawn(shell(script))
        const lines = yield* Queue.unbounded<string>()
        const reader = yield* child.stdout.pipe(
          Stream.decodeText(),
          Stream.splitLines,
          Stream.runForEach((line) => Queue.offer(lines, line)),
          Effect.forkChild
        )
        assert.strictEqual(yield* Queue.take(lines), "ready")
        yield* child.kill()
        yield* Fiber.join(reader)
        assert.strictEqual(yield* Queue.take(lines), "cleaned")
        assert.strictEqual(Number(yield* child.exitCode), 7)
      })
    )

    it.effect("killSignal replaces SIGTERM, for kill and for the Scope", () =>
      Effect.gen(function* () {
        const script = "trap 'exit 2' INT; trap '' TERM; echo $$; while :; do sleep 0.01; done"
        const child = yield* (yield* Spawner).spawn(shell(script))
        yield* firstLine(child.stdout)
        yield* child.kill({ killSignal: "SIGINT" })
        assert.strictEqual(Number(yield* child.exitCode), 2)
        assert.deepStrictEqual((yield* pidsFromScope(script, { killSignal: "SIGINT" })).map(isRunning), [false])
      })
    )

    it.effect("kill returns when the whole group has ended, and again when there is none", () =>
      Effect.gen(function* () {
        const child = yield* (yield* Spawner).spawn(shell(leaderAndMember))
        const pids = (yield* firstLine(child.stdout)).split(" ").map(Number)
        assert.isTrue(yield* child.isRunning)
        yield* child.kill()
        assert.deepStrictEqual(pids.map(isRunning), [false, false])
        assert.isFalse(yield* child.isRunning)
        yield* child.kill()
      })
    )

    it.effect("a child that a signal ended has no exit code", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip((yield* Spawner).exitCode(shell("kill -KILL $$")))
        assert.isTrue(PlatformError.isPlatformError(error))
      })
    )

    it.effect("leaving the Scope ends every command of a pipeline", () =>
      Effect.gen(function* () {
        const word = longTime()
        const sleeping = (script: string) => shell(`sleep ${word} & ${script}; wait`)
        const pipeline = ChildProcess.pipeTo(sleeping("echo left"), sleeping("cat"))
        yield* Effect.gen(function* () {
          const child = yield* (yield* Spawner).spawn(pipeline)
          assert.strictEqual(yield* firstLine(child.stdout), "left")
          yield* until(() => runningWith(word).length === 2)
        }).pipe(Effect.scoped)
        assert.lengthOf(runningWith(word), 0)
      })
    )

    it.effect("interruption while a child is being spawned leaves no process behind", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const word = longTime()
        const spawn = Effect.scoped(Effect.andThen(spawner.spawn(ChildProcess.make("sleep", [word])), Effect.never))
        const fibers = yield* Effect.forEach(Array.from({ length: 50 }), () =>
          Effect.forkChild(spawn, { startImmediately: true })
        )
        yield* Fiber.interruptAll(fibers)
        assert.lengthOf(runningWith(word), 0)
        yield* spawner.spawn(ChildProcess.make("sleep", [word]))
        assert.lengthOf(runningWith(word), 1)
      })
    )
  })
