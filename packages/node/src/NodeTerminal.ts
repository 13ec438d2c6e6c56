/**
 * Effect's `Terminal` on the process's standard streams. `readLine` and `readInput` share one reader, also with
 * `Stdio.stdin`: what one of them leaves unread, the next one gets.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import { write } from "./internal/standardOutput.ts"
import { readInput } from "./internal/terminalKeys.ts"
import { readLine } from "./internal/terminalLine.ts"

const currentSize = (): Terminal.Size => ({ columns: process.stdout.columns ?? 0, rows: process.stdout.rows ?? 0 })

/** Starts with the current size. A reader that is late sees the latest size only. */
const size = Effect.gen(function* () {
  const queue = yield* Queue.sliding<Terminal.Size, Cause.Done>(1)
  const offer = () => Queue.offerUnsafe(queue, currentSize())
  yield* Effect.acquireRelease(
    Effect.sync(() => process.stdout.on("resize", offer)),
    () =>
      Effect.andThen(
        Effect.sync(() => process.stdout.off("resize", offer)),
        Queue.end(queue)
      )
  )
  offer()
  return Queue.asDequeue(queue)
})

/** The terminal the process was started in. Without one, sizes are zero and input comes from whatever `stdin` is. */
export const layer: Layer.Layer<Terminal.Terminal> = Layer.sync(Terminal.Terminal, () =>
  Terminal.make({
    columns: Effect.sync(() => currentSize().columns),
    rows: Effect.sync(() => currentSize().rows),
    size,
    readInput,
    readLine,
    display: (text) => write(process.stdout, "Terminal", "display", text)
  })
)
