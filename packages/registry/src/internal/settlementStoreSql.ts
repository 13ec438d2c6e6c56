/** The settlement store on a database that has its tables. */
import * as SettlementStore from "@haft/core/SettlementStore"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isInsideTransaction, outsideTransaction } from "./insideTransaction.ts"
import type { Submit } from "./settlementStoreBatches.ts"
import * as Finishing from "./settlementStoreFinishing.ts"
import type { Journal } from "./settlementStoreJournal.ts"
import type { EncodedEnd, Operation, Verdict } from "./settlementStorePlan.ts"
import * as Reading from "./settlementStoreReading.ts"
import * as Record from "./settlementStoreRecord.ts"
import * as Rows from "./settlementStoreRows.ts"
import type { Access } from "./settlementStoreTransaction.ts"

const encodeEnded = Schema.encodeEffect(Schema.fromJsonString(SettlementStore.Ended))

const isContext = Schema.is(SettlementStore.Begun.fields.context)

type Write = Submit<Operation, Verdict>
type Outside = <A>(effect: Effect.Effect<A, unknown>) => Effect.Effect<A, unknown>
type Look = Submit<string, Reading.Found>

/** Writes share transactions and looks share queries, which see what is committed. */
export const make = (
  access: Access,
  { mend }: Journal,
  submit: { readonly write: Write; readonly look: Look }
): SettlementStore.Interface => {
  const { leftovers, sql } = access
  // Who writes learns what became of it.
  const submitWrite: Write = (operation) => Effect.uninterruptible(submit.write(operation))
  const outside = sql.onDialectOrElse({
    sqlite: (): Outside => (effect) => outsideTransaction(sql, effect),
    orElse: (): Outside => identity
  })
  const write: Write = (operation) => outside(submitWrite(operation))
  const end = (right: Reading.Right, ended: SettlementStore.Ended) => complete(access, write, right, ended)
  // A database that does not answer for long is waited for by what depends on it, and only until that is interrupted.
  const mended = (isNeeded: () => boolean) =>
    Effect.suspend(() =>
      isNeeded()
        ? Effect.flatMap(isInsideTransaction(sql), (isInside) =>
            isInside ? Effect.void : Effect.flatMap(Effect.forkDetach(mend), Fiber.await)
          )
        : Effect.void
    )
  // Who looks from inside a transaction sees what is in it, and others must not wait for it.
  const find = (identity: ToolCall.Identity) =>
    Effect.flatMap(isInsideTransaction(sql), (isInside) =>
      isInside ? lookAlone(access, Record.keyOf(identity)) : submit.look(Record.keyOf(identity))
    )
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
      Reading.abandoned(access)
    ).pipe(failsAs("unfinished")),
    finish: (ends) => outside(Finishing.finish(access, { encode: encodeEnd, end }, ends)).pipe(failsAs("complete"))
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

/**
 * Field by field: nothing in it is changed by encoding, and only its number can be one that JSON does not have. Ids are
 * looked at, because they come from a host: with white space in them two calls would have one key.
 */
const encodeBegun = (begun: SettlementStore.Begun): Effect.Effect<string, Error> => {
  if (!isContext(begun.context)) return Effect.fail(new Error("a call has ids without white space"))
  const { assistantMessageID, agent, sessionID, toolCallID } = begun.context
  if (!Number.isFinite(begun.begunAt)) return Effect.fail(new Error("a call begins at a time"))
  return Effect.succeed(
    JSON.stringify({
      context: { sessionID, agent, assistantMessageID, toolCallID },
      name: begun.name,
      registrationDigest: begun.registrationDigest,
      inputFingerprint: begun.inputFingerprint,
      determinism: begun.determinism,
      effectPossible: begun.effectPossible,
      begunAt: begun.begunAt
    } satisfies typeof SettlementStore.Begun.Encoded)
  )
}

const encodeEnd = (ended: SettlementStore.Ended): Effect.Effect<EncodedEnd, Schema.SchemaError> =>
  Effect.map(encodeEnded(ended), (json) => ({ tag: ended._tag, json }))

const lookAlone = (access: Access, key: string): Effect.Effect<Reading.Found, unknown> =>
  Effect.flatMap(Reading.latest(access, [key]), ([found]) => found ?? Effect.succeedNone)

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
  return Option.some(yield* Reading.decodeEnded(row?.ended ?? ""))
})
