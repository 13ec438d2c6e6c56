/** Runs the engine once, and hands on what it prints until somebody has enough. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as PlatformError from "effect/PlatformError"
import type * as ChildProcess from "effect/process/ChildProcess"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import { EngineError } from "./searchErrors.ts"

export type Spawner = ChildProcessSpawner.ChildProcessSpawner["Service"]

/** How the engine ended by itself. */
export interface Ended {
  readonly exitCode: number
  /** The beginning of what it complained about. */
  readonly complaint: string
}

/** Ends the program as soon as `take` says that it has enough; then there is nothing to tell of its end. */
export const run = Effect.fnUntraced(
  function* (spawner: Spawner, command: ChildProcess.Command, take: (bytes: Uint8Array) => Effect.Effect<boolean>) {
    const child = yield* spawner.spawn(command)
    const complaint = yield* Effect.forkScoped(beginningOf(child.stderr))
    let goesOn = true
    yield* Stream.runForEachWhile(child.stdout, (bytes) =>
      Effect.tap(take(bytes), (more) => Effect.sync(() => void (goesOn = more)))
    )
    if (!goesOn) return undefined
    return { exitCode: yield* child.exitCode, complaint: yield* Fiber.join(complaint) } satisfies Ended
  },
  Effect.scoped,
  Effect.catchTag("PlatformError", () => new EngineError({}))
)

/** Its messages are a few lines, apart from the pattern that they repeat. */
const complaintBytes = 1024

/** Reads all of it, so that the program never waits for a reader. */
const beginningOf = (stream: Stream.Stream<Uint8Array, PlatformError.PlatformError>) =>
  Effect.map(
    Stream.runFold(
      stream,
      () => Buffer.alloc(0),
      (kept, bytes) => (kept.length < complaintBytes ? Buffer.concat([kept, bytes]).subarray(0, complaintBytes) : kept)
    ),
    (kept) =>
      kept
        .toString("utf8")
        .replace(/\uFFFD$/, "")
        .trim()
  )
