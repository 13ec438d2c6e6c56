/**
 * Puts scrubbing around what writes: the stores of a registry, loggers and tracers. Outcomes and records of the gateway are
 * scrubbed without it.
 */
import * as OutputStore from "@haft/core/OutputStore"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import type * as Tracer from "effect/Tracer"
import * as Endings from "./internal/redactEnded.ts"
import * as Spans from "./internal/redactSpan.ts"
import { byName, type Scrubber } from "./Scrubber.ts"
import * as Secrets from "./Secrets.ts"

/** Around the store that a registry gets: what is recorded, and what the model reads because of it, holds no secret. */
export const layerSettlementStore: Layer.Layer<SettlementStore.Service, never, SettlementStore.Service> = Layer.effect(
  SettlementStore.Service,
  Effect.gen(function* () {
    const store = yield* SettlementStore.Service
    const secrets = yield* Secrets.Service
    const scrubbed = (ended: SettlementStore.Ended) => Endings.scrubbed(secrets.scrubber(), ended)
    return {
      ...store,
      begin: (begun, options) =>
        store.begin(begun, options?.ended === undefined ? options : { ...options, ended: scrubbed(options.ended) }),
      complete: (identity, ended) => store.complete(identity, scrubbed(ended)),
      finish: (ends) => store.finish(ends.map(({ ended, unfinished }) => ({ unfinished, ended: scrubbed(ended) })))
    }
  })
)

/** Around the store of complete outputs, while they stream through. */
export const layerOutputStore: Layer.Layer<OutputStore.Service, never, OutputStore.Service> = Layer.effect(
  OutputStore.Service,
  Effect.gen(function* () {
    const store = yield* OutputStore.Service
    const secrets = yield* Secrets.Service
    return {
      ...store,
      retain: (sessionID, { bytes, mimeType }) =>
        store.retain(sessionID, { mimeType, bytes: scrubbedBytes(secrets.scrubber(), bytes) })
    }
  })
)

const scrubbedBytes = (scrubber: Scrubber, bytes: Stream.Stream<Uint8Array>): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    const { end, push } = scrubber.streamBytes()
    return Stream.concat(Stream.map(bytes, push), Stream.sync(end)).pipe(Stream.filter(({ length }) => length > 0))
  })

/** A logger whose lines hold no secret, whatever stands in messages, causes, annotations and spans. */
export const logger = (secrets: Secrets.Interface, lines: Logger.Logger<unknown, string>): typeof lines =>
  Logger.map(lines, (line) => byName(secrets.scrubber().text(line)))

/** A tracer whose spans hold no secret in names, attributes, events and ends. */
export const tracer = (secrets: Secrets.Interface, inner: Tracer.Tracer): Tracer.Tracer => ({
  ...inner,
  span: (options) => Spans.scrubbed(secrets.scrubber, inner, options)
})
