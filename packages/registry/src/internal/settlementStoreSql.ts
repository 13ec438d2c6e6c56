/** The settlement store on a database that has its tables. */
import * as SettlementStore from "@haft/core/SettlementStore"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isInsideTransaction, outsideTransaction } from "./insideTransaction.ts"
import type { Submit } from "./settlementStoreCommits.ts"
import type { Journal } from "./settlementStoreJournal.ts"
import type { EncodedEnd, Operation, Verdict } from "./settlementStorePlan.ts"
import * as Record from "./settlementStoreRecord.ts"
import * as Rows from "./settlementStoreRows.ts"
import { type Access, stateOf } from "./settlementStoreTransaction.ts"

const BegunJson = Schema.fromJsonString(SettlementStore.Begun)
const EndedJson = Schema.fromJsonString(SettlementStore.Ended)
const encodeBegun = Schema.encodeEffect(BegunJson)
const decodeBegun = Schema.decodeEffect(BegunJson)
const encodeEnded = Schema.encodeEffect(EndedJson)
export const decodeEnded = Schema.decodeEffect(EndedJson)

type Write = Submit<Operation, Verdict>

/** Writes go through `submit` and share transactions; reads see what is committed. */
export const make = (access: Access, { mend }: Journal, submit: Write): SettlementStore.Interface => {
  const { leftovers, sql } = access
  const write = sql.onDialectOrElse({
    sqlite: (): Write => (operation) => outsideTransaction(sql, submit(operation)),
    orElse: () => submit
  })
  // A database that does not answer for long is waited for by what depends on it, and only until that is interrupted.
  const mended = (isNeeded: () => boolean) =>
    Effect.suspend(() =>
      isNeeded()
        ? Effect.flatMap(isInsideTransaction(sql), (isInside) =>
            isInside ? Effect.void : Effect.flatMap(Effect.forkDetach(mend), Fiber.await)
          )
        : Effect.void
    )
  const find = (identity: ToolCall.Identity) => latest(access, Record.keyOf(identity))
  return {
    begin: (begun, options) =>
      beginning(begun, options).pipe(
        Effect.flatMap(write),
        Effect.flatMap((verdict) =>
          verdict._tag === "Done" ? Effect.succeedNone : Effect.map(mustFind(find(begun.context)), Option.some)
        ),
        failsAs("begin")
      ),
    advance: (identity, options) =>
      write({ _tag: "Advance", key: Record.keyOf(identity), approvalID: options?.approvalID }).pipe(
        failsAs("advance"),
        Effect.flatMap((verdict) => advanced(verdict, options?.approvalID ?? ""))
      ),
    complete: (identity, ended) =>
      complete(access, write, { key: Record.keyOf(identity), attempt: undefined }, ended).pipe(
        Effect.flatMap(Effect.fromOption),
        failsAs("complete")
      ),
    find: (identity) =>
      Effect.andThen(
        mended(() => leftovers.concern(Record.keyOf(identity))),
        find(identity)
      ).pipe(failsAs("find")),
    unfinished: Effect.andThen(
      mended(() => !leftovers.isEmpty),
      unfinished(access, write)
    ).pipe(failsAs("unfinished"))
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
  if (verdict._tag === "Done") return Effect.void
  if (verdict._tag === "Spent") return Effect.fail(new SettlementStore.ApprovalSpentError({ approvalID }))
  return Effect.fail(Record.notRunning("advance"))
}

/** The end that stands, or none if another attempt has begun since. */
const complete = Effect.fnUntraced(function* (
  access: Access,
  write: Write,
  { attempt, key }: { readonly key: string; readonly attempt: number | undefined },
  ended: SettlementStore.Ended
) {
  const verdict = yield* write({ _tag: "Complete", key, attempt, ended: yield* encodeEnd(ended) })
  if (verdict._tag === "Done") return Option.some(ended)
  if (verdict._tag === "Superseded") return Option.none()
  if (verdict._tag !== "Over") return yield* Effect.fail(Record.noSuchCall)
  const [row] = yield* Rows.endOf(access.sql, key, verdict.attempt)
  return Option.some(yield* decodeEnded(row?.ended ?? ""))
})

const latest = Effect.fnUntraced(function* (access: Access, key: string) {
  const { dead, rows } = yield* access.attribute(Rows.latestOf(access.sql, key))
  const row = rows.find((row) => counts(access, row))
  if (row === undefined) return Option.none()
  const begun = yield* begunOf(row)
  if (row.ended !== null) return Option.some(Record.ended(begun, yield* decodeEnded(row.ended)))
  return Option.some(isAbandoned(access, dead, row) ? Record.unfinished(begun) : Record.running(begun))
})

const unfinished = Effect.fnUntraced(function* (access: Access, write: Write) {
  const { dead, rows } = yield* access.attribute(Rows.open(access.sql))
  const abandoned = rows.filter((row) => counts(access, row) && isAbandoned(access, dead, row))
  const readable = yield* Effect.forEach(abandoned, (row) =>
    Effect.map(begunOf(row), (begun): SettlementStore.Unfinished => {
      const attempt = { key: row.call_key, attempt: row.attempt }
      return { begun, end: (ended) => complete(access, write, attempt, ended).pipe(failsAs("complete")) }
    }).pipe(Effect.asSome, Effect.catch(unreadable))
  )
  return readable.flatMap(Option.toArray)
})

/** A damaged record is for somebody to look at, and no reason to leave the others unended. */
const unreadable = () =>
  Effect.as(Effect.logError("The record of an unfinished call cannot be read, and was passed over"), Option.none())

/** What is there by mistake is as good as gone. */
const counts = ({ leftovers, owner }: Access, row: Rows.AttemptRow): boolean =>
  row.owner !== owner || row.ended_as !== null || !leftovers.isUnstarted(row)

const isAbandoned = (access: Access, dead: ReadonlySet<string>, row: Rows.AttemptRow): boolean => {
  const state = stateOf(access, dead, row)
  return state === "Unfinished" || state === "Left"
}

/** What the record says about effects is what was last made durable about them. */
export const begunOf = (row: Rows.CallRow): Effect.Effect<SettlementStore.Begun, Schema.SchemaError> =>
  Effect.map(decodeBegun(row.begun), (begun) => ({ ...begun, effectPossible: row.effect_possible !== 0 }))
