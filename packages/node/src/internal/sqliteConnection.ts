/** Effect's `SqlConnection` on a SQLite thread. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import type * as SqlError from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { unbindable } from "./sqliteError.ts"
import type { Query, Value } from "./sqliteProtocol.ts"
import type { SqliteThread } from "./sqliteThread.ts"

/** Rows arrive as plain objects: the trip between threads gives them the usual prototype at no extra cost. */
export const make = (thread: SqliteThread): SqlConnection.Connection => ({
  execute: rows(thread, true),
  executeRaw: (sql, params) =>
    Effect.flatMap(queryOf(sql, params), (query) => thread.request({ _tag: "Raw", cached: true, ...query })),
  executeStream: stream(thread),
  executeUnprepared: rows(thread, false),
  executeValues: values(thread, true),
  executeValuesUnprepared: values(thread, false)
})

const rows =
  (thread: SqliteThread, cached: boolean): SqlConnection.Connection["execute"] =>
  (sql, params, transform = identity) =>
    Effect.flatMap(queryOf(sql, params), (query) => thread.request({ _tag: "Rows", cached, ...query })).pipe(
      Effect.map((found) => transform(found))
    )

const values =
  (thread: SqliteThread, cached: boolean): SqlConnection.Connection["executeValues"] =>
  (sql, params) =>
    Effect.flatMap(queryOf(sql, params), (query) => thread.request({ _tag: "Values", cached, ...query }))

/** Asks for the next page when the reader wants it, so a slow reader holds one page and not the whole result. */
const stream =
  (thread: SqliteThread): SqlConnection.Connection["executeStream"] =>
  (sql, params, transform = identity) =>
    Stream.unwrap(
      Effect.map(cursorOf(thread, sql, params), (cursor) =>
        Stream.paginate(cursor, () =>
          Effect.map(thread.request({ _tag: "ReadCursor", cursor }), (page) => [
            transform(page.rows),
            page.done ? Option.none() : Option.some(cursor)
          ])
        )
      )
    )

/** The end of a stream must not fail: a cursor that cannot be closed went away with its database. */
const cursorOf = (thread: SqliteThread, sql: string, params: ReadonlyArray<unknown>) =>
  Effect.acquireRelease(
    Effect.flatMap(queryOf(sql, params), (query) => {
      const cursor = nextCursor++
      return Effect.as(thread.request({ _tag: "OpenCursor", cursor, ...query }), cursor)
    }),
    (cursor) => Effect.ignore(thread.request({ _tag: "CloseCursor", cursor }))
  )

let nextCursor = 0

const queryOf = (sql: string, params: ReadonlyArray<unknown>): Effect.Effect<Query, SqlError.SqlError> =>
  Effect.withFiber((fiber) => {
    const bound: Array<Value> = []
    for (const [index, param] of params.entries()) {
      const value = valueOf(param)
      if (value === undefined) return Effect.fail(unbindable(index + 1, typeof param))
      bound.push(value)
    }
    return Effect.succeed({ sql, params: bound, safeIntegers: Context.get(fiber.context, SqlClient.SafeIntegers) })
  })

/** Checked here because Node takes an object in the first place for named parameters and binds nothing. */
const valueOf = (param: unknown): Value | undefined => {
  if (typeof param === "boolean") return param ? 1n : 0n
  if (param === null || typeof param === "string" || typeof param === "number" || typeof param === "bigint")
    return param
  // A copy of the bytes alone: sending a view would send all of the buffer that it looks at.
  if (ArrayBuffer.isView(param)) return new Uint8Array(param.buffer, param.byteOffset, param.byteLength).slice()
  return undefined
}

const identity = <A>(value: A): A => value
