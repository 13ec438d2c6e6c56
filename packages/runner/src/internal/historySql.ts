/** The history on a database that has its table. */
import type * as Session from "@haft/core/Session"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import * as History from "../History.ts"
import { Message } from "../Message.ts"

const MessageJson = Schema.fromJsonString(Schema.toCodecJson(Message))
const encode = Schema.encodeEffect(MessageJson)
const decode = Schema.decodeEffect(MessageJson)

export const make = (sql: SqlClient.SqlClient): History.Interface => ({
  read: (sessionID) => failsAs("read", read(sql, sessionID)),
  append: (sessionID, position, message) =>
    Effect.flatMap(failsAs("append", insert(sql, sessionID, position, message)), (isWritten) =>
      isWritten ? Effect.void : Effect.fail(new History.ConflictError({ sessionID, position }))
    )
})

/** Who uses the history knows which of its operations failed, and nothing about databases. */
const failsAs = <A>(operation: History.StorageError["operation"], effect: Effect.Effect<A, unknown>) =>
  Effect.mapError(effect, (cause) => new History.StorageError({ operation, cause }))

const read = (sql: SqlClient.SqlClient, sessionID: Session.ID) =>
  Effect.flatMap(
    sql<{ readonly message: string }>`SELECT message FROM haft_history
      WHERE session_id = ${sessionID} ORDER BY position`,
    Effect.forEach(({ message }) => decode(message))
  )

/** The condition leaves no gap, and the key lets one of two through, also where a server runs them side by side. */
const insert = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  sessionID: Session.ID,
  position: number,
  message: Message
) {
  const rows = yield* sql`INSERT INTO haft_history (session_id, position, message)
    SELECT CAST(${sessionID} AS TEXT), CAST(${position} AS INTEGER), CAST(${yield* encode(message)} AS TEXT)
    WHERE (SELECT coalesce(max(position), -1) FROM haft_history WHERE session_id = ${sessionID}) = ${position - 1}
    ON CONFLICT DO NOTHING RETURNING position`
  return rows.length > 0
})
