import { assert, describe, it } from "@effect/vitest"
import { LocationJobs } from "@haft/builtins"
import * as Testing from "@haft/core/testing"
import { Effect, Fiber, Layer, Redacted, Schema, Scope, Exit } from "effect"
import { syncBuiltinESMExports } from "node:module"
import {
  eventually,
  failureOf,
  hasBubblewrap,
  layerOn,
  makeMarker,
  makeShellPlace,
  notIsolated,
  type Options,
  otherSession,
  type ShellPlace,
  survivors,
  textOf,
  valueOf
} from "./support/commands.ts"
import { openDescriptors } from "./support/place.ts"

const modes: ReadonlyArray<readonly [string, Options]> = [
  ...(hasBubblewrap ? [["isolated", { isolation: "required" }] as const] : []),
  ["not isolated", notIsolated]
]

/** Processes are started, some of them several, on a machine that may be busy. */
const longTime = 120_000

const Started = Schema.Struct({ pid: Schema.Int, log_file: Schema.String, cwd: Schema.String })

const startJob = Effect.fnUntraced(function* (place: ShellPlace, command: string, context = Testing.context) {
  const value = yield* valueOf(place, "shell", { command, background: true }, context)
  return Schema.decodeUnknownSync(Started)(value)
})

const wait = (place: ShellPlace, pid: number) => valueOf(place, "process", { action: "wait", pid, seconds: 100 })

