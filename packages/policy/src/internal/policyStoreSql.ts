/** The policy store on a database that has its tables. */
import type * as Location from "@haft/core/Location"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Approval from "../Approval.ts"
import * as PolicyStore from "../PolicyStore.ts"
import * as Rule from "../Rule.ts"
import { newRules } from "./savedRules.ts"

/** An approval with its decision apart, so that deciding changes one column and can be refused by one condition. */
interface Row {
  readonly asked: string
  readonly decision: string | null
}

const AskedJson = Schema.fromJsonString(Approval.Approval)
const DecisionJson = Schema.fromJsonString(Approval.Decision)
const RuleJson = Schema.fromJsonString(Rule.Saved)
const encodeAsked = Schema.encodeEffect(AskedJson)
const decodeAsked = Schema.decodeEffect(AskedJson)
const encodeDecision = Schema.encodeEffect(DecisionJson)
const decodeDecision = Schema.decodeEffect(DecisionJson)
const encodeRule = Schema.encodeEffect(RuleJson)
const decodeRule = Schema.decodeEffect(RuleJson)

export const make = (sql: SqlClient.SqlClient): PolicyStore.Interface => ({
  read: (location) =>
    Effect.all({ saved: rulesOf(sql, location), approvals: approvalsOf(sql, location) }).pipe(failsAs("read")),
  add: (approval) => add(sql, approval).pipe(failsAs("add")),
  decide: (key, decision, save) => sql.withTransaction(decide(sql, key, decision, save)).pipe(failsAs("decide")),
  take: (key) => take(sql, key).pipe(failsAs("take")),
  forget: (location, rule) =>
    encodeRule(rule).pipe(
      Effect.flatMap((rule) => sql`DELETE FROM haft_policy_rules WHERE location = ${location} AND rule = ${rule}`),
      Effect.asVoid,
      failsAs("forget")
    )
})

/** Who uses the store knows which of its operations failed, and nothing about databases. */
const failsAs =
  (operation: PolicyStore.StorageError["operation"]) =>
  <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, PolicyStore.StorageError> =>
    Effect.mapError(effect, (cause) => new PolicyStore.StorageError({ operation, cause }))

const rulesOf = (sql: SqlClient.SqlClient, location: Location.Ref) =>
  Effect.flatMap(
    sql<{ readonly rule: string }>`SELECT rule FROM haft_policy_rules WHERE location = ${location} ORDER BY rule`,
    Effect.forEach(({ rule }) => decodeRule(rule))
  )

/** One that cannot be read is as good as not given: it must not keep the others from being asked. */
const approvalsOf = (sql: SqlClient.SqlClient, location: Location.Ref) =>
  Effect.flatMap(
    sql<Row>`SELECT asked, decision FROM haft_policy_approvals WHERE location = ${location} ORDER BY asked_at, id`,
    Effect.fnUntraced(function* (rows) {
      const approvals = yield* Effect.forEach(rows, (row) => Effect.option(approvalOf(row)))
      const unreadable = approvals.filter(Option.isNone).length
      if (unreadable > 0) yield* Effect.logWarning(`${unreadable} approvals could not be read, and do not count`)
      return Arr.getSomes(approvals)
    })
  )

const approvalOf = Effect.fnUntraced(function* ({ asked, decision }: Row) {
  const approval = yield* decodeAsked(asked)
  return decision === null ? approval : { ...approval, decision: yield* decodeDecision(decision) }
})

const add = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, approval: Approval.Approval) {
  const { askedAt, id, location } = approval
  const row = { id, location, asked_at: askedAt, asked: yield* encodeAsked(approval), decision: null }
  yield* sql`INSERT INTO haft_policy_approvals ${sql.insert(row)}`
})

/** The condition lets one of two through that decide at the same time, also where a server runs them side by side. */
const decide = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { id, location }: PolicyStore.Key,
  decision: Approval.Decision,
  save: ReadonlyArray<Rule.Saved>
) {
  const written = yield* sql`UPDATE haft_policy_approvals SET decision = ${yield* encodeDecision(decision)}
    WHERE id = ${id} AND location = ${location} AND decision IS NULL RETURNING id`
  const isFirst = written.length > 0
  if (isFirst) yield* addRules(sql, location, save)
  const [row] = yield* sql<Row>`SELECT asked, decision FROM haft_policy_approvals
    WHERE id = ${id} AND location = ${location}`
  return row === undefined ? Option.none() : Option.some({ approval: yield* approvalOf(row), isFirst })
})

const addRules = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  location: Location.Ref,
  save: ReadonlyArray<Rule.Saved>
) {
  const rules = newRules(yield* rulesOf(sql, location), save)
  for (const rule of rules) {
    yield* sql`INSERT INTO haft_policy_rules ${sql.insert({ location, rule: yield* encodeRule(rule) })}`
  }
})

const take = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { id, location }: PolicyStore.Key) {
  const [row] = yield* sql<Row>`DELETE FROM haft_policy_approvals
    WHERE id = ${id} AND location = ${location} RETURNING asked, decision`
  return row === undefined ? Option.none() : Option.some(yield* approvalOf(row))
})
