/** Names that somebody may have meant. */

/** More would not help to choose. */
const maxSuggestions = 3

/** A directory with more names is not searched to its end: suggestions are a courtesy. */
const maxCandidates = 5_000

/** The most similar first. */
export const nearest = (name: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> => {
  const limit = Math.max(1, Math.floor(name.length / 3))
  return candidates
    .slice(0, maxCandidates)
    .map((candidate) => ({ candidate, distance: distance(name.toLowerCase(), candidate.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((left, right) => left.distance - right.distance)
    .slice(0, maxSuggestions)
    .map(({ candidate }) => candidate)
}

/** Insertions, removals and replacements from one to the other; more than `limit` is not counted out. */
export const distance = (left: string, right: string, limit: number): number => {
  if (Math.abs(left.length - right.length) > limit) return limit + 1
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    previous = nextRow(previous, row, left.charCodeAt(row - 1), right)
    if (Math.min(...previous) > limit) return limit + 1
  }
  return previous.at(-1) ?? 0
}

const nextRow = (previous: ReadonlyArray<number>, row: number, unit: number, right: string): Array<number> => {
  const next = [row]
  for (let column = 1; column <= right.length; column++) {
    const replaced = (previous[column - 1] ?? 0) + (right.charCodeAt(column - 1) === unit ? 0 : 1)
    next.push(Math.min(replaced, (previous[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
  }
  return next
}
