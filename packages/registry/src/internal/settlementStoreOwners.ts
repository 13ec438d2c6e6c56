/** Who began a call, and whether they can still end it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import type { AttemptRow } from "./settlementStoreRows.ts"

export interface Owners {
  /** An id that nobody had before, of somebody who is alive until the Scope closes or the process dies. */
  readonly acquire: Effect.Effect<string, unknown, Scope.Scope>
  /** Says yes in doubt: who is called dead must never write again. */
  readonly isAlive: (owner: string) => Effect.Effect<boolean>
}

/** A row for each open store. Who dies without closing leaves its row, and counts as alive until somebody removes it. */
export const fromTable = (sql: SqlClient.SqlClient): Owners => ({
  acquire: Effect.acquireRelease(
    Effect.suspend(() => {
      const owner = SecureRandom.uuidV4Unsafe()
      return Effect.as(sql`INSERT INTO haft_owners ${sql.insert({ owner })}`, owner)
    }),
    (owner) => Effect.ignore(sql`DELETE FROM haft_owners WHERE owner = ${owner}`)
  ),
  isAlive: (owner) =>
    Effect.map(sql`SELECT owner FROM haft_owners WHERE owner = ${owner}`, (rows) => rows.length > 0).pipe(
      Effect.orElseSucceed(() => true)
    )
})

/** Whose an attempt is, and whether it is over. */
export type Owned = Pick<AttemptRow, "owner" | "ended_as">

/** Rows, and who among their owners will not change them any more. */
export interface Attributed<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly dead: ReadonlySet<string>
}

/** Reads rows together with a judgement of their owners that holds for exactly these rows. */
export type Attribute = <Row extends Owned>(
  read: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
) => Effect.Effect<Attributed<Row>, SqlError.SqlError>

/**
 * An owner may write once more between the reading and its death, so rows count only if they were read after it was
 * known to be dead. Ids are never used again: who is dead stays dead.
 */
export const attribution = (self: string, isAlive: Owners["isAlive"]): Attribute => {
  let known: ReadonlySet<string> = new Set()
  const attribute: Attribute = (read) =>
    Effect.suspend(() => {
      const dead = known
      return Effect.flatMap(read, (rows) => {
        const doubtful = openOwners(rows).filter((owner) => owner !== self && !dead.has(owner))
        return Effect.flatMap(
          Effect.filter(doubtful, (owner) => Effect.map(isAlive(owner), not)),
          (died) => {
            if (died.length === 0) return Effect.succeed({ rows, dead })
            known = new Set([...known, ...died])
            return attribute(read)
          }
        )
      })
    })
  return attribute
}

const openOwners = (rows: ReadonlyArray<Owned>): ReadonlyArray<string> => [
  ...new Set(rows.filter((row) => row.ended_as === null).map((row) => row.owner))
]

const not = (value: boolean): boolean => !value
