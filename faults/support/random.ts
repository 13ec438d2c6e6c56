/** Numbers that look random and are the same for the same seed, so that what failed can be run again. */

export interface Random {
  /** From 0 up to 1. */
  readonly number: () => number
  /** A whole number from 0 up to a limit. */
  readonly below: (limit: number) => number
  readonly pick: <A>(from: ReadonlyArray<A>) => A
}

/** The generator is mulberry32: 32 bits of state, which is enough to choose faults. */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(number() * limit)
  return {
    number,
    below,
    pick: (from) => {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new RangeError("there is nothing to pick from")
      return picked
    }
  }
}

/** A new one each time, unless somebody asks for the same again with `HAFT_SEED`. */
export const chosenSeed = (): number => {
  const given = process.env["HAFT_SEED"]
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
}
