/** What every operation of an output store on files works with. */
import * as OutputStore from "@haft/core/OutputStore"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Directory } from "./outputFilesDirectory.ts"
import type { Limits } from "./outputLimits.ts"

export interface Access {
  readonly directory: Directory
  readonly sql: SqlClient.SqlClient
  readonly limits: Limits
  /** Who writes, as far as other processes are concerned. */
  readonly owner: string
  /** True in doubt. */
  readonly isAlive: (owner: string) => Effect.Effect<boolean>
}

/** Who uses the store knows which of its operations failed; an error that says so already says more. */
export const failsAs =
  (operation: OutputStore.StorageError["operation"]) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.mapError(effect, (cause) =>
      cause instanceof OutputStore.StorageError ? cause : new OutputStore.StorageError({ operation, cause })
    )
