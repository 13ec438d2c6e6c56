/**
 * A gateway in the words of a published contract: reads a call, governs it, and answers in the same contract. What cannot
 * be read is answered in the contract, too, and reaches no tool.
 */
import * as JsonText from "@haft/core/JsonText"
import type { CallRequest } from "@haft/wire/CallRequest"
import * as ContextOs from "@haft/wire/ContextOs"
import * as Contract from "@haft/wire/Contract"
import type { DecodeError } from "@haft/wire/EnvelopeError"
import * as Orloj from "@haft/wire/Orloj"
import * as Osaurus from "@haft/wire/Osaurus"
import * as Outcome from "@haft/wire/Outcome"
import * as Uicp from "@haft/wire/Uicp"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Budgets from "./Budgets.ts"
import type * as Gateway from "./Gateway.ts"
import { compact } from "./internal/compact.ts"

/** Answers a document from outside. Nothing is known about it but that somebody sent it. */
export type Front<Envelope> = (
  document: unknown,
  options?: Gateway.CallOptions
) => Effect.Effect<Contract.Encoded<Envelope>>

interface Codec<Envelope> {
  readonly decodeRequest: (document: unknown) => Result.Result<CallRequest, DecodeError>
  readonly encode: (outcome: Outcome.Outcome, request: CallRequest) => Contract.Encoded<Envelope>
  readonly refuse: (document: unknown, error: DecodeError) => Envelope
}

const make =
  <Envelope>({ decodeRequest, encode, refuse }: Codec<Envelope>) =>
  (gateway: Gateway.Interface): Front<Envelope> =>
  (document, options) =>
    Effect.suspend(() => {
      const request = decodeRequest(document)
      if (Result.isFailure(request)) return Effect.succeed(Contract.envelope(refuse(document, request.failure)))
      return Effect.map(called(gateway, request.success, options), (outcome) => encode(outcome, request.success))
    })

/**
 * Whoever speaks a contract is not the host: what is an error of the host's is an answer for them, and told to the host. An
 * interruption or another defect beside it passes through.
 */
const called = (
  gateway: Gateway.Interface,
  request: CallRequest,
  options: Gateway.CallOptions | undefined
): Effect.Effect<Outcome.Outcome> =>
  Effect.catchCause(gateway.call(request, options), (cause) => {
    const [exhausted] = cause.reasons
    if (cause.reasons.length !== 1 || exhausted === undefined || !isExhausted(exhausted)) return Effect.failCause(cause)
    const { outcome } = exhausted.defect
    return Effect.as(Effect.logError("The budget of a run is used up", exhausted.defect), outcome)
  })

const isExhausted = (reason: Cause.Reason<never>): reason is Cause.Die & { readonly defect: Budgets.ExhaustedError } =>
  Cause.isDieReason(reason) && reason.defect instanceof Budgets.ExhaustedError

/** Orloj Tool Contract v1, in either of its shapes. */
export const orloj = (
  gateway: Gateway.Interface,
  settings?: Orloj.Settings
): Front<Orloj.Response | Orloj.InteropResponse> => make(Orloj.make(settings))(gateway)

/** The uicp tool contract. */
export const uicp: (gateway: Gateway.Interface) => Front<Uicp.Response> = make({
  decodeRequest: Uicp.decodeRequest,
  encode: (outcome) => Contract.envelope(Uicp.encode(outcome)),
  refuse: Uicp.refuse
})

/** The ContextOS API contracts. */
export const contextos: (gateway: Gateway.Interface) => Front<ContextOs.ToolResult> = make({
  decodeRequest: ContextOs.decodeRequest,
  encode: (outcome, { runId, sessionId }) =>
    Contract.envelope(ContextOs.encode(outcome, compact({ runId, sessionId }))),
  refuse: ContextOs.refuse
})

/** Osaurus has no request envelope: a call is what a model wrote. */
export interface ModelCall {
  readonly callId: string
  readonly tool: string
  /** Text is JSON that nobody has parsed yet. */
  readonly arguments: Schema.Json
}

/** The Osaurus tool contract. */
export const osaurus =
  (gateway: Gateway.Interface, settings?: Osaurus.EncodeOptions) =>
  (call: ModelCall, options?: Gateway.CallOptions): Effect.Effect<Contract.Encoded<Osaurus.Envelope>> =>
    Effect.map(called(gateway, requestOf(call), options), (outcome) => Osaurus.encode(outcome, settings))

const requestOf = ({ arguments: input, callId, tool }: ModelCall): CallRequest => ({
  callId,
  toolName: tool,
  fn: Outcome.defaultFn,
  // What is no JSON stays the text that it is, and is refused with everything that is wrong with it.
  input: typeof input === "string" ? Result.getOrElse(JsonText.read(input), () => input) : input,
  scopes: [],
  principalChain: [],
  evidenceRefs: [],
  dryRun: false,
  attempt: 1
})
