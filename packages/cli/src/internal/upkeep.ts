/** What a long-lived process does for the stores it shares with others. */
import * as OutputStore from "@haft/core/OutputStore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Outputs live for days, so nobody notices when they go an hour late. */
const interval = "1 hour"

/** Removes outputs that are too old, now and from time to time. A store that cannot be swept says so in the log. */
export const upkeep = Effect.flatMap(OutputStore.Service, ({ sweep }) =>
  sweep.pipe(
    Effect.catchTag("OutputStore.StorageError", (error) => Effect.logWarning("Outputs were not swept", error)),
    Effect.repeat(Schedule.spaced(interval)),
    Effect.forkScoped
  )
)
