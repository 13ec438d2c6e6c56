/** Ends what dead owners left: many calls with one statement, and one by one where somebody else has been there. */
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { longest } from "./settlementStoreLists.ts"
import type { EncodedEnd } from "./settlementStorePlan.ts"
import { Abandoned, type Right } from "./settlementStoreReading.ts"
import * as Record from "./settlementStoreRecord.ts"
import * as Rows from "./settlementStoreRows.ts"
import { type Access, isConflict } from "./settlementStoreTransaction.ts"

type Stands = Option.Option<SettlementStore.Ended>

interface Ending extends Right {
  readonly given: SettlementStore.Ended
  readonly ended: EncodedEnd
}

export interface Finishing {
  readonly encode: (ended: SettlementStore.Ended) => Effect.Effect<EncodedEnd, unknown>
  /** Looks and decides, for one that is not as it was found. */
  readonly end: (right: Right, ended: SettlementStore.Ended) => Effect.Effect<Stands, unknown>
}

/** Characters of ends in one statement, so that nobody else waits for long. */
const maxSize = 1024 * 1024

/** As many as a store writes in one commit. */
const concurrency = 512

/** For each the end that stands. Between two statements it can be interrupted, and others can write. */
export const finish = Effect.fnUntraced(function* (
  access: Access,
  finishing: Finishing,
  ends: ReadonlyArray<SettlementStore.Finish>
): Effect.fn.Return<ReadonlyArray<Stands>, unknown> {
  const endings = yield* endingsOf(access, finishing, ends)
  const stands = new Map<Ending, Stands>()
  for (const chunk of chunksOf(endings.filter(({ owner }) => owner !== access.owner))) {
    const written = yield* Effect.uninterruptible(endTogether(access, chunk))
    for (const ending of chunk) if (written.has(ending.key)) stands.set(ending, Option.some(ending.given))
  }
  const rest = endings.filter((ending) => !stands.has(ending))
  const decided = yield* Effect.forEach(rest, (ending) => finishing.end(ending, ending.given), { concurrency })
  for (const [index, ending] of rest.entries()) stands.set(ending, decided[index] ?? Option.none())
  return endings.map((ending) => stands.get(ending) ?? Option.none())
})

/** Most end in the same few ways, which are encoded once. */
const endingsOf = Effect.fnUntraced(function* (
  access: Access,
  { encode }: Finishing,
  ends: ReadonlyArray<SettlementStore.Finish>
) {
  const encoded = new Map<SettlementStore.Ended, EncodedEnd>()
  const endings: Array<Ending> = []
  for (const { ended: given, unfinished } of ends) {
    const right = Abandoned.rightOf(access, unfinished)
    if (right === undefined) return yield* Effect.fail(Record.noSuchCall)
    const ended = encoded.get(given) ?? (yield* encode(given))
    encoded.set(given, ended)
    endings.push({ key: right.key, attempt: right.attempt, owner: right.owner, given, ended })
  }
  return endings
})

/** The keys of those that it ended, each of them once. */
const endTogether = (access: Access, endings: ReadonlyArray<Ending>) =>
  Effect.map(Rows.change(access.sql, endings), (rows) => new Set(rows.map((row) => row.call_key))).pipe(
    Effect.catchIf(isConflict, () => Effect.succeed(new Set<string>()))
  )

/** With one ending of a call at most: the first stands, and the others learn of it. */
const chunksOf = (endings: ReadonlyArray<Ending>): ReadonlyArray<ReadonlyArray<Ending>> => {
  const chunks: Array<Array<Ending>> = []
  const seen = new Set<string>()
  let [chunk, size]: [Array<Ending>, number] = [[], 0]
  for (const ending of endings) {
    if (seen.has(ending.key)) continue
    seen.add(ending.key)
    if (chunk.length === longest || size + ending.ended.json.length > maxSize || chunks.length === 0) {
      chunks.push((chunk = []))
      size = 0
    }
    chunk.push(ending)
    size += ending.ended.json.length
  }
  return chunks
}
