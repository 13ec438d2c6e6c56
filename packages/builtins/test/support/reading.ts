/** Reads outputs with the tool as a model would: call by call, doing what the last answer said. */
import { type ManagedOutput, OutputStore, type Session } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { ReadOutput } from "@haft/builtins"
import { Effect, Schema, Stream } from "effect"

/** What a model may read of one call. */
export const bounds = { lines: 2000, bytes: 51_200 }

export const session = Testing.context.sessionID

export const retain = Effect.fnUntraced(function* (
  content: string | Uint8Array,
  options?: { readonly mimeType?: string; readonly session?: Session.ID }
) {
  const store = yield* OutputStore.Service
  return yield* store.retain(options?.session ?? session, {
    mimeType: options?.mimeType ?? "text/plain",
    bytes: Stream.make(Buffer.from(content))
  })
})

/** The answer to one call. */
export const read = Effect.fnUntraced(function* (ref: ManagedOutput.Ref, more: object = {}) {
  const tool = yield* ReadOutput.make
  const { output } = yield* Testing.call(tool, { ref, ...more })
  return Schema.decodeUnknownSync(Schema.String)(output.structured)
})

/** The failure of one call. */
export const failure = (ref: string, more: object = {}) =>
  Effect.flatMap(ReadOutput.make, (tool) => Effect.flip(Testing.call(tool, { ref, ...more })))

const advice = /\[(?:There is more\. )?To (?:read|search) on, give (line|offset) (\d+)\.\]$/

/** What an answer says to do next. */
export const next = (answer: string): Readonly<Record<string, number>> | undefined => {
  const [, field, value] = advice.exec(answer) ?? []
  return field === undefined ? undefined : { [field]: Number(value) }
}

/** Every answer from the first to the last. */
export const readAll = Effect.fnUntraced(function* (ref: ManagedOutput.Ref, more: object = {}) {
  const answers = [yield* read(ref, more)]
  for (let place = next(answers[0] ?? ""); place !== undefined; place = next(answers.at(-1) ?? "")) {
    answers.push(yield* read(ref, { ...withoutPlace(more), ...place }))
  }
  return answers
})

const withoutPlace = (more: object) =>
  Object.fromEntries(Object.entries(more).filter(([name]) => name !== "line" && name !== "offset"))

/** The bytes that an answer says it shows. */
export const bytesOf = (answer: string): readonly [start: number, end: number] => {
  const [, start, end] = /bytes (\d+) to (\d+) of \d+\]/.exec(answer) ?? []
  return [Number(start), Number(end)]
}

/** The page itself, as it was in the output. */
export const pageOf = (answer: string): string => {
  const lines = answer.split("\n")
  return lines.slice(1, lines.findLastIndex((line) => !line.startsWith("[")) + 1).join("\n")
}
