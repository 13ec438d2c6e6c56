/** The rows that say what the files of an output store are, one statement each. */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import type * as Session from "@haft/core/Session"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Over } from "./outputLimits.ts"

/** What a reference leads to. Without a hash the output was removed. */
export interface OutputRow {
  readonly mime_type: string
  readonly hash: string | null
  readonly bytes: number
  readonly lines: number
  readonly is_released: number
  /** When its session kept or opened something last. */
  readonly used_at: number
}

export const findOutput = (sql: SqlClient.SqlClient, session: Session.ID, ref: ManagedOutput.Ref) =>
  Effect.map(
    sql<OutputRow>`
      SELECT o.mime_type, o.hash, o.bytes, coalesce(c.lines, 0) AS lines, coalesce(s.used_at, 0) AS used_at,
        EXISTS (SELECT 1 FROM haft_output_released r WHERE r.session = o.session) AS is_released
      FROM haft_outputs o LEFT JOIN haft_output_contents c ON c.hash = o.hash
        LEFT JOIN haft_output_sessions s ON s.session = o.session
      WHERE o.ref = ${ref} AND o.session = ${session}`,
    (rows) => rows[0]
  )

/** What a new output is. */
export interface NewOutput {
  readonly ref: ManagedOutput.Ref
  readonly session: Session.ID
  readonly mimeType: string
  readonly hash: string
  readonly bytes: number
  readonly lines: number
}

/** What is known of the session of a new output. */
export interface SessionRow {
  readonly is_released: number
  /** Nothing before the first output. */
  readonly used_at: number | null
}

/** Adds an output, unless its session would then keep more than it may. Nothing if it would. */
export const insertOutput = (
  sql: SqlClient.SqlClient,
  { bytes, hash, mimeType, ref, session }: NewOutput,
  maxSessionBytes: number
) =>
  Effect.map(
    sql<SessionRow>`
      INSERT INTO haft_outputs (ref, session, mime_type, bytes, hash)
      SELECT ${ref}, ${session}, ${mimeType}, ${bytes}, ${hash} WHERE ${bytes} <= ${maxSessionBytes} - (
        SELECT coalesce(sum(bytes), 0) FROM haft_outputs WHERE session = ${session} AND hash IS NOT NULL
      )
      RETURNING EXISTS (SELECT 1 FROM haft_output_released WHERE session = ${session}) AS is_released,
        (SELECT used_at FROM haft_output_sessions WHERE session = ${session}) AS used_at`,
    (rows) => rows[0]
  )

export const insertContent = (sql: SqlClient.SqlClient, { bytes, hash, lines }: NewOutput) =>
  sql`INSERT INTO haft_output_contents ${sql.insert({ hash, bytes, lines })} ON CONFLICT DO NOTHING`

/** A session that was over goes on. */
export const revive = (sql: SqlClient.SqlClient, session: Session.ID, now: number) =>
  Effect.all([sql`DELETE FROM haft_output_released WHERE session = ${session}`, noteUse(sql, session, now)], {
    concurrency: "unbounded",
    discard: true
  })

export const noteUse = (sql: SqlClient.SqlClient, session: Session.ID, used_at: number) =>
  sql`INSERT INTO haft_output_sessions ${sql.insert({ session, used_at })}
    ON CONFLICT (session) DO UPDATE SET used_at = excluded.used_at`

/** Kept, or promised to a writer. */
export const bytesOfStore = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly found: number }>`
      SELECT (SELECT coalesce(sum(bytes), 0) FROM haft_output_contents)
        + (SELECT coalesce(sum(reserved), 0) FROM haft_output_writers) AS found`,
    ([row]) => row?.found ?? 0
  )

/** What one transaction removes at most, so that nobody waits long for the next. */
const batch = 64

/** A content that may be removed. */
export interface Removable {
  readonly hash: string
  readonly bytes: number
}

/** Contents whose every output is of a session that is over, oldest first. */
export const removable = (sql: SqlClient.SqlClient, { releasedBy, usedBy }: Over) =>
  sql<Removable>`
    SELECT c.hash, c.bytes FROM haft_output_contents c
    WHERE NOT EXISTS (
      SELECT 1 FROM haft_outputs o
        LEFT JOIN haft_output_released r ON r.session = o.session AND r.released_at <= ${releasedBy}
        LEFT JOIN haft_output_sessions s ON s.session = o.session AND s.used_at <= ${usedBy}
      WHERE o.hash = c.hash AND r.session IS NULL AND s.session IS NULL
    )
    ORDER BY (SELECT max(seq) FROM haft_outputs o WHERE o.hash = c.hash) LIMIT ${batch}`

export const removeContent = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, hash: string, now: number) {
  yield* sql`UPDATE haft_outputs SET hash = NULL, removed_at = ${now} WHERE hash = ${hash}`
  yield* sql`DELETE FROM haft_output_contents WHERE hash = ${hash}`
})

export const hasContent = (sql: SqlClient.SqlClient, hash: string) =>
  Effect.map(sql`SELECT 1 FROM haft_output_contents WHERE hash = ${hash}`, (rows) => rows.length > 0)

export const hashes = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly hash: string }>`SELECT hash FROM haft_output_contents`,
    (rows) => new Set(rows.map(({ hash }) => hash))
  )

/** The first release counts. */
export const release = (sql: SqlClient.SqlClient, session: Session.ID, released_at: number) =>
  sql`INSERT INTO haft_output_released ${sql.insert({ session, released_at })} ON CONFLICT DO NOTHING`

/** Gives the contents that no output is left of. */
export const forget = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  session: Session.ID,
  refs: ReadonlyArray<ManagedOutput.Ref>
) {
  const forgotten = yield* sql<{ readonly hash: string | null }>`
    DELETE FROM haft_outputs WHERE session = ${session} AND ${sql.in("ref", refs)} RETURNING hash`
  const hashes = [...new Set(forgotten.flatMap(({ hash }) => hash ?? []))]
  return yield* Effect.filter(hashes, (hash) =>
    Effect.map(sql`SELECT 1 FROM haft_outputs WHERE hash = ${hash} LIMIT 1`, (rows) => rows.length === 0)
  )
})

/** What nobody will ask for any more. */
export const forgetRemoved = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, removedBy: number) {
  yield* sql`DELETE FROM haft_outputs WHERE removed_at <= ${removedBy}`
  yield* sql`DELETE FROM haft_output_released WHERE session NOT IN (SELECT session FROM haft_outputs)`
  yield* sql`DELETE FROM haft_output_sessions WHERE session NOT IN (SELECT session FROM haft_outputs)`
})

export const writers = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly owner: string }>`SELECT owner FROM haft_output_writers`, (rows) =>
    rows.map(({ owner }) => owner)
  )

export const insertWriter = (sql: SqlClient.SqlClient, owner: string) =>
  sql`INSERT INTO haft_output_writers ${sql.insert({ owner, reserved: 0 })}`

export const deleteWriter = (sql: SqlClient.SqlClient, owner: string) =>
  sql`DELETE FROM haft_output_writers WHERE owner = ${owner}`

/** Less, if `bytes` is negative. */
export const reserveMore = (sql: SqlClient.SqlClient, owner: string, bytes: number) =>
  sql`UPDATE haft_output_writers SET reserved = reserved + ${bytes} WHERE owner = ${owner}`
