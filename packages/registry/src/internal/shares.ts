/** Divides a room among several. */

/** Who needs less than an equal share gets that much, and leaves the rest to the others. In the order of `needs`. */
export const shares = (room: number, needs: ReadonlyArray<number>): ReadonlyArray<number> => {
  const granted = needs.map(() => 0)
  let left = room
  const byNeed = needs.map((need, index) => ({ need, index })).toSorted((one, other) => one.need - other.need)
  for (const [rank, { index, need }] of byNeed.entries()) {
    const share = Math.min(need, Math.floor(left / (needs.length - rank)))
    granted[index] = share
    left -= share
  }
  return granted
}
