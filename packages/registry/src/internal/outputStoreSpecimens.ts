/** Contents and assertions for the conformance suite of the output store. */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import * as Session from "@haft/core/Session"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expect } from "./settlementStoreSpecimens.ts"

export const session = Session.ID.make("session")
export const other = Session.ID.make("other")

/** As one chunk, or in chunks of `size` bytes. */
export const content = (bytes: Uint8Array | string, size = Number.POSITIVE_INFINITY): OutputStore.Content => ({
  mimeType: "text/plain",
  bytes: Stream.fromIterable(chunksOf(Buffer.from(bytes), size))
})

const chunksOf = function* (bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** Bytes of all values that repeat themselves late and are the same for the same seed. */
export const noise = (length: number, seed = 1): Uint8Array => {
  const bytes = new Uint8Array(length)
  let state = seed
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}

/** More than any output of the suite. */
const everything = OutputStore.bytes(0, 2 ** 40)

/** What a range of an output holds. */
export const readRange = (
  store: OutputStore.Interface,
  ref: ManagedOutput.Ref,
  range: OutputStore.Range,
  reader = session
) =>
  Effect.scoped(
    Effect.flatMap(store.open(reader, ref, range), ({ content, offset }) =>
      Effect.map(Stream.runCollect(content), (chunks) => ({ offset, bytes: Buffer.concat([...chunks]) }))
    )
  )

export const expectContent = (
  store: OutputStore.Interface,
  ref: ManagedOutput.Ref,
  expected: Uint8Array | string,
  reader = session
) =>
  Effect.flatMap(readRange(store, ref, everything, reader), ({ bytes }) =>
    expect("the content", bytes.toString("hex"), Buffer.from(expected).toString("hex"))
  )

/** The reference leads nowhere, for this reason. */
export const expectUnavailable = (
  store: OutputStore.Interface,
  ref: ManagedOutput.Ref,
  reason: OutputStore.UnavailableError["reason"],
  reader = session
) =>
  Effect.flatMap(
    Effect.match(Effect.scoped(store.open(reader, ref, everything)), {
      onFailure: (error) => (error._tag === "OutputStore.UnavailableError" ? error.reason : error._tag),
      onSuccess: () => "no error"
    }),
    (actual) => expect("open", actual, reason)
  )

/** The output is refused because of this limit. */
export const expectExceeded = (
  retained: Effect.Effect<OutputStore.Retained, OutputStore.StorageError>,
  limit: OutputStore.StorageError["limit"]
) =>
  Effect.flatMap(Effect.match(retained, { onFailure: (error) => error.limit, onSuccess: () => "no error" }), (actual) =>
    expect("retain", actual, limit)
  )

/** What was found, or how the search ended without finding anything. */
export const found = (store: OutputStore.Interface, ref: ManagedOutput.Ref, query: OutputStore.Query) =>
  Effect.match(Stream.runCollect(store.search(session, ref, query)), {
    onFailure: (error): string => error._tag,
    onSuccess: (matches) => matches.map(({ line, offset, text }) => `${line}@${offset} ${text}`).join("|")
  })

/** Runs an operation `millis` after the present, as far as the store can tell. */
export const later = <A, E>(millis: number, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.service(Clock.Clock), (clock) => {
    const shifted: Partial<Clock.Clock> = {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis)
    }
    return Effect.provideService(effect, Clock.Clock, Object.assign(Object.create(clock), shifted))
  })
