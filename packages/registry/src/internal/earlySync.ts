/** Lets the disk begin with what a file has while the rest is still being made, so that little is left for the last sync. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as PlatformError from "effect/PlatformError"

type Sync = Effect.Effect<void, PlatformError.PlatformError>

/** A failure is told once by the system, and by whichever of the two is asked next: nothing of it may be lost. */
export interface EarlySync {
  /** Begins a sync of what was written, unless one is under way. To be run after each write. */
  readonly begin: Sync
  /** Everything that was written is synced, and nothing is under way any more. */
  readonly finish: Sync
}

export const earlySync = (sync: Sync): EarlySync => {
  let running: Fiber.Fiber<void, PlatformError.PlatformError> | undefined
  /** Whether something was written after the sync that is under way had begun. */
  let isBehind = false
  const start = Effect.map(Effect.forkChild(sync, { startImmediately: true }), (fiber) => {
    running = fiber
    isBehind = false
  })
  return {
    begin: Effect.suspend(() => {
      if (running === undefined) return start
      const ended = running.pollUnsafe()
      if (ended !== undefined) return Effect.andThen(ended, start)
      isBehind = true
      return Effect.void
    }),
    finish: Effect.suspend(() => {
      if (running === undefined) return sync
      const joined = Fiber.join(running)
      return isBehind ? Effect.all([joined, sync], { concurrency: 2, discard: true }) : joined
    })
  }
}
