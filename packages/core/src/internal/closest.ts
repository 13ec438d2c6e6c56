/** Which of some names someone probably meant. For suggestions: nothing ever acts on it. */

/** What is longer is no misspelt name. */
const maxLength = 64

/** Names that are looked at; comparing takes time for each. */
const maxNames = 500

/** The one name that is only a slip away, or nothing if there is none or more than one. */
export const closest = (sent: string, names: ReadonlyArray<string>): string | undefined => {
  if (sent.length > maxLength) return undefined
  const near = names
    .slice(0, maxNames)
    .filter((name) => name.length <= maxLength)
    .map((name) => ({ name, slips: slipsBetween(fold(sent), fold(name)) }))
    .filter(({ name, slips }) => slips <= Math.floor(Math.max(name.length, sent.length) / lettersPerSlip))
  const fewest = Math.min(...near.map(({ slips }) => slips))
  const best = near.filter(({ slips }) => slips === fewest)
  return best.length === 1 ? best[0]?.name : undefined
}

/** One slip in three letters: more, and any short word would be near any other. */
const lettersPerSlip = 3

const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** Letters to insert, drop, replace or swap with their neighbour. */
const slipsBetween = (left: string, right: string): number => {
  let [before, row]: [ReadonlyArray<number>, ReadonlyArray<number>] = [[], Array.from(` ${right}`, (_, index) => index)]
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) next.push(cost(left, right, i, j, next, row, before))
    ;[before, row] = [row, next]
  }
  return row[right.length] ?? 0
}

const cost = (
  left: string,
  right: string,
  i: number,
  j: number,
  row: ReadonlyArray<number>,
  above: ReadonlyArray<number>,
  aboveThat: ReadonlyArray<number>
): number => {
  const replace = (above[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
  const shift = Math.min(above[j] ?? 0, row[j - 1] ?? 0) + 1
  const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
  return Math.min(replace, shift, isSwapped ? (aboveThat[j - 2] ?? 0) + 1 : replace)
}
