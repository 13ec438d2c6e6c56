/**
 * Compares a text with a pattern in one pass. There is a bit for each place in the pattern that the text read so far can have
 * led to, and a character moves all of them at once: 32 places in one step, whatever the pattern and the text are.
 */

/** Takes any one character. */
export const any = Symbol("any")

/** Takes any number of characters. */
export const loop = Symbol("loop")

export type Token = string | typeof any | typeof loop

export interface Machine {
  /** How many characters the pattern takes at least; the place behind the last of them. */
  readonly end: number
  /** For each character of the pattern, the places that it leads to. */
  readonly steps: ReadonlyMap<string, Uint32Array>
  /** The places that every other character leads to. */
  readonly others: Uint32Array
  /** The places that a text can stay at. */
  readonly stays: Uint32Array
}

const bits = 32

export const make = (tokens: ReadonlyArray<Token>): Machine => {
  const end = tokens.filter((token) => token !== loop).length
  const places = () => new Uint32Array(Math.floor(end / bits) + 1)
  const [others, stays, steps] = [places(), places(), new Map<string, Uint32Array>()]
  let place = 0
  for (const token of tokens) {
    if (token === loop) mark(stays, place)
    else mark(token === any ? others : entryOf(steps, token, places), ++place)
  }
  for (const step of steps.values())
    for (const [index, word] of others.entries()) step[index] = (step[index] ?? 0) | word
  return { end, steps, others, stays }
}

const entryOf = (steps: Map<string, Uint32Array>, character: string, places: () => Uint32Array): Uint32Array => {
  const entry = steps.get(character) ?? places()
  steps.set(character, entry)
  return entry
}

const mark = (places: Uint32Array, place: number): void => {
  const index = Math.floor(place / bits)
  places[index] = (places[index] ?? 0) | (1 << (place % bits))
}

const isMarked = (places: Uint32Array, place: number): boolean =>
  ((places[Math.floor(place / bits)] ?? 0) & (1 << (place % bits))) !== 0

/** Whether the whole text fits. */
export const accepts = ({ end, others, stays, steps }: Machine, text: string): boolean => {
  const places = new Uint32Array(stays.length)
  mark(places, 0)
  for (const character of text) if (!advance(places, steps.get(character) ?? others, stays)) return false
  return isMarked(places, end)
}

/** Every place to the one behind it, if the character leads there. Says whether any is left. */
const advance = (places: Uint32Array, step: Uint32Array, stays: Uint32Array): boolean => {
  let [carry, left] = [0, 0]
  for (let index = 0; index < places.length; index++) {
    const word = places[index] ?? 0
    const next = (((word << 1) | carry) & (step[index] ?? 0)) | (word & (stays[index] ?? 0))
    carry = word >>> (bits - 1)
    places[index] = next
    left |= next
  }
  return left !== 0
}
