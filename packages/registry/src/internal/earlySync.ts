/** Lets the disk begin with what a file has while the rest is still being made, so that little is left for the last sync. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"

type Sync = Effect.Effect<void, PlatformError.PlatformError>

/** A failure is told once by the system, and by whichever of the two is asked next: nothing of it may be lost. */
export interface EarlySync {
  /** Begins a sync, unless one is under way. */
  readonly begin: Sync
  /** Syncs all of it, and ends with whatever is under way. */
  readonly finish: Sync
}

export const earlySync = (file: Pick<FileSystem.File, "sync">): EarlySync => {
  let running: Fiber.Fiber<void, PlatformError.PlatformError> | undefined
  const start = Effect.map(Effect.forkChild(file.sync, { startImmediately: true }), (fiber) => void (running = fiber))
  return {
    begin: Effect.suspend(() => {
      if (running === undefined) return start
      const ended = running.pollUnsafe()
      return ended === undefined ? Effect.void : Effect.andThen(ended, start)
    }),
    finish: Effect.suspend(() =>
      running === undefined
        ? file.sync
        : Effect.all([Fiber.join(running), file.sync], { concurrency: 2, discard: true })
    )
  }
}
