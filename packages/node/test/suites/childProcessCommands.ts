/** Words, environment, working directory, exit code, and commands that cannot be started. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Redacted, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import { inspect } from "node:util"
import { shell, Spawner, text } from "./processes.ts"

const secret = Redacted.make("s3cret")

export const childProcessCommands = (name: string, tested: Layer.Layer<ChildProcessSpawner.ChildProcessSpawner>) =>
  layer(tested)(name, (it) => {
    it.effect("the exit code is the child's own", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        assert.strictEqual(Number(yield* spawner.exitCode(shell("exit 0"))), 0)
        assert.strictEqual(Number(yield* spawner.exitCode(shell("exit 143"))), 143)
      })
    )

    it.effect("a child runs until it has exited", () =>
      Effect.gen(function* () {
        const child = yield* (yield* Spawner).spawn(shell("read line"))
        assert.isTrue(yield* child.isRunning)
        yield* Stream.run(Stream.encodeText(Stream.make("go\n")), child.stdin)
        yield* child.exitCode
        assert.isFalse(yield* child.isRunning)
      })
    )

    it.effect("env is the whole environment", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const environment = (env: Record<string, string>) =>
          spawner.lines(ChildProcess.make("/usr/bin/env", [], { env }))
        assert.deepStrictEqual(yield* environment({ A: "1", B: "two words" }), ["A=1", "B=two words"])
        assert.deepStrictEqual(yield* environment({}), [])
      })
    )

    it.effect("extendEnv keeps the inherited environment, except for what env sets or removes", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const script = 'printf %s "${PATH:+path} ${HOME-no home} $TOKEN"'
        const env = { HOME: undefined, TOKEN: secret }
        assert.strictEqual(yield* spawner.string(shell(script, { env, extendEnv: true })), "path no home s3cret")
        assert.strictEqual(yield* spawner.string(shell("printf %s ${PATH:+path}")), "path")
      })
    )

    it.effect("a Redacted word reaches the child and no error", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        assert.strictEqual(yield* spawner.string(ChildProcess.make("printf", ["%s", secret])), "s3cret")
        const nul = Redacted.make("s3cret\0")
        const errors = [
          yield* Effect.flip(
            spawner.exitCode(ChildProcess.make("no-such-command", [secret], { env: { TOKEN: secret } }))
          ),
          yield* Effect.flip(spawner.exitCode(ChildProcess.make("true", [nul]))),
          yield* Effect.flip(spawner.exitCode(ChildProcess.make("true", [], { env: { TOKEN: nul } })))
        ]
        assert.deepInclude(errors[0]?.reason, { _tag: "NotFound" })
        assert.deepInclude(errors[1]?.reason, { _tag: "BadArgument" })
        assert.deepInclude(errors[2]?.reason, { _tag: "BadArgument" })
        assert.include(inspect(errors, { depth: Infinity }), "no-such-command")
        assert.notInclude(inspect(errors, { depth: Infinity, showHidden: true }), "s3cret")
      })
    )

    it.effect("a missing command and a missing directory are told apart", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const failure = (command: ChildProcess.Command) =>
          Effect.map(Effect.flip(spawner.exitCode(command)), ({ reason }) => reason)
        const command = yield* failure(ChildProcess.make("no-such-command", { cwd: "/", env: { PATH: "/usr/bin" } }))
        assert.deepInclude(command, { _tag: "NotFound", pathOrDescriptor: "no-such-command" })
        const directory = yield* failure(shell("true", { cwd: "/no/such/directory" }))
        assert.deepInclude(directory, { _tag: "NotFound", pathOrDescriptor: "/no/such/directory" })
        const file = yield* failure(shell("true", { cwd: "/dev/null" }))
        assert.deepInclude(file, { _tag: "BadResource", pathOrDescriptor: "/dev/null" })
      })
    )

    it.effect("a file that may not be executed is a permission problem", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip((yield* Spawner).exitCode(ChildProcess.make("/dev/null")))
        assert.deepInclude(error.reason, { _tag: "PermissionDenied", pathOrDescriptor: "/dev/null" })
      })
    )

    it.effect("the working directory is the given one", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* (yield* Spawner).string(shell("pwd -P", { cwd: "/proc/sys" })), "/proc/sys\n")
      })
    )

    it.effect("a shell runs its script, and refuses arguments that it would join into it", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const script = ChildProcess.make("printf %s a; printf %s b", { shell: "/bin/sh" })
        assert.strictEqual(yield* spawner.string(script), "ab")
        const error = yield* Effect.flip(spawner.string(ChildProcess.make("printf", ["a"], { shell: true })))
        assert.deepInclude(error.reason, { _tag: "BadArgument" })
      })
    )

    it.effect("two hundred children at once each keep their own output", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const numbers = Array.from({ length: 200 }, (_, index) => String(index))
        const echoed = yield* Effect.forEach(
          numbers,
          (number) =>
            Effect.scoped(Effect.flatMap(spawner.spawn(shell(`printf ${number}`)), (child) => text(child.stdout))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(echoed, numbers)
      })
    )
  })
