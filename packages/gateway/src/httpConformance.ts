/**
 * Runs the vectors of a contract against a server over HTTP, ours or anybody's. The server offers three tools that give
 * what they are asked for (`tools`, or three of its own that do the same); what the vectors expect of an outcome is
 * provoked with them, and what came back is compared.
 */
import type * as Tool from "@haft/core/Tool"
import * as Conformance from "@haft/wire/conformance"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import { provoked } from "./internal/conformanceAnswers.ts"
import * as Envelopes from "./internal/conformanceEnvelopes.ts"
import { type Refusal, refusals } from "./internal/conformanceRefusals.ts"
import { conformanceTools } from "./internal/conformanceTools.ts"
import { exchange } from "./internal/conformanceExchange.ts"

/** The server that is looked at. */
export interface Server {
  /** Where calls are sent to. */
  readonly url: string
  /** None for a server that lets everybody in. */
  readonly token?: Redacted.Redacted
  /** Whether it reads the extension slot of Orloj requests: idempotency keys and version ranges travel in it. */
  readonly readsSlots?: boolean
  /** What a body may have at most. That of the contract's example, unless it is another one. */
  readonly maxPayloadBytes?: number
}

/** What was found out. */
export interface Report {
  /** Names of vectors that got the answer that they expect. */
  readonly passed: ReadonlyArray<string>
  readonly failed: ReadonlyArray<Conformance.Mismatch>
  /** Names of vectors that nobody outside of a server can bring about, or that are about something else. */
  readonly skipped: ReadonlyArray<string>
}

/** For a registry that is to be looked at. They do nothing but answer. */
export const tools: Readonly<Record<string, Tool.Any>> = conformanceTools

/** Fails for a file that is about a contract that is not served over HTTP. */
export const run = Effect.fnUntraced(function* (
  file: Conformance.Vectors,
  server: Server
): Effect.fn.Return<Report, never, HttpClient.HttpClient> {
  const [passed, failed, skipped]: [Array<string>, Array<Conformance.Mismatch>, Array<string>] = [[], [], []]
  const note = (name: string, mismatches: ReadonlyArray<Conformance.Mismatch>) => {
    if (mismatches.length === 0) passed.push(name)
    else failed.push(...mismatches)
  }
  const contract = file.contract === "uicp" ? "uicp" : "orloj"
  for (const [index, vector] of file.vectors.entries()) {
    const now = yield* Clock.currentTimeMillis
    const envelopes = Envelopes.of(contract, vector, { index, now, readsSlots: server.readsSlots ?? true })
    if (Option.isNone(envelopes)) {
      skipped.push(vector.name)
      continue
    }
    const answer = yield* last(server, envelopes.value)
    note(vector.name, compared(file, vector, answer))
  }
  for (const refusal of refusals(contract, server)) note(refusal.name, yield* refused(server, refusal))
  return { passed, failed, skipped }
})

/** The answer to the last of several requests: the others prepare it. */
const last = Effect.fnUntraced(function* (server: Server, documents: ReadonlyArray<Schema.Json>) {
  let answer: Schema.Json | undefined
  for (const document of documents) {
    const { body, status } = yield* exchange(server, { body: JSON.stringify(document) })
    answer = status === 200 ? body : undefined
  }
  return answer
})

const compared = (
  file: Conformance.Vectors,
  vector: Conformance.Vector,
  answer: Schema.Json | undefined
): ReadonlyArray<Conformance.Mismatch> => {
  const expected = provoked(file.contract, vector)
  const asked: Conformance.Vector = { name: vector.name, operation: "request", envelope: {}, expected }
  // What is no answer is an answer without anything that is expected.
  return Conformance.check({ ...file, vectors: [asked] }, { request: () => answer ?? {} })
}

const refused = Effect.fnUntraced(function* (server: Server, { name, sent, status: expected }: Refusal) {
  const { status: received } = yield* exchange(server, sent)
  return received === expected ? [] : [{ vector: name, path: "/status", expected, received }]
})