describe.each(modes)("a background job that is %s", { timeout: longTime }, (_, mode) => {
  it.live("is there at once, and afterwards with its log in the order of writing and its exit code", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      const command = "for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 5"
      const { cwd, log_file, pid } = yield* startJob(place, command)
      assert.strictEqual(cwd, place.root)
      assert.match(log_file, /^jobs\/[0-9a-f]{8}\.log$/)
      const log = "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"
      assert.deepStrictEqual(yield* wait(place, pid), {
        action: "wait",
        pid,
        log_file,
        exited: true,
        timed_out: false,
        exit_code: 5,
        log_tail: log
      })
      assert.strictEqual(
        yield* textOf(place, "process", { action: "poll", pid, tail_lines: 2 }),
        `out 3\nerr 3\n[Process ${pid}: ended with exit code 5. Its log is ${log_file}.]`
      )
      assert.strictEqual(
        yield* textOf(place, "read", { path: log_file, offset: 2, limit: 2 }),
        `2\terr 1\n3\tout 2\n[${log_file} goes on. To read on, give offset 4.]`
      )
    })
  )

  it.live("says that it runs, goes on after a wait, and is ended once however often it is killed", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      const marker = makeMarker()
      const { log_file, pid } = yield* startJob(place, `echo begun; setsid sleep ${marker} & sleep ${marker}`)
      yield* eventually(() => survivors(marker).length >= 2)
      const poll = valueOf(place, "process", { action: "poll", pid })
      const begun = yield* Effect.repeat(poll, { until: ({ log_tail }) => log_tail === "begun\n" })
      assert.deepStrictEqual(begun, { action: "poll", pid, log_file, alive: true, log_tail: "begun\n" })
      assert.deepInclude(yield* valueOf(place, "process", { action: "wait", pid, seconds: 0 }), {
        exited: false,
        timed_out: true
      })
      assert.strictEqual(
        yield* textOf(place, "process", { action: "list" }),
        `${pid}\trunning\t${log_file}\techo begun; setsid sleep ${marker} & sleep ${marker}`
      )
      const first = yield* Testing.observe(place.tools.process, { action: "kill", pid })
      assert.strictEqual(first.effect._tag, "Committed")
      assert.deepStrictEqual(survivors(marker), [])
      for (let again = 0; again < 50; again++) {
        assert.deepStrictEqual(yield* valueOf(place, "process", { action: "kill", pid, force: again % 2 === 0 }), {
          action: "kill",
          pid,
          killed: false,
          signal: again % 2 === 0 ? "SIGKILL" : "SIGTERM"
        })
      }
      assert.deepInclude(yield* valueOf(place, "process", { action: "poll", pid }), { alive: false })
    })
  )

  it.live("that ignores being asked is killed, at once if that is forced", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      for (const force of [true, false]) {
        const marker = makeMarker()
        const { pid } = yield* startJob(place, `trap '' TERM; sleep ${marker} & while :; do sleep ${marker}; done`)
        yield* eventually(() => survivors(marker).length >= 2)
        assert.deepInclude(yield* valueOf(place, "process", { action: "kill", pid, force }), { killed: true })
        assert.deepStrictEqual(survivors(marker), [])
      }
    })
  )

  it.live("belongs to its session: no other sees, reads or ends it", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      const marker = makeMarker()
      const { log_file, pid } = yield* startJob(place, `echo CANARY; sleep ${marker}`)
      yield* eventually(() => survivors(marker).length > 0)
      assert.strictEqual(yield* textOf(place, "process", { action: "list" }, otherSession), "[No background jobs.]")
      for (const action of ["poll", "wait", "kill"]) {
        const failure = yield* failureOf(place, "process", { action, pid }, otherSession)
        assert.strictEqual(failure.reason._tag, "NotFound")
      }
      const read = yield* failureOf(place, "read", { path: log_file }, otherSession)
      assert.strictEqual(read.reason._tag, "NotFound")
      const stranger = yield* failureOf(place, "process", { action: "kill", pid: process.pid })
      assert.deepStrictEqual([stranger.reason._tag, stranger.hint], ["NotFound", `Its jobs are ${pid}.`])
      yield* place.jobs.end(otherSession.sessionID)
      assert.isNotEmpty(survivors(marker))
      yield* place.jobs.end(Testing.context.sessionID)
      assert.deepStrictEqual(survivors(marker), [])
      assert.strictEqual(yield* textOf(place, "process", { action: "list" }), "[No background jobs.]")
    })
  )

  it.live("ends with the Location, and nothing stays open", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      const before = openDescriptors()
      const scope = yield* Scope.make()
      const context = yield* Scope.provide(Layer.build(layerOn(place, mode)), scope)
      const markers = [makeMarker(), makeMarker(), makeMarker()]
      const cwd = yield* place.files.resolve(".")
      assert(cwd._tag === "Target")
      yield* Effect.provideContext(
        Effect.gen(function* () {
          const jobs = yield* LocationJobs.Service
          for (const marker of markers) {
            yield* jobs.start(Testing.context.sessionID, {
              text: `trap '' TERM; sleep ${marker}; sleep ${marker}`,
              cwd
            })
          }
        }),
        context
      )
      yield* eventually(() => markers.every((marker) => survivors(marker).length > 0))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(markers.flatMap(survivors), [])
      assert.strictEqual(openDescriptors(), before)
    })
  )

  it.live("has a log within a limit, whose middle is lost, and without secrets", () =>
    Effect.gen(function* () {
      const secret = "s3cr3t-of-the-host"
      const secrets = Effect.succeed({ TOKEN: Redacted.make(secret) })
      const place = yield* makeShellPlace({ ...mode, secrets, limits: { logBytes: 4000 } })
      const { log_file, pid } = yield* startJob(place, "echo $TOKEN; seq 5000; echo $TOKEN")
      const { log_tail } = yield* wait(place, pid)
      assert.isTrue(String(log_tail).endsWith("4999\n5000\n<redacted>\n"))
      const page = yield* textOf(place, "read", { path: log_file, limit: 2000 })
      assert.match(page, /^1\t<redacted>\n2\t1\n3\t2\n[^]*\[… \d+ bytes are lost here[^]*\t5000\n\d+\t<redacted>\n/)
      assert.isBelow(page.length, 10_000)
      assert.notInclude(page, "s3cr3t")
    })
  )

  it.live("that cannot start is a failure, and a timeout of it is ignored and said to be", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ ...mode, jobs: { maxRunning: 1 } })
      const missing = yield* failureOf(place, "shell", { command: "true", background: true, cwd: "missing" })
      assert.strictEqual(missing.reason._tag, "NotFound")
      const marker = makeMarker()
      const value = yield* valueOf(place, "shell", { command: `sleep ${marker}`, background: true, timeout: 1 })
      assert.deepStrictEqual(value["warnings"], ["timeout has no meaning for a background job, and was ignored."])
      const full = yield* failureOf(place, "shell", { command: "true", background: true })
      assert.deepStrictEqual(
        [full.reason._tag, full.message],
        ["Precondition", "The command was not run: too many background jobs are running."]
      )
      yield* valueOf(place, "process", { action: "kill", pid: value["pid"] })
      yield* startJob(place, "true")
    })
  )

  it.live("is forgotten a while after its end", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ ...mode, jobs: { retention: "100 millis" } })
      const { log_file, pid } = yield* startJob(place, "true")
      yield* wait(place, pid)
      yield* Effect.repeat(textOf(place, "process", { action: "list" }), {
        until: (text) => text === "[No background jobs.]"
      })
      assert.strictEqual((yield* failureOf(place, "read", { path: log_file })).reason._tag, "NotFound")
    })
  )

  it.live("whose call is interrupted while it starts is not there, or is there as a whole", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      for (const millis of [0, 5, 20, 50, 100]) {
        const marker = makeMarker()
        const fiber = yield* Effect.forkChild(startJob(place, `sleep ${marker}`), { startImmediately: true })
        yield* Effect.sleep(millis)
        yield* Fiber.interrupt(fiber)
        const known = (yield* place.jobs.list(Testing.context.sessionID)).some(({ command }) =>
          command.includes(marker)
        )
        if (!known) assert.deepStrictEqual(survivors(marker), [])
      }
      yield* place.jobs.end(Testing.context.sessionID)
    })
  )
})

