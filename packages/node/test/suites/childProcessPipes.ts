/** Output, input, additional descriptors and pipelines. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Sink, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import * as Path from "node:path"
import { bytesWrittenBy, shell, Spawner, temporaryDirectory, text, turn, untilStalled } from "./processes.ts"

const megabyte = 1024 * 1024

const encode = (...words: ReadonlyArray<string>) => Stream.encodeText(Stream.fromIterable(words))

/** Collects all of the output into one chunk. */
const upperCase = Sink.map(Sink.collect<Uint8Array>(), (chunks): Uint8Array =>
  Buffer.from(Buffer.concat(chunks).toString().toUpperCase())
)

export const childProcessPipes = (name: string, tested: Layer.Layer<ChildProcessSpawner.ChildProcessSpawner>) =>
  layer(tested)(name, (it) => {
    it.effect("output is not lost when it is read after the child has exited", () =>
      Effect.gen(function* () {
        const script = "head -c 50000 /dev/zero; printf err >&2; exit 3"
        const child = yield* (yield* Spawner).spawn(shell(script))
        assert.strictEqual(Number(yield* child.exitCode), 3)
        yield* Effect.repeat(turn, { times: 20 })
        assert.strictEqual((yield* text(child.stdout)).length, 50_000)
        assert.strictEqual(yield* text(child.stderr), "err")
      })
    )

    it.effect("a child that nobody reads waits, and all it writes arrives once somebody does", () =>
      Effect.gen(function* () {
        const child = yield* (yield* Spawner).spawn(
          ChildProcess.make("head", ["-c", String(200 * megabyte), "/dev/zero"])
        )
        yield* untilStalled(child.pid)
        assert.isBelow(bytesWrittenBy(child.pid), 4 * megabyte)
        const length = yield* Stream.runFold(
          child.stdout,
          () => 0,
          (total, chunk) => total + chunk.length
        )
        assert.strictEqual(length, 200 * megabyte)
        assert.strictEqual(Number(yield* child.exitCode), 0)
      })
    )

    it.effect("all carries both outputs", () =>
      Effect.gen(function* () {
        const child = yield* (yield* Spawner).spawn(shell("printf a; printf b >&2"))
        assert.sameMembers([...(yield* text(child.all))], ["a", "b"])
      })
    )

    it.effect("an output Sink shapes what the handle emits", () =>
      Effect.gen(function* () {
        const child = yield* (yield* Spawner).spawn(shell("printf loud", { stdout: upperCase }))
        assert.strictEqual(yield* text(child.stdout), "LOUD")
      })
    )

    it.effect("ignored output is empty, and ignored input is at its end", () =>
      Effect.gen(function* () {
        const child = yield* (yield* Spawner).spawn(shell("cat; echo end", { stdin: "ignore", stdout: "ignore" }))
        assert.strictEqual(yield* text(child.stdout), "")
        assert.strictEqual(Number(yield* child.exitCode), 0)
      })
    )

    it.effect("a Stream of input is written to its end", () =>
      Effect.gen(function* () {
        const block = new Uint8Array(megabyte)
        const stdin = Stream.range(1, 20).pipe(Stream.map(() => block))
        const count = yield* (yield* Spawner).string(ChildProcess.make("wc", ["-c"], { stdin }))
        assert.strictEqual(Number(count), 20 * megabyte)
      })
    )

    it.effect("input can be written in turns when endOnDone is off", () =>
      Effect.gen(function* () {
        const stdin = { stream: "pipe", endOnDone: false } as const
        const child = yield* (yield* Spawner).spawn(shell('read a; read b; printf %s "$a$b"', { stdin }))
        yield* Stream.run(encode("one\n"), child.stdin)
        yield* Stream.run(encode("two\n"), child.stdin)
        assert.strictEqual(yield* text(child.stdout), "onetwo")
      })
    )

    it.effect("a child may exit without reading its input", () =>
      Effect.gen(function* () {
        const stdin = Stream.forever(Stream.make(new Uint8Array(megabyte)))
        assert.strictEqual(Number(yield* (yield* Spawner).exitCode(shell("exit 4", { stdin }))), 4)
      })
    )

    it.effect("additional descriptors carry input, output and both", () =>
      Effect.gen(function* () {
        const child = yield* (yield* Spawner).spawn(
          shell("cat <&3 >&6; read question <&5; printf 'answer to %s' \"$question\" >&5", {
            additionalFds: {
              fd3: { type: "input", stream: encode("in") },
              fd5: { type: "duplex" },
              fd6: { type: "output" }
            }
          })
        )
        yield* Stream.run(encode("life\n"), child.getInputFd(5))
        assert.strictEqual(yield* text(child.getOutputFd(6)), "in")
        assert.strictEqual(yield* text(child.getOutputFd(5)), "answer to life")
        assert.strictEqual(yield* text(child.getOutputFd(4)), "")
        yield* Stream.run(encode("nobody asked"), child.getInputFd(4))
        assert.strictEqual(Number(yield* child.exitCode), 0)
      })
    )

    it.effect("a Sink shapes an additional output", () =>
      Effect.gen(function* () {
        const additionalFds = { fd3: { type: "output", sink: upperCase } } as const
        const child = yield* (yield* Spawner).spawn(shell("printf loud >&3", { additionalFds }))
        assert.strictEqual(yield* text(child.getOutputFd(3)), "LOUD")
      })
    )

    it.effect("commands pipe into each other", () =>
      Effect.gen(function* () {
        const command = ChildProcess.make("cat", [], { stdin: encode("b\n", "a\n", "b\n") }).pipe(
          ChildProcess.pipeTo(ChildProcess.make("sort")),
          ChildProcess.pipeTo(ChildProcess.make("uniq"))
        )
        assert.deepStrictEqual(yield* (yield* Spawner).lines(command), ["a", "b"])
      })
    )

    it.effect("a pipe starts and ends where its options say", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const additionalFds = { fd3: { type: "output" } } as const
        const source = shell("printf 'out\n'; printf 'err\n' >&2; printf 'extra\n' >&3", { additionalFds })
        const piped = (options: ChildProcess.PipeOptions, script = "sort") =>
          spawner.lines(ChildProcess.pipeTo(source, shell(script), options))
        assert.deepStrictEqual(yield* piped({}), ["out"])
        assert.deepStrictEqual(yield* piped({ from: "stderr" }), ["err"])
        assert.deepStrictEqual(yield* piped({ from: "all" }), ["err", "out"])
        assert.deepStrictEqual(yield* piped({ from: "fd3" }), ["extra"])
        assert.deepStrictEqual(yield* piped({ to: "fd4" }, "cat <&4"), ["out"])
      })
    )

    it.effect("output that no pipe carries does not block its writer", () =>
      Effect.gen(function* () {
        const noisy = shell(`head -c ${4 * megabyte} /dev/zero >&2; echo done`)
        assert.deepStrictEqual(yield* (yield* Spawner).lines(ChildProcess.pipeTo(noisy, ChildProcess.make("cat"))), [
          "done"
        ])
      })
    )

    it.effect("a command whose reader has gone stops writing", () =>
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const fifo = Path.join(yield* temporaryDirectory, "fifo")
        yield* spawner.exitCode(ChildProcess.make("mkfifo", [fifo]))
        // The reader closes its input after a line, and then waits to hear that the writer has noticed.
        const writer = shell(`yes; echo noticed > ${fifo}`)
        const reader = shell(`head -n 1; exec <&-; cat ${fifo}`)
        assert.deepStrictEqual(yield* spawner.lines(ChildProcess.pipeTo(writer, reader)), ["y", "noticed"])
      })
    )
  })
