/** What Orloj responses tell. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answer, Options } from "../Answer.ts"
import type { Tag } from "../Leaf.ts"
import type * as Slot from "../Slot.ts"
import * as TraceContext from "../TraceContext.ts"
import { answerOf, brokenAnswer, type Fallback, type Told, unreadable } from "./answers.ts"
import { isObject, saysBoxed, unbox } from "./boxes.ts"
import { compact } from "./compact.ts"
import { checker, type Kind, versioned } from "./envelopes.ts"
import { parseJson } from "./jsonText.ts"
import { column, fallbacks, reasons } from "./orlojColumn.ts"
import { reservedOf } from "./orlojEncode.ts"
import * as Envelopes from "./orlojEnvelopes.ts"
import { mergeTrace } from "./traces.ts"

const kind: Kind = { contract: "orloj", envelope: "response" }

const check = checker(kind, Envelopes.Received)

export const decoder = (shape: Envelopes.Shape) => {
  const checkAll = versioned(kind, Envelopes.versionsOf(shape), check)
  return (document: unknown, options: Options = {}): Answer =>
    Result.match(checkAll(document), {
      onFailure: (error) => unreadable(error, options),
      onSuccess: (received) => read(received, shape, options)
    })
}

/** An error belongs to every failure and to nothing else. */
const read = (received: Envelopes.Received, shape: Envelopes.Shape, options: Options): Answer => {
  const error = received.error ?? undefined
  if ((received.status === "ok") !== (error === undefined)) {
    return brokenAnswer({ what: "error", isFinal: error?.retryable === false }, options)
  }
  return error === undefined ? readSuccess(received, shape, options) : readFailure(received, error, options)
}

const toldBy = ({ haft, request_id, trace, usage }: Envelopes.Received): Told => {
  const hidden = isObject(haft) ? Option.getOrUndefined(decodeTrace(haft["trace"])) : undefined
  return compact({
    callId: request_id,
    durationMs: usage?.duration_ms,
    attemptCount: usage?.attempt,
    trace: mergeTrace(TraceContext.fromIDs(trace?.trace_id, trace?.span_id), hidden)
  })
}

const decodeTrace = Schema.decodeUnknownOption(TraceContext.Trace)

const readSuccess = (received: Envelopes.Received, shape: Envelopes.Shape, options: Options): Answer =>
  answerOf(
    {
      slot: received.haft,
      fits: ({ tag }) => column[tag][0] === "ok",
      fallback: "by-access",
      isFinal: false,
      fields: shape === "interop" ? parsedOutput(received.output, options) : outputOf(received),
      told: toldBy(received)
    },
    options
  )

const outputOf = ({ haft, output }: Envelopes.Received) => unbox(output, saysBoxed(haft))

/** The text is the output, or holds it. Whoever sends an object instead means the object. */
const parsedOutput = (output: Envelopes.Received["output"], { hasTextOutput }: Options) => {
  const result = output?.["result"]
  if (typeof result !== "string") return unbox(output, false)
  return { output: hasTextOutput === true ? result : Option.getOrElse(parseJson(result), () => result) }
}

type Failure = NonNullable<Envelopes.Received["error"]>

const readFailure = (received: Envelopes.Received, error: Failure, options: Options): Answer => {
  const code = error.code?.trim().toLowerCase() || "execution_failed"
  const isRetryable = error.retryable === true
  const details: Schema.JsonObject = { ...error.details, ...foreignReason(code, error.reason) }
  return answerOf(
    {
      slot: received.haft,
      fits: (slot) => isShownAs(slot, { status: received.status, code, isRetryable }),
      fallback: fallbackOf({ status: received.status, code, isRetryable }, details),
      isFinal: !isRetryable,
      message: error.message,
      hint: textOf(details["hint"]),
      details,
      reserved: (tag) => reservedOf(tag).filter((key) => typeof details[key] === "string"),
      told: toldBy(received)
    },
    options
  )
}

const textOf = (value: Schema.Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

const impliedReasons = new Map<string, string>(Object.entries(reasons))

/** A reason that its code does not imply says something of its own. */
const foreignReason = (code: string, reason: string | undefined): { readonly reason?: string } => {
  const implied = impliedReasons.get(code)
  return reason === undefined || reason === "" || implied === undefined || reason.toLowerCase() === implied
    ? {}
    : { reason }
}

interface Shown {
  readonly status: string
  readonly code: string
  readonly isRetryable: boolean
}

const isShownAs = ({ retry, tag }: Slot.Result, { code, isRetryable, status }: Shown): boolean =>
  column[tag][0] === status && column[tag][1] === code && (retry.runtime !== "never") === isRetryable

const fallbackOf = ({ code, isRetryable, status }: Shown, details: Schema.JsonObject): Fallback => {
  if (code === "permission_denied" && permissions.some((key) => key in details)) return "Denied.Permission"
  if (code === "invalid_input" && details["field"] === "tool_contract_version") return "Rejected.ContractVersion"
  return fallbacks.get(code) ?? otherwise(status, isRetryable)
}

const permissions = ["required", "required_any", "missing_roles"]

const otherwise = (status: string, isRetryable: boolean): Tag => {
  if (status === "denied") return "Denied.Policy"
  return isRetryable ? "Failure.Upstream" : "Failure.ExecutionFailed"
}

export const accepted = (callId: string, options: Options = {}): Answer =>
  answerOf(
    { slot: undefined, fits: () => true, fallback: "Pending.External", isFinal: false, told: { callId } },
    options
  )
