import { assert, describe, it } from "@effect/vitest"
import { Progress } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Deferred, Effect, Exit, Fiber, Ref } from "effect"
import * as Fs from "node:fs"
import {
  complaintOf,
  eventually,
  failureOf,
  hasBubblewrap,
  makeMarker,
  makeShellPlace,
  notIsolated,
  type Options,
  survivors,
  textOf,
  valueOf
} from "./support/commands.ts"
import { allowInside, denyAll, openDescriptors } from "./support/place.ts"

const modes: ReadonlyArray<readonly [string, Options]> = [
  ...(hasBubblewrap ? [["isolated", { isolation: "required" }] as const] : []),
  ["not isolated", notIsolated]
]

/** Processes are started, some of them several, on a machine that may be busy. */
const longTime = 120_000

describe.each(modes)("a command that is %s", (_, mode) => {
  it.live(
    "gives what it printed on both streams, its exit code and its directory",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace(mode)
        assert.deepStrictEqual(yield* valueOf(place, "shell", { command: "echo out; echo err >&2; exit 3" }), {
          stdout: "out\n",
          stderr: "err\n",
          exit_code: 3,
          cwd: place.root
        })
        assert.strictEqual(
          yield* textOf(place, "shell", { command: "echo out; echo err >&2; exit 3" }),
          "out\n[stderr]\nerr\n[exit code 3]"
        )
        assert.strictEqual(yield* textOf(place, "shell", { command: "true" }), "[It printed nothing.]\n[exit code 0]")
      }),
    longTime
  )

  const outcomes: ReadonlyArray<readonly [string, string, Readonly<Record<string, number | string>>]> = [
    ["that begins with a dash", "-x; true", { exit_code: 0 }],
    ["with a here-document", "cat <<'END'\na 'b\nEND", { stdout: "a 'b\n", exit_code: 0 }],
    ["with a comment at its end", "echo a # b", { stdout: "a\n", exit_code: 0 }],
    ["that reads its input", "cat; echo done", { stdout: "done\n", exit_code: 0 }],
    ["that fails inside a pipe", "false | true", { exit_code: 1 }],
    ["that prints nothing", "exit 0", { stdout: "", stderr: "", exit_code: 0 }],
    ["that ends itself by a signal", "kill -KILL $$", { exit_code: 137, signal: "SIGKILL" }],
    ["whose output is not trimmed", "printf '\\n a \\n\\n'", { stdout: "\n a \n\n", exit_code: 0 }],
    ["that writes a character in two pieces", "printf '\\342\\202'; sleep 0.1; printf '\\254'", { stdout: "€" }]
  ]

  it.live.each(outcomes)("%s is a result", ([, command, expected]) =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      assert.deepInclude(yield* valueOf(place, "shell", { command }), expected)
    })
  )

  it.live("is told about what a model may not notice by itself", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      const noteOf = (command: string) =>
        Effect.map(textOf(place, "shell", { command }), (text) => text.split("\n").at(-1))
      assert.strictEqual(
        yield* noteOf("yes | head -n 1"),
        "[Exit code 141 means that a reader closed its pipe early, as head does. That is usually fine.]"
      )
      const swallowed = "[It printed nothing. A pipeline or a redirection may have swallowed the output.]"
      assert.strictEqual(yield* noteOf("true | true"), swallowed)
      assert.strictEqual(yield* noteOf("true 2>/dev/null"), swallowed)
      assert.strictEqual(yield* noteOf("true"), "[exit code 0]")
      assert.strictEqual(yield* noteOf("echo a | cat"), "[exit code 0]")
      assert.strictEqual(yield* noteOf("false | cat"), "[exit code 1]")
      assert.strictEqual(yield* noteOf("echo 'a"), "[A quote or a here-document in the command is not closed.]")
      assert.strictEqual(yield* noteOf("printf 'a\\377b'"), "[1 byte of stdout is not UTF-8, shown as \uFFFD.]")
    })
  )

  it.live("runs in the directory that is given, and nowhere else", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ ...mode, place: { answer: allowInside } })
      place.write("with space/a", "")
      place.write("../beside/secret", "")
      Fs.symlinkSync("with space", place.at("inside"))
      Fs.symlinkSync("../beside", place.at("outside"))
      const run = (cwd: string) => ({ command: "pwd; ls", cwd })
      assert.strictEqual(yield* textOf(place, "shell", run("with space")), `${place.root}/with space\na\n[exit code 0]`)
      assert.include(yield* textOf(place, "shell", run("inside")), `${place.root}/with space\na\n`)
      for (const [cwd, complaint] of [
        ["..", "Denied"],
        ["outside", "Denied"],
        ["/", "Denied"],
        ["missing", "NotFound"],
        ["with space/a", "Precondition"],
        ["a\0b", "InvalidArguments"]
      ] as const) {
        const failure = yield* failureOf(place, "shell", run(cwd))
        assert.deepStrictEqual([failure.reason._tag, failure.field ?? "cwd"], [complaint, "cwd"], cwd)
      }
    })
  )

  it.live("may run in a directory outside that was allowed, and change it", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      Fs.mkdirSync(`${place.above}/beside`)
      const input = { command: "pwd; echo x > made; ls ../project", cwd: `${place.above}/beside` }
      place.write("own", "")
      assert.strictEqual(yield* textOf(place, "shell", input), `${place.above}/beside\nown\n[exit code 0]`)
      assert.strictEqual(Fs.readFileSync(`${place.above}/beside/made`, "utf8"), "x\n")
    })
  )

  it.live("asks with its whole text, and touches nothing if that is refused", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ ...mode, place: { answer: denyAll } })
      const command = "echo x > made"
      const { effect, exit } = yield* Testing.observe(place.tools.shell, { command, description: "Make it" })
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual(effect._tag, "None")
      assert.deepStrictEqual(place.names(), [])
      const isIsolated = place.shell.isolation === "namespace"
      const [request] = yield* Ref.get(place.asked)
      assert.deepInclude(request, {
        action: isIsolated ? "shell" : "shell_unisolated",
        resources: [command],
        save: [],
        metadata: { command, cwd: ".", isolation: place.shell.isolation, network: !isIsolated, description: "Make it" }
      })
      const missing = yield* failureOf(place, "shell", { command, cwd: "missing" })
      assert.strictEqual(missing.reason._tag, "Denied")
    })
  )

  it.live("has changed something, as far as anybody knows, once it has run", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      const observed = yield* Testing.observe(place.tools.shell, { command: "echo x > made" })
      assert.strictEqual(observed.effect._tag, "Committed")
      const silent = yield* Testing.observe(place.tools.shell, { command: `sleep ${makeMarker()}`, timeout: 1 })
      assert.strictEqual(silent.effect._tag, "Unknown")
    })
  )

  it.live("refuses what no command can be, before anything is asked", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      const refused = [
        { command: "" },
        { command: " \n" },
        { command: "echo a\0b" },
        { command: `echo ${"x".repeat(200 * 1024)}` },
        { command: "true", timeout: 0 },
        { command: "true", timeout: -1 },
        { command: "true", timeout: 3601 },
        { command: "true", timeout: 0.5 }
      ]
      for (const input of refused) {
        const error = yield* Effect.flip(Testing.call(place.tools.shell, input))
        assert.strictEqual(error._tag, "InvalidInput", JSON.stringify(input).slice(0, 50))
      }
      assert.deepStrictEqual(yield* Ref.get(place.asked), [])
    })
  )

  it.live(
    "takes everything with it that it left running, in whichever way, and does not wait for it",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace(mode)
        const ways = [
          (sleep: string) => `${sleep} &`,
          (sleep: string) => `nohup ${sleep} >/dev/null 2>&1 &`,
          (sleep: string) => `setsid ${sleep} &`,
          (sleep: string) => `(setsid setsid ${sleep} &)`,
          (sleep: string) => `(trap '' TERM HUP; exec ${sleep}) &`
        ]
        for (const way of ways) {
          const marker = makeMarker()
          const text = yield* textOf(place, "shell", { command: `${way(`sleep ${marker}`)}\necho hi` })
          assert.strictEqual(
            text,
            "hi\n[exit code 0]\n[Processes that the command left running were ended. To keep one running, use background.]"
          )
          assert.deepStrictEqual(survivors(marker), [])
        }
      }),
    longTime
  )

  it.live(
    "that falls silent is ended after its limit, with what it printed until then",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace(mode)
        const marker = makeMarker()
        const command = `trap 'echo bye; exit 9' TERM; echo begun; sleep ${marker} & wait`
        const failure = yield* failureOf(place, "shell", { command, timeout: 1 })
        assert.deepStrictEqual(failure.reason, { _tag: "TimedOut", boundBy: "idle", limitMs: 1000 })
        assert.deepInclude(failure.partial, {
          stdout: "begun\nbye\n",
          exit_code: 9,
          cwd: place.root,
          killed_by: "idle_timeout",
          idle_timeout_seconds: 1
        })
        assert.include(complaintOf(failure), "printed nothing for 1 second and was ended")
        assert.deepStrictEqual(survivors(marker), [])
      }),
    longTime
  )

  it.live(
    "stays alive by printing on either stream",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace(mode)
        const command = "for i in 1 2 3 4 5 6; do sleep 0.4; echo $i >&2; done"
        assert.deepInclude(yield* valueOf(place, "shell", { command, timeout: 2 }), { stderr: "1\n2\n3\n4\n5\n6\n" })
      }),
    longTime
  )

  it.live(
    "that ignores being asked, or has stopped itself, is killed",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace(mode)
        for (const before of ["trap '' TERM INT HUP;", "kill -STOP $$;", "exec 1>&- 2>&-;"]) {
          const marker = makeMarker()
          const command = `${before} while :; do sleep ${marker}; done`
          const failure = yield* failureOf(place, "shell", { command, timeout: 1 })
          assert.strictEqual(failure.reason._tag, "TimedOut")
          assert.deepStrictEqual(survivors(marker), [], before)
        }
      }),
    longTime
  )

  it.live(
    "can be stopped by the user, once, and says so",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace(mode)
        const marker = makeMarker()
        assert.isFalse(yield* place.shell.stop(Testing.context))
        const fiber = yield* Effect.forkChild(valueOf(place, "shell", { command: `echo begun; sleep ${marker}` }))
        yield* eventually(() => survivors(marker).length > 0)
        assert.deepStrictEqual(
          [yield* place.shell.stop(Testing.context), yield* place.shell.stop(Testing.context)],
          [true, true]
        )
        const value = yield* Fiber.join(fiber)
        assert.deepInclude(value, { stdout: "begun\n", killed_by: "user", exit_code: 143, signal: "SIGTERM" })
        assert.deepStrictEqual(survivors(marker), [])
        assert.isFalse(yield* place.shell.stop(Testing.context))
      }),
    longTime
  )

  it.live(
    "ends when its call is interrupted, at whichever moment, and keeps nothing open",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace(mode)
        yield* textOf(place, "shell", { command: "true" })
        const before = openDescriptors()
        for (const millis of [0, 1, 3, 10, 30, 60, 100, 200]) {
          const marker = makeMarker()
          const command = `setsid sleep ${marker} & sleep ${marker}`
          const fiber = yield* Effect.forkChild(textOf(place, "shell", { command }), { startImmediately: true })
          yield* Effect.sleep(millis)
          yield* Fiber.interrupt(fiber)
          assert.deepStrictEqual(survivors(marker), [], `after ${millis} ms`)
        }
        assert.strictEqual(openDescriptors(), before)
      }),
    longTime
  )

  it.live(
    "loses the middle of an output that is too large, and says how much",
    () =>
      Effect.gen(function* () {
        const limit = 10_000
        const place = yield* makeShellPlace({ ...mode, limits: { outputBytes: limit } })
        const value = yield* valueOf(place, "shell", { command: "seq -f 'é%06g' 5000; seq 2000 >&2" })
        const { stderr, stdout } = value
        assert(typeof stdout === "string" && typeof stderr === "string")
        const lost = Number(value["stdout_lost_bytes"])
        const marker = `\n[… ${lost} bytes are lost here: the output is larger than what is kept …]\n`
        const [head = "", tail = ""] = stdout.split(marker)
        const complete = Array.from({ length: 5000 }, (_, index) => `é${String(index + 1).padStart(6, "0")}\n`).join("")
        assert.isTrue(complete.startsWith(head) && complete.endsWith(tail))
        assert.strictEqual(Buffer.byteLength(head) + lost + Buffer.byteLength(tail), Buffer.byteLength(complete))
        assert.isAtMost(Buffer.byteLength(head) + Buffer.byteLength(tail), limit)
        assert.strictEqual(stderr, Array.from({ length: 2000 }, (_, index) => `${index + 1}\n`).join(""))
        assert.notProperty(value, "stderr_lost_bytes")
      }),
    longTime
  )

  it.live("tells how far it is while it runs", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      const seen = yield* Deferred.make<Progress.Update>()
      const call = Testing.call(place.tools.shell, { command: "printf '\\033[31mred'; sleep 0.1; echo three" })
      const fiber = yield* Effect.forkChild(
        Effect.provideService(call, Progress.Service, { report: (update) => Deferred.succeed(seen, update) })
      )
      assert.deepStrictEqual(yield* Deferred.await(seen), { message: "[31mred", completed: 8 })
      yield* Fiber.join(fiber)
    })
  )

  it.live("finds nothing of this process in its environment, and what the host gives it", () =>
    Effect.gen(function* () {
      process.env["HAFT_CANARY"] = "CANARY-of-the-host"
      const place = yield* makeShellPlace({ ...mode, environment: { GREETING: "hello" } })
      const { stdout } = yield* valueOf(place, "shell", { command: "env; cat /proc/self/environ" })
      delete process.env["HAFT_CANARY"]
      assert.notInclude(String(stdout), "CANARY")
      assert.include(String(stdout), "GREETING=hello\n")
      assert.include(String(stdout), "LANG=C.UTF-8\n")
    })
  )
})
