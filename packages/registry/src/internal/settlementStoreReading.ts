/** What the rows of the settlement store say about calls. */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import type * as SqlError from "effect/sql/SqlError"
import type { AttemptOf } from "./settlementStorePlan.ts"
import * as Record from "./settlementStoreRecord.ts"
import * as Rows from "./settlementStoreRows.ts"
import { type Access, stateOf } from "./settlementStoreTransaction.ts"

const decodeBegun = Schema.decodeExit(Schema.fromJsonString(SettlementStore.Begun))
/** As it is in a row. */
export const decodeEnded = Schema.decodeEffect(Schema.fromJsonString(SettlementStore.Ended))

/** What is known about a call, if it is known. */
export type Found = Option.Option<SettlementStore.CallRecord>

/** By key, with one query for all of them. A record that cannot be read fails alone. Belongs to no trace of any of them. */
export const latest = (
  access: Access,
  keys: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Exit.Exit<Found, SqlError.SqlError | Schema.SchemaError>>> =>
  Effect.gen(function* () {
    const read = yield* Effect.exit(access.attribute(Rows.latestOf(access.sql, [...new Set(keys)])))
    if (Exit.isFailure(read)) return keys.map(() => Exit.failCause(read.cause))
    const { dead, rows } = read.value
    const latest = new Map<string, Rows.CallRow>()
    for (const row of rows) if (!latest.has(row.call_key) && counts(access, row)) latest.set(row.call_key, row)
    return yield* Effect.forEach(keys, (key) => Effect.exit(recordOf(access, dead, latest.get(key))))
  }).pipe(Effect.provideService(References.TracerEnabled, false))

const recordOf = Effect.fnUntraced(function* (
  access: Access,
  dead: ReadonlySet<string>,
  row: Rows.CallRow | undefined
): Effect.fn.Return<Found, Schema.SchemaError> {
  if (row === undefined) return Option.none()
  const begun = yield* begunOf(row)
  if (row.ended !== null) return Option.some(Record.ended(begun, yield* decodeEnded(row.ended)))
  return Option.some(isAbandoned(access, dead, row) ? Record.unfinished(begun) : Record.running(begun))
})

/** Which attempt it is, and whose it was. */
export interface Right extends AttemptOf {
  readonly owner: string
}

/** An attempt that nobody will end, for the store that found it. */
export class Abandoned implements SettlementStore.Unfinished {
  readonly begun: SettlementStore.Begun
  readonly #right: Right
  readonly #finder: Access

  constructor(begun: SettlementStore.Begun, right: Right, finder: Access) {
    this.begun = begun
    this.#right = right
    this.#finder = finder
  }

  /** Only who found it may end it, and no copy will do. */
  static rightOf(finder: Access, unfinished: SettlementStore.Unfinished): Right | undefined {
    return unfinished instanceof Abandoned && unfinished.#finder === finder ? unfinished.#right : undefined
  }
}

/** Oldest first. */
export const abandoned = Effect.fnUntraced(function* (
  access: Access
): Effect.fn.Return<ReadonlyArray<Abandoned>, SqlError.SqlError> {
  // Who died is known before the rows are read, which may be many and would be read again to be sure.
  yield* access.attribute(Rows.ownersOfOpen(access.sql))
  const { dead, rows } = yield* access.attribute(Rows.open(access.sql))
  const found: Array<Abandoned> = []
  for (const row of rows) {
    if (!counts(access, row) || !isAbandoned(access, dead, row)) continue
    const begun = readBegun(row)
    if (Exit.isFailure(begun)) yield* unreadable
    else found.push(new Abandoned(begun.value, { key: row.call_key, attempt: row.attempt, owner: row.owner }, access))
  }
  return found
})

/** A damaged record is for somebody to look at, and no reason to leave the others unended. */
const unreadable = Effect.logError("The record of an unfinished call cannot be read, and was passed over")

/** What is there by mistake is as good as gone. */
const counts = ({ leftovers, owner }: Access, row: Rows.AttemptRow): boolean =>
  row.owner !== owner || row.ended_as !== null || !leftovers.isUnstarted(row)

const isAbandoned = (access: Access, dead: ReadonlySet<string>, row: Rows.AttemptRow): boolean => {
  const state = stateOf(access, dead, row)
  return state === "Unfinished" || state === "Left"
}

/** What the record says about effects is what was last made durable about them. */
const readBegun = (row: Rows.CallRow): Exit.Exit<SettlementStore.Begun, Schema.SchemaError> => {
  const effectPossible = row.effect_possible !== 0
  const begun = parse(row.begun)
  if (isBegun(begun)) return Exit.succeed({ ...begun, effectPossible })
  return Exit.map(decodeBegun(row.begun), (begun) => ({ ...begun, effectPossible }))
}

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const determinisms: ReadonlySet<unknown> = new Set(SettlementStore.Begun.fields.determinism.literals)

/**
 * Whether it is as this store writes it, which is told in a fraction of the time that the codec takes: recovery reads
 * everything that was left. The codec judges what is not.
 */
const isBegun = (value: unknown): value is SettlementStore.Begun => {
  const begun: { readonly [Key in keyof SettlementStore.Begun]?: unknown } = Object(value)
  const context: { readonly [Key in keyof SettlementStore.Begun["context"]]?: unknown } = Object(begun.context)
  return (
    Object.keys(begun).length === 7 &&
    Object.keys(context).length === 4 &&
    typeof context.sessionID === "string" &&
    typeof context.agent === "string" &&
    typeof context.assistantMessageID === "string" &&
    typeof context.toolCallID === "string" &&
    typeof begun.name === "string" &&
    typeof begun.registrationDigest === "string" &&
    typeof begun.inputFingerprint === "string" &&
    determinisms.has(begun.determinism) &&
    typeof begun.effectPossible === "boolean" &&
    typeof begun.begunAt === "number"
  )
}

/** The same. */
export const begunOf = (row: Rows.CallRow): Effect.Effect<SettlementStore.Begun, Schema.SchemaError> => readBegun(row)
