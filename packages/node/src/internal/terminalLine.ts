/** Lines of standard input. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Terminal from "effect/Terminal"
import { Buffer } from "node:buffer"
import { giveBack, inTurn, nextChunk } from "./standardInput.ts"
import { reclaimKeys } from "./terminalKeys.ts"
import { changeLineReaders } from "./terminalMode.ts"

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** The next line without its ending. An unfinished last line counts; after it the end of input is a `QuitError`. */
export const readLine: Effect.Effect<string, Terminal.QuitError> = Effect.suspend(() =>
  Effect.acquireUseRelease(
    Effect.andThen(
      Effect.sync(() => changeLineReaders(1)),
      reclaimKeys
    ),
    () => inTurn(takeLine),
    () => Effect.sync(() => changeLineReaders(-1))
  )
)

const takeLine = Effect.uninterruptibleMask((restore) =>
  Effect.gen(function* () {
    const parts: Array<Uint8Array> = []
    const giveUp = Effect.sync(() => giveBack(Buffer.concat(parts)))
    while (true) {
      const next = yield* restore(nextChunk).pipe(
        Effect.onInterrupt(() => giveUp),
        Effect.option
      )
      if (Option.isNone(next)) return yield* lastLine(parts)
      const end = next.value.findIndex(isLineEnd)
      if (end === -1) {
        parts.push(next.value)
        continue
      }
      giveBack(next.value.subarray(end + 1))
      return toText([...parts, next.value.subarray(0, end)])
    }
  })
)

const lastLine = (parts: ReadonlyArray<Uint8Array>) =>
  parts.length === 0 ? Effect.fail(new Terminal.QuitError({})) : Effect.succeed(toText(parts))

// Enter typed ahead while keys were read is a bare carriage return.
const isLineEnd = (byte: number): boolean => byte === LINE_FEED || (byte === CARRIAGE_RETURN && process.stdin.isTTY)

const toText = (parts: ReadonlyArray<Uint8Array>): string => {
  const bytes = Buffer.concat(parts)
  return bytes.toString("utf8", 0, bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length)
}
