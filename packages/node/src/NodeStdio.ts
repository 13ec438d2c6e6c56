/** Effect's `Stdio`: the arguments and standard streams of this process. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type { Writable } from "node:stream"
import { inTurn, nextChunk } from "./internal/standardInput.ts"
import { end, write } from "./internal/standardOutput.ts"

/** A reader of `stdin` that stops early leaves the rest to the next one, `Terminal` included. */
export const layer: Layer.Layer<Stdio.Stdio> = Layer.sync(Stdio.Stdio, () =>
  Stdio.make({
    args: Effect.sync(() => process.argv.slice(2)),
    stdinIsTerminal: Effect.sync(() => process.stdin.isTTY === true),
    stdoutIsTerminal: Effect.sync(() => process.stdout.isTTY === true),
    stderrIsTerminal: Effect.sync(() => process.stderr.isTTY === true),
    stdin: Stream.fromPull(Effect.succeed(Effect.map(inTurn(nextChunk), Arr.of))),
    stdout: (options) => toSink(process.stdout, "stdout", options?.endOnDone ?? false),
    stderr: (options) => toSink(process.stderr, "stderr", options?.endOnDone ?? false)
  })
)

const toSink = (writable: Writable, method: string, endOnDone: boolean) => {
  const sink = Sink.forEach((chunk: string | Uint8Array) => write(writable, "Stdio", method, chunk))
  return endOnDone ? Sink.mapEffect(sink, () => end(writable, "Stdio", method)) : sink
}
