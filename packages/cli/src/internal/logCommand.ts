/** `haft log`: which calls there were and how they ended, or one of them in full. */
import * as ToolCall from "@haft/core/ToolCall"
import * as Session from "@haft/core/Session"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as RegistrySql from "@haft/registry/sql"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Host from "../Host.ts"
import * as Project from "../Project.ts"
import { UsageError } from "./faults.ts"
import { answer, withDatabase } from "./haft.ts"
import { identifier } from "./identifier.ts"
import * as Sentences from "./sentences.ts"
import { lines, notes } from "./settledText.ts"
import { table } from "./table.ts"

/** A screen of them. */
const defaultLimit = 20

const id = Argument.String("call").pipe(Argument.withDescription("The id of a call to show in full"), Argument.optional)

const session = Flag.String("session").pipe(Flag.withDescription("Only the calls of this session"), Flag.optional)

const limit = Flag.Int("limit").pipe(
  Flag.withDescription("How many at most"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 }))),
  Flag.withDefault(defaultLimit)
)

export const log = Command.make(
  "log",
  { id, session, limit },
  Effect.fnUntraced(function* (given) {
    const query = yield* queryOf(given)
    const records = yield* withDatabase(
      Effect.flatMap(Project.Service, ({ state }) => RegistrySql.log(query, { owners: Host.owners(state) }))
    )
    if (Option.isNone(given.id)) return yield* showAll(records)
    if (records.length === 0) return yield* new UsageError(Sentences.unknownCall(given.id.value))
    return yield* showEach(records)
  })
).pipe(
  Command.withDescription("Show the recorded calls, the latest first"),
  Command.withExamples([
    { command: "haft log", description: "The latest calls" },
    { command: "haft log --session haft-call --json", description: "Those of one session, for a program" }
  ])
)

interface Given {
  readonly id: Option.Option<string>
  readonly session: Option.Option<string>
  readonly limit: number
}

const queryOf = Effect.fnUntraced(function* ({ id, limit, session }: Given) {
  const query: RegistrySql.LogQuery = {
    limit,
    ...(Option.isSome(session)
      ? { sessionID: yield* identifier(Session.ID, "the id of a session", session.value) }
      : {}),
    ...(Option.isSome(id) ? { toolCallID: yield* identifier(ToolCall.ID, "the id of a call", id.value) } : {})
  }
  return query
})

type Records = ReadonlyArray<SettlementStore.CallRecord>

/** As a table, or as JSON. */
export const showAll = (records: Records) =>
  Effect.flatMap(encoded(records), (data) =>
    answer(data, () => (records.length === 0 ? Sentences.noCalls : recordTable(records)))
  )

const showEach = (records: Records) =>
  Effect.flatMap(encoded(records), (data) => answer(data, () => records.map(inFull).join("\n\n")))

const head = ["begun", "tool", "outcome", "effect", "took", "session", "call"]

const recordTable = (records: Records): string => table(head, records.map(rowOf))

const rowOf = (record: SettlementStore.CallRecord): ReadonlyArray<string> => {
  const { begun } = record
  const { sessionID, toolCallID } = begun.context
  const time = DateTime.formatIso(DateTime.makeUnsafe(begun.begunAt))
  return [time, begun.name, outcomeOf(record), effectOf(record), tookOf(record), sessionID, toolCallID]
}

const settlementOf = (record: SettlementStore.CallRecord) =>
  record._tag === "Ended" && record.ended._tag === "Settled" ? record.ended.settlement : undefined

const outcomeOf = (record: SettlementStore.CallRecord): string =>
  settlementOf(record)?._tag ?? (record._tag === "Ended" ? record.ended._tag : record._tag)

const effectOf = (record: SettlementStore.CallRecord): string => {
  if (record._tag !== "Ended") return record.begun.effectPossible ? "Unknown" : "None"
  return record.ended._tag === "Settled" ? record.ended.settlement.effect._tag : record.ended.effect._tag
}

const tookOf = (record: SettlementStore.CallRecord): string => {
  const settlement = settlementOf(record)
  return settlement === undefined ? "-" : `${Math.round(settlement.timing.endedAt - settlement.timing.startedAt)} ms`
}

const inFull = (record: SettlementStore.CallRecord): string => {
  const settlement = settlementOf(record)
  const shown = settlement === undefined ? [] : [...notes(settlement), ...lines(settlement)]
  return [table(head, [rowOf(record)]), ...shown].join("\n")
}

const Records = Schema.toCodecJson(
  Schema.Array(
    Schema.Union([
      Schema.TaggedStruct("Running", { begun: SettlementStore.Begun }),
      Schema.TaggedStruct("Unfinished", { begun: SettlementStore.Begun }),
      Schema.TaggedStruct("Ended", { begun: SettlementStore.Begun, ended: SettlementStore.Ended })
    ])
  )
)

/** What was read with a schema can be written with it. */
const encoded = (records: Records) => Effect.orDie(Schema.encodeEffect(Records)(records))
