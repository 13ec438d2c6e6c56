/** The idempotency store on a database that has its table. Each statement is a step that others cannot divide. */
import { Outcome } from "@haft/wire/Outcome"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import * as IdempotencyStore from "../IdempotencyStore.ts"

/** `until_ms` ends the lease of a call that runs, and the life of an outcome. */
interface Row {
  readonly owner: string
  readonly input_digest: string
  readonly until_ms: number
  readonly outcome: string | null
}

const OutcomeJson = Schema.fromJsonString(Outcome)
const encode = Schema.encodeEffect(OutcomeJson)
const decode = Schema.decodeEffect(OutcomeJson)

export const make = (sql: SqlClient.SqlClient): IdempotencyStore.Interface => ({
  claim: (claim) => claimed(sql, claim).pipe(failsAs("claim")),
  settle: ({ owner, storeKey }, { expiresAt, outcome }) =>
    encode(outcome).pipe(
      Effect.flatMap(
        (outcome) => sql`UPDATE haft_gateway_keys SET outcome = ${outcome}, until_ms = ${expiresAt}
          WHERE store_key = ${storeKey} AND owner = ${owner} AND outcome IS NULL`
      ),
      Effect.asVoid,
      failsAs("settle")
    ),
  release: ({ owner, storeKey }) =>
    sql`DELETE FROM haft_gateway_keys WHERE store_key = ${storeKey} AND owner = ${owner} AND outcome IS NULL`.pipe(
      Effect.asVoid,
      failsAs("release")
    ),
  sweep: (now) =>
    sql`DELETE FROM haft_gateway_keys WHERE outcome IS NOT NULL AND until_ms <= ${now} RETURNING store_key`.pipe(
      Effect.map(({ length }) => length),
      failsAs("sweep")
    )
})

/** Who uses the store knows which of its operations failed, and nothing about databases. */
const failsAs =
  (operation: IdempotencyStore.StorageError["operation"]) =>
  <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, IdempotencyStore.StorageError> =>
    Effect.mapError(effect, (cause) => new IdempotencyStore.StorageError({ operation, cause }))

const mine: IdempotencyStore.Claimed = { _tag: "Mine" }

/** A row that others change between two steps is looked at again. */
const claimed = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  claim: IdempotencyStore.Claim
): Effect.fn.Return<IdempotencyStore.Claimed, unknown> {
  const { inputDigest, leaseUntil, now, owner, storeKey } = claim
  const fresh = { store_key: storeKey, owner, input_digest: inputDigest, until_ms: leaseUntil, outcome: null }
  for (;;) {
    const inserted = yield* sql`INSERT INTO haft_gateway_keys ${sql.insert(fresh)}
      ON CONFLICT (store_key) DO NOTHING RETURNING store_key`
    if (inserted.length > 0) return mine
    const [row] = yield* sql<Row>`SELECT owner, input_digest, until_ms, outcome FROM haft_gateway_keys
      WHERE store_key = ${storeKey}`
    if (row === undefined) continue
    const isOver = Number(row.until_ms) <= now
    if (!isOver || (row.outcome === null && !claim.takeOver)) return yield* known(row, isOver)
    const taken = yield* sql`UPDATE haft_gateway_keys
      SET owner = ${owner}, input_digest = ${inputDigest}, until_ms = ${leaseUntil}, outcome = NULL
      WHERE store_key = ${storeKey} AND owner = ${row.owner} AND until_ms = ${row.until_ms} RETURNING store_key`
    if (taken.length > 0) return mine
  }
})

const known = Effect.fnUntraced(function* ({ input_digest: inputDigest, outcome, owner }: Row, isOver: boolean) {
  if (outcome !== null) return { _tag: "Settled", inputDigest, outcome: yield* decode(outcome) } as const
  return isOver ? ({ _tag: "Abandoned", inputDigest, owner } as const) : ({ _tag: "Running", inputDigest } as const)
})
