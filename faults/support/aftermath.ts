/** Opens what a host left, recovers it, and compares it with what was told and with what really happened. */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Recovery from "@haft/registry/Recovery"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { join } from "node:path"
import { files, identityOf, layer, linesOf, printed, sessionID, Told } from "./host.ts"

/** What was found, with a line for whatever is wrong. */
export interface Aftermath {
  readonly lost: ReadonlyArray<string>
  readonly double: ReadonlyArray<string>
  readonly corrupt: ReadonlyArray<string>
  readonly leaked: ReadonlyArray<string>
  readonly told: ReadonlyArray<Told>
  /** Calls whose executor was entered. */
  readonly calls: number
  /** Calls that nobody had ended. */
  readonly recovered: number
  /** Effects that were done and whose call had no end. */
  readonly unrecorded: number
}

const decodeTold = Schema.decodeSync(Schema.fromJsonString(Told))

export const toldIn = (directory: string): ReadonlyArray<Told> =>
  linesOf(files(directory).told).map((line) => decodeTold(line))

/** The counts of a table. */
export const counts = ({ corrupt, double, leaked, lost }: Aftermath) => ({
  lost: lost.length,
  double: double.length,
  corrupt: corrupt.length,
  leaked: leaked.length
})

/** Two recoveries give what one gives, so everything is looked at twice. */
export const inspect = (directory: string): Effect.Effect<Aftermath, unknown> =>
  Effect.gen(function* () {
    const found = yield* Effect.provide(look(directory), Layer.fresh(layer(directory)))
    const again = yield* Effect.provide(look(directory), Layer.fresh(layer(directory)))
    const lost = again.recovered > 0 ? [...again.lost, `${again.recovered} ends of a recovery`] : again.lost
    return { ...again, lost, recovered: found.recovered, unrecorded: found.unrecorded }
  })

const look = Effect.fnUntraced(function* (directory: string) {
  const { effects, entered } = files(directory)
  const [began, acted, told] = [linesOf(entered), linesOf(effects), toldIn(directory)]
  const recovered = yield* Recovery.recover
  const left = new Set(recovered.map(({ begun }) => String(begun.context.toolCallID)))
  const store = yield* SettlementStore.Service
  const records = new Map<string, SettlementStore.CallRecord>()
  yield* Effect.forEach(
    new Set([...began, ...acted, ...told.map(({ id }) => id)]),
    (id) =>
      Effect.map(store.find(identityOf(id)), (record) => {
        if (Option.isSome(record)) records.set(id, record.value)
      }),
    { concurrency: 64, discard: true }
  )
  const outputs = yield* wrongOutputs(told)
  const aftermath: Aftermath = {
    lost: [...lostCalls(records, [...began, ...acted], told), ...outputs.lost],
    double: [...twice(began), ...twice(acted), ...(yield* secondAttempts)],
    corrupt: [...untrue(records, new Set(acted)), ...outputs.corrupt, ...(yield* damage(directory))],
    leaked: yield* leftFiles(directory),
    told,
    calls: new Set(began).size,
    recovered: left.size,
    unrecorded: acted.filter((id) => left.has(id)).length
  }
  return aftermath
})

/** Whatever was entered, acted or was told of has one end, and it is the one that was told. */
const lostCalls = (
  records: ReadonlyMap<string, SettlementStore.CallRecord>,
  ran: ReadonlyArray<string>,
  told: ReadonlyArray<Told>
): ReadonlyArray<string> => [
  ...[...new Set(ran)].filter((id) => records.get(id)?._tag !== "Ended").map((id) => `${id} ran and has no end`),
  ...told
    .filter(({ end }) => ["Succeeded", "Failed"].includes(end))
    .filter(({ end, id }) => endOf(records.get(id)) !== end)
    .map(({ end, id }) => `${id} was told ${end} and is ${endOf(records.get(id))}`)
]

const endOf = (record: SettlementStore.CallRecord | undefined): string => {
  if (record?._tag !== "Ended") return record?._tag ?? "absent"
  const { ended } = record
  return ended._tag === "Settled" ? ended.settlement._tag : ended._tag
}

/** Records that say something else than what happened. */
const untrue = (
  records: ReadonlyMap<string, SettlementStore.CallRecord>,
  acted: ReadonlySet<string>
): ReadonlyArray<string> =>
  [...records].flatMap(([id, record]) => {
    if (record._tag !== "Ended" || record.begun.name !== "act") return []
    const { ended } = record
    const effect = ended._tag === "Settled" ? ended.settlement.effect._tag : ended.effect._tag
    if (acted.has(id))
      return effect === "None" || effect === "NotStarted" ? [`${id} acted and is said to have not`] : []
    return effect === "Committed" ? [`${id} did not act and is said to have`] : []
  })

const twice = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return lines.filter((line) => seen.has(line) || void seen.add(line)).map((line) => `${line} twice`)
}

/** Nobody here asks for a call again. */
const secondAttempts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`SELECT call_key FROM haft_calls WHERE attempt > 1`.values, (rows) =>
    rows.map(([key]) => `${String(key)} has a second attempt`)
  )
)

/** Outputs of which somebody was told and that are not there to the last byte. */
const wrongOutputs = Effect.fnUntraced(function* (told: ReadonlyArray<Told>) {
  const store = yield* OutputStore.Service
  const [lost, corrupt]: [Array<string>, Array<string>] = [[], []]
  for (const { id, managed, name, end } of told) {
    if (name !== "print" || end !== "Succeeded") continue
    const [ref] = managed
    if (ref === undefined) lost.push(`the output of ${id} was not kept`)
    else {
      const read = yield* Effect.result(readAll(store, ManagedOutput.Ref.make(ref)))
      if (Result.isFailure(read)) lost.push(`the output of ${id}: ${read.failure._tag}`)
      else if (read.success !== printed(id)) corrupt.push(`the output of ${id}`)
    }
  }
  return { lost, corrupt }
})

const readAll = (store: OutputStore.Interface, ref: ManagedOutput.Ref) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { content } = yield* store.open(sessionID, ref, OutputStore.bytes(0, 2 ** 40))
      return yield* Stream.mkString(Stream.decodeText(content))
    })
  )

/** What the check of the database says, and files that do not have what their name says. */
const damage = Effect.fnUntraced(function* (directory: string) {
  const sql = yield* SqlClient.SqlClient
  const findings = yield* sql`PRAGMA integrity_check`.values
  const { outputs } = files(directory)
  return [
    ...findings.map(([finding]) => String(finding)).filter((finding) => finding !== "ok"),
    ...Fs.readdirSync(outputs)
      .filter((name) => /^[0-9a-f]{64}$/.test(name))
      .filter((name) => sha256(join(outputs, name)) !== name)
  ]
})

const sha256 = (path: string): string => createHash("sha256").update(Fs.readFileSync(path)).digest("hex")

/** After a sweep nothing of a dead writer is left. */
const leftFiles = Effect.fnUntraced(function* (directory: string) {
  const store = yield* OutputStore.Service
  yield* store.sweep
  return Fs.readdirSync(files(directory).outputs).filter((name) => name.endsWith(".tmp"))
})
