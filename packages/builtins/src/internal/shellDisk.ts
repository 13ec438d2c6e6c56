/**
 * How much room a command takes from the file systems that it can write to. They tell how much is left and not who took it, so
 * whoever else writes to them meanwhile counts, too.
 */
import * as Effect from "effect/Effect"
import { type Room, roomAt } from "./pins.ts"
import type { Limits } from "./shellLimits.ts"

/** A file system, and what it had left when the command began. */
export interface Disk {
  readonly place: string
  readonly before: Room
}

/** Other programs and the host's own stores live in the rest of what is left. */
const largestShare = 0.5

/** Places that cannot be looked at are left out. */
export const look = (places: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Disk>> =>
  Effect.promise(async () => {
    const rooms = await Promise.all(places.map(roomAt))
    return places.flatMap((place, index) => {
      const before = rooms[index]
      return before === undefined ? [] : [{ place, before }]
    })
  })

/** Whether one of them has lost more than a command may take. */
export const isTooFull = (
  disks: ReadonlyArray<Disk>,
  { diskBytes, diskFiles }: Pick<Limits, "diskBytes" | "diskFiles">
): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const rooms = await Promise.all(disks.map(({ place }) => roomAt(place)))
    return disks.some(({ before }, index) => {
      const now = rooms[index]
      return now !== undefined && (took("bytes", before, now, diskBytes) || took("files", before, now, diskFiles))
    })
  })

const took = (what: keyof Room, before: Room, now: Room, limit: number): boolean =>
  before[what] - now[what] > Math.min(limit, before[what] * largestShare)
