/** Who reads the terminal: single keys need raw mode, lines are echoed and edited by the terminal itself. */
import * as Latch from "effect/Latch"

// Module state, because the mode belongs to the process's one terminal.
let keyReaders = 0
let lineReaders = 0

/** Open while no line is being read. A line has the input to itself; key readers wait here. */
export const noLine = Latch.makeUnsafe(true)

/** Open while a line is being read: whoever waits for keys makes way. */
export const someLine = Latch.makeUnsafe(false)

export const changeKeyReaders = (by: 1 | -1): void => {
  keyReaders += by
  apply()
}

export const changeLineReaders = (by: 1 | -1): void => {
  lineReaders += by
  const [open, shut] = lineReaders === 0 ? [noLine, someLine] : [someLine, noLine]
  shut.closeUnsafe()
  open.openUnsafe()
  apply()
}

const apply = (): void => {
  if (process.stdin.isTTY) process.stdin.setRawMode(keyReaders > 0 && lineReaders === 0)
}
