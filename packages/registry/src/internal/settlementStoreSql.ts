/** The settlement store on a database that has its tables. */
import * as SettlementStore from "@haft/core/SettlementStore"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Submit } from "./settlementStoreCommits.ts"
import type { EncodedEnd, Operation, Verdict } from "./settlementStorePlan.ts"
import * as Record from "./settlementStoreRecord.ts"
import * as Rows from "./settlementStoreRows.ts"
import type { Access } from "./settlementStoreTransaction.ts"

const BegunJson = Schema.fromJsonString(SettlementStore.Begun)
const EndedJson = Schema.fromJsonString(SettlementStore.Ended)
const encodeBegun = Schema.encodeEffect(BegunJson)
const decodeBegun = Schema.decodeEffect(BegunJson)
const encodeEnded = Schema.encodeEffect(EndedJson)
const decodeEnded = Schema.decodeEffect(EndedJson)

/** Writes go through `submit` and share transactions; reads see what is committed. */
export const make = (access: Access, submit: Submit<Operation, Verdict>): SettlementStore.Interface => {
  const find = (identity: ToolCall.Identity) => latest(access, Record.keyOf(identity))
  return {
    begin: (begun, options) =>
      beginning(begun, options).pipe(
        Effect.flatMap(submit),
        Effect.flatMap((verdict) =>
          verdict === "Done" ? Effect.succeedNone : Effect.map(mustFind(find(begun.context)), Option.some)
        ),
        failsAs("begin")
      ),
    advance: (identity, options) =>
      submit({ _tag: "Advance", key: Record.keyOf(identity), approvalID: options?.approvalID }).pipe(
        failsAs("advance"),
        Effect.flatMap((verdict) => advanced(verdict, options?.approvalID ?? ""))
      ),
    complete: (identity, ended) =>
      encodeEnd(ended).pipe(
        Effect.flatMap((ended) => submit({ _tag: "Complete", key: Record.keyOf(identity), ended })),
        failsAs("complete"),
        Effect.flatMap((verdict) => (verdict === "Done" ? Effect.void : Effect.fail(Record.notRunning("complete"))))
      ),
    find: (identity) => find(identity).pipe(failsAs("find")),
    unfinished: unfinished(access).pipe(failsAs("unfinished"))
  }
}

/** Who uses the store knows which of its operations failed, and nothing about databases. */
const failsAs =
  (operation: SettlementStore.StorageError["operation"]) =>
  <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, SettlementStore.StorageError> =>
    Effect.mapError(effect, (cause) => new SettlementStore.StorageError({ operation, cause }))

const beginning = Effect.fnUntraced(function* (begun: SettlementStore.Begun, options?: SettlementStore.BeginOptions) {
  const operation: Operation = {
    _tag: "Begin",
    key: Record.keyOf(begun.context),
    begun,
    json: yield* encodeBegun(begun),
    ended: options?.ended === undefined ? undefined : yield* encodeEnd(options.ended),
    repeat: options?.repeat === true
  }
  return operation
})

const encodeEnd = (ended: SettlementStore.Ended): Effect.Effect<EncodedEnd, Schema.SchemaError> =>
  Effect.map(encodeEnded(ended), (json) => ({ tag: ended._tag, json }))

/** Nothing begins on the strength of a row that is there and then is not. */
const mustFind = <E>(found: Effect.Effect<Option.Option<SettlementStore.CallRecord>, E>) =>
  Effect.flatMap(found, (record) =>
    Option.isSome(record) ? Effect.succeed(record.value) : Effect.fail(new Error("the record of the call is gone"))
  )

const advanced = (
  verdict: Verdict,
  approvalID: string
): Effect.Effect<void, SettlementStore.StorageError | SettlementStore.ApprovalSpentError> => {
  if (verdict === "Done") return Effect.void
  if (verdict === "Spent") return Effect.fail(new SettlementStore.ApprovalSpentError({ approvalID }))
  return Effect.fail(Record.notRunning("advance"))
}

const latest = Effect.fnUntraced(function* ({ attribute, sql }: Access, key: string) {
  const { dead, rows } = yield* attribute(Rows.latestOf(sql, key))
  const [row] = rows
  if (row === undefined) return Option.none()
  const begun = yield* begunOf(row)
  if (row.ended !== null) return Option.some(Record.ended(begun, yield* decodeEnded(row.ended)))
  return Option.some(dead.has(row.owner) ? Record.unfinished(begun) : Record.running(begun))
})

const unfinished = Effect.fnUntraced(function* ({ attribute, sql }: Access) {
  const { dead, rows } = yield* attribute(Rows.open(sql))
  return yield* Effect.forEach(
    rows.filter((row) => dead.has(row.owner)),
    begunOf
  )
})

/** What the record says about effects is what was last made durable about them. */
const begunOf = (row: Rows.CallRow): Effect.Effect<SettlementStore.Begun, Schema.SchemaError> =>
  Effect.map(decodeBegun(row.begun), (begun) => ({ ...begun, effectPossible: row.effect_possible !== 0 }))
