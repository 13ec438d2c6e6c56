/** Key presses of standard input. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type * as Terminal from "effect/Terminal"
import { Buffer } from "node:buffer"
import * as Readline from "node:readline"
import { PassThrough } from "node:stream"
import { giveBack, inTurn, nextChunk } from "./standardInput.ts"
import { changeKeyReaders, noLine, someLine } from "./terminalMode.ts"

/** After this silence an Escape is a key of its own: the rest of a sequence follows at once, a person does not. */
const ESCAPE_TIMEOUT_MILLIS = 50

/** One value per key press. Ctrl-C, Ctrl-D and the end of input end the queue; keys nobody took are given back. */
export const readInput: Effect.Effect<Queue.Dequeue<Terminal.UserInput, Cause.Done>, never, Scope.Scope> = Effect.gen(
  function* () {
    const keyboard = yield* Effect.acquireRelease(openKeyboard, closeKeyboard)
    yield* Effect.forkScoped(pump(keyboard))
    return Queue.asDequeue(keyboard.presses)
  }
)

interface Keyboard {
  readonly presses: Queue.Queue<Terminal.UserInput, Cause.Done>
  /** The bytes behind each press that may have to be given back. */
  readonly sequences: WeakMap<Terminal.UserInput, string>
  /** Node's parser reads this instead of `process.stdin`, which others read too. */
  readonly parser: PassThrough
  readonly close: () => void
  quit: boolean
}

const keyboards = new Set<Keyboard>()

const openKeyboard = Effect.gen(function* () {
  const parser = new PassThrough()
  const lines = Readline.createInterface({ input: parser, escapeCodeTimeout: ESCAPE_TIMEOUT_MILLIS })
  const presses = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
  const keyboard: Keyboard = { presses, sequences: new WeakMap(), parser, close: () => lines.close(), quit: false }
  Readline.emitKeypressEvents(parser, lines)
  parser.on("keypress", (character: string | undefined, key: Readline.Key) => press(keyboard, character, key))
  keyboards.add(keyboard)
  changeKeyReaders(1)
  return keyboard
})

const press = (keyboard: Keyboard, character: string | undefined, key: Readline.Key): void => {
  const { ctrl = false, meta = false, name = "", sequence = "", shift = false } = key
  const input = { input: Option.fromUndefinedOr(character), key: { name, ctrl, meta, shift } }
  keyboard.sequences.set(input, sequence)
  Queue.offerUnsafe(keyboard.presses, input)
  if (!ctrl || (name !== "c" && name !== "d")) return
  keyboard.quit = true
  Queue.endUnsafe(keyboard.presses)
}

const closeKeyboard = Effect.fnUntraced(function* (keyboard: Keyboard) {
  yield* reclaim(keyboard)
  yield* Queue.end(keyboard.presses)
  keyboard.close()
  keyboards.delete(keyboard)
  changeKeyReaders(-1)
})

const reclaim = (keyboard: Keyboard) =>
  Effect.map(Queue.clear(keyboard.presses), (unread) =>
    giveBack(Buffer.from(unread.map((input) => keyboard.sequences.get(input) ?? "").join("")))
  )

/** Gives back the presses that nobody took yet, because a line that is asked for now starts with them. */
export const reclaimKeys: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(keyboards, reclaim, { discard: true })
)

const pump = Effect.fnUntraced(
  function* (keyboard: Keyboard) {
    while (!keyboard.quit) {
      yield* noLine.await
      yield* inTurn(Effect.raceFirst(feedNext(keyboard), someLine.await))
    }
  },
  (reading, keyboard) => Effect.catch(reading, () => Queue.end(keyboard.presses))
)

// Emitting parses the chunk in this tick: whoever reclaims finds every press of it in the queue.
const feedNext = (keyboard: Keyboard) =>
  Effect.map(nextChunk, (chunk) => {
    if (noLine.isOpen()) keyboard.parser.emit("data", chunk)
    else giveBack(chunk)
  })
