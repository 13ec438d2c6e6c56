/** What every operation of an output store on files works with. */
import * as OutputStore from "@haft/core/OutputStore"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { outsideTransaction } from "./insideTransaction.ts"
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

/** Nobody else decides about files meanwhile. A client may begin without a lock; the first write takes it for certain. */
export const exclusively = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  sql.withTransaction(Effect.andThen(sql`UPDATE haft_output_store SET id = id`, effect))

/** A host that rolls back would take back rows whose files and reservations stay as they are. */
export const outsideHosts =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    outsideTransaction(sql, effect, advice)

const advice =
  "kept outputs can only be used outside sql.withTransaction: use them before or after it, or use another client for it"