describe("the tool process", () => {
  it.live("reads numbers as a model may write them, and takes too much for the most", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(notIsolated)
      const { pid } = yield* startJob(place, "echo a")
      yield* wait(place, pid)
      const value = yield* valueOf(place, "process", {
        action: "wait",
        pid: String(pid),
        seconds: 9999,
        tail_lines: 9999
      })
      assert.deepStrictEqual(value["warnings"], [
        "No wait is longer than 300 seconds, so seconds was taken for 300.",
        "No more than 200 lines of a log are shown at once, so tail_lines was taken for 200."
      ])
      for (const pid of ["../../1", "job_unknown", 0, -1, 1.5]) {
        const error = yield* Effect.flip(Testing.call(place.tools.process, { action: "kill", pid }))
        assert.strictEqual(error._tag, "InvalidInput", String(pid))
      }
      const failure = yield* failureOf(place, "process", { action: "kill" })
      assert.deepStrictEqual([failure.reason._tag, failure.field], ["InvalidArguments", "pid"])
    })
  )

  it.live("never signals a number that its job no longer has", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(notIsolated)
      const marker = makeMarker()
      const { pid } = yield* startJob(place, `sleep ${marker}`)
      const kill = valueOf(place, "process", { action: "kill", pid, force: true })
      assert.isNotEmpty(yield* signalledDuring(kill))
      assert.isEmpty(yield* signalledDuring(kill))
    })
  )
})

/** The numbers that signals were sent to, by whichever part of this process. */
const signalledDuring = Effect.fnUntraced(function* <A, E>(act: Effect.Effect<A, E>) {
  const signalled: Array<number> = []
  const send = process.kill
  const replace = (kill: typeof process.kill) =>
    Effect.sync(() => {
      process.kill = kill
      syncBuiltinESMExports()
    })
  yield* replace((pid, signal) => {
    signalled.push(pid)
    return send.call(process, pid, signal)
  })
  yield* Effect.ensuring(act, replace(send))
  return signalled
})
