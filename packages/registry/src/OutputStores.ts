/**
 * The `OutputStore` that needs nothing else. The one that survives its process is in `@haft/registry/files`.
 */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import type * as Session from "@haft/core/Session"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as InternalLimits from "./internal/outputLimits.ts"
import { LineCounter } from "./internal/outputLines.ts"
import { type Entry, OutputMemory } from "./internal/outputMemory.ts"
import { makeRef } from "./internal/outputRef.ts"
import { searchSource } from "./internal/outputSearch.ts"
import { openRange, type Source } from "./internal/outputSource.ts"

/** How much a store keeps, and for how long. */
export type Limits = InternalLimits.Limits

/** How the store is run. */
export interface Options {
  /** Without them 512 MiB for one output and 1 GiB for all, and a week after a session was released or idle for 30 days. */
  readonly limits?: Partial<Limits>
}

/** Keeps outputs in memory until the layer's Scope closes, each build for itself. Dies on limits that are no limits. */
export const layerMemory = (options?: Options): Layer.Layer<OutputStore.Service> =>
  Layer.fresh(
    Layer.sync(OutputStore.Service, () =>
      make(new OutputMemory(InternalLimits.limitsOf(InternalLimits.memoryDefaults, options?.limits)))
    )
  )

const make = (memory: OutputMemory): OutputStore.Interface => ({
  retain: (session, content) => retain(memory, session, content),
  open: (session, ref, range) => Effect.flatMap(find(memory, session, ref), (source) => openRange(source, range)),
  search: (session, ref, query) =>
    Stream.unwrap(Effect.map(find(memory, session, ref), (source) => searchSource(source, query))),
  release: (session, refs) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (refs === undefined) memory.release(session, now)
      else for (const ref of refs) memory.forget(session, ref)
    }),
  sweep: Effect.map(Clock.currentTimeMillis, (now) => memory.sweep(now))
})

const retain = (memory: OutputMemory, session: Session.ID, { bytes, mimeType }: OutputStore.Content) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    const counter = new LineCounter()
    let length = 0
    const add = Effect.fnUntraced(function* (chunk: Uint8Array) {
      const limit = memory.reserve(session, length, chunk.length, yield* Clock.currentTimeMillis)
      if (limit !== undefined) return yield* new OutputStore.StorageError({ operation: "retain", limit })
      counter.add(chunk)
      length += chunk.length
      chunks.push(new Uint8Array(chunk))
    })
    const keep = (now: number) => {
      const ref = makeRef()
      memory.keep(ref, { session, mimeType, bytes: length, lines: counter.lines, content: chunks }, now)
      return { ref, bytes: length, lines: counter.lines }
    }
    return Effect.uninterruptibleMask((restore) =>
      restore(Stream.runForEach(bytes, add)).pipe(
        Effect.onError(() => Effect.sync(() => memory.cancel(session, length))),
        Effect.andThen(Effect.map(Clock.currentTimeMillis, keep))
      )
    )
  })

const find = (memory: OutputMemory, session: Session.ID, ref: ManagedOutput.Ref) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const entry = memory.open(session, ref, now)
    if (entry === undefined) return Effect.fail(new OutputStore.UnavailableError({ reason: "Unknown" }))
    const { content } = entry
    if ("removedAt" in content) return Effect.fail(new OutputStore.UnavailableError({ reason: "Expired" }))
    return Effect.succeed(sourceOf(entry, content))
  })

const sourceOf = ({ bytes, lines, mimeType }: Entry, chunks: ReadonlyArray<Uint8Array>): Source => ({
  mimeType,
  bytes,
  lines,
  read: (offset, end) => Stream.suspend(() => Stream.fromIterable(between(chunks, offset, end)))
})

const between = (chunks: ReadonlyArray<Uint8Array>, offset: number, end: number): ReadonlyArray<Uint8Array> => {
  let start = 0
  return chunks.flatMap((chunk) => {
    const part = chunk.subarray(Math.max(0, offset - start), Math.max(0, end - start))
    start += chunk.length
    return part.length === 0 ? [] : [part]
  })
}
