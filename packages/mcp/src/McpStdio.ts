/** The tools of a Location for a client that started this process and speaks with it over its standard streams. */
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { type Fault, wholeLines } from "./internal/frames.ts"
import { maxFrameBytes } from "./internal/limits.ts"
import * as Sentences from "./internal/sentences.ts"
import * as McpTools from "./McpTools.ts"
import type { Source } from "./Source.ts"

/** Which tools are served, and how the server calls itself. */
export interface Options {
  /** What the server calls itself. */
  readonly name: string
  readonly version: string
  readonly instructions?: string
  readonly source: Source
  /** How long calls may go on after the client has closed its side. Then they are interrupted. */
  readonly grace?: Duration.Input
}

/** A client that closes its side and waits gets the answers that were nearly there. */
const defaultGrace = "2 seconds"

/** Newest first: a client that offers none of them gets the first. */
const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

/**
 * Serves until the client is gone. Nothing else may write to standard output meanwhile. `McpClients.layer` is for the host
 * to provide, who may ask through it.
 */
export const serve = Effect.fnUntraced(function* ({
  grace = defaultGrace,
  instructions,
  name,
  source,
  version
}: Options) {
  const stdio = yield* Stdio.Stdio
  const gone = yield* Deferred.make<void>()
  const server = McpServer.layerStdio({
    name,
    version,
    instructions,
    protocols,
    registrations: McpTools.layer(source)
  })
  const serving = yield* Layer.launch(server).pipe(
    Effect.provideService(Stdio.Stdio, guarded(stdio, gone)),
    Effect.forkScoped
  )
  yield* Effect.raceFirst(Fiber.join(serving), Deferred.await(gone))
  yield* Effect.timeoutOption(Fiber.await(serving), grace)
}, Effect.scoped)

/** Input that is no message is answered here, and does not reach the server. */
const guarded = (stdio: Stdio.Stdio, gone: Deferred.Deferred<void>): Stdio.Stdio => ({
  ...stdio,
  stdin: stdio.stdin.pipe(
    wholeLines(maxFrameBytes, (fault) => Stream.run(Stream.succeed(refusal(fault)), stdio.stdout())),
    Stream.ensuring(Deferred.succeed(gone, undefined))
  )
})

/** Nobody can tell which request it was. The codes are those of JSON-RPC. */
const refusal = (fault: Fault): string => {
  const code = fault === "TooLong" ? -32_600 : -32_700
  return `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message: Sentences.badFrame(fault, maxFrameBytes) } })}\n`
}
