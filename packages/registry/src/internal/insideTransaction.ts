/** Whether somebody's transaction surrounds what is about to happen. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"

/** One of this client, that is. */
export const isInsideTransaction = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  Effect.withFiber((fiber) => Effect.succeed(Option.isSome(Context.getOption(fiber.context, sql.transactionService))))

/**
 * A SQLite database has one connection: the transaction around would wait for what waits for it, or take back what was
 * said to be done.
 */
export const outsideTransaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>,
  advice = settleOutside
): Effect.Effect<A, E | Error, R> =>
  Effect.flatMap(isInsideTransaction(sql), (isInside): Effect.Effect<A, E | Error, R> =>
    isInside ? Effect.fail(new Error(advice)) : effect
  )

const settleOutside =
  "calls cannot be settled inside sql.withTransaction: settle them before or after it, or use another client for it"
