/** What uicp responses tell. */
import * as SideEffect from "@haft/core/SideEffect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answer, Options } from "../Answer.ts"
import * as Slot from "../Slot.ts"
import { answerOf, brokenAnswer, type Told, unreadable } from "./answers.ts"
import { compact } from "./compact.ts"
import { checker, readText } from "./envelopes.ts"
import * as Column from "./uicpColumn.ts"
import { reserved } from "./uicpEncode.ts"
import { Received } from "./uicpEnvelopes.ts"
import { callIdOf } from "./uicpRequest.ts"

const check = checker({ contract: "uicp", envelope: "response" }, Received)

export const decode = (document: unknown, options: Options = {}): Answer =>
  Result.match(check(document), {
    onFailure: (error) => unreadable(error, options),
    onSuccess: (received) => read(received, options)
  })

const read = (received: Received, options: Options): Answer => {
  const { commit_token, error, status } = received
  if (status !== "success" && status !== "success_prep") return readFailure(received, status, error, options)
  if (typeof commit_token === "string" && commit_token !== "") return readPrepared(received, commit_token, options)
  return status === "success_prep" ? brokenAnswer({ what: "commit_token" }, options) : readSuccess(received, options)
}

const toldBy = (received: Received): Told => {
  const { call_id, metrics, provenance, warnings } = received
  const slot = slotIn(received)
  return compact({
    callId: call_id === undefined ? undefined : callIdOf(call_id, readText(slot, "callId")),
    toolName: readText(slot, "toolName") ?? provenance?.tool_id,
    toolId: provenance?.tool_id,
    version: provenance?.tool_version,
    digest: provenance?.digest,
    durationMs: metrics?.duration_ms,
    warnings: warnings ?? undefined
  })
}

const slotIn = ({ provenance }: Received): Schema.Json | undefined => provenance?.[Slot.key]

const isMutation = Schema.is(SideEffect.Mutation)

/** What the contract itself says that the call did. Something that is no mutation of ours still says that it did. */
const effectIn = ({ side_effects }: Received): SideEffect.SideEffect | undefined => {
  const effects = side_effects ?? []
  return effects.length === 0 ? undefined : SideEffect.committed(effects.filter(isMutation))
}

const fieldsIn = ({ output }: Received) => compact({ output })

const readSuccess = (received: Received, options: Options): Answer => {
  const effect = effectIn(received)
  return answerOf(
    {
      slot: slotIn(received),
      fits: ({ tag }) => Column.column[tag][0] === "success",
      fallback: effect === undefined ? "by-access" : "Success.Effect",
      isFinal: false,
      effect,
      fields: fieldsIn(received),
      told: toldBy(received)
    },
    options
  )
}

const readPrepared = (received: Received, commitToken: string, options: Options): Answer =>
  answerOf(
    {
      slot: slotIn(received),
      fits: ({ tag }) => tag === "Prepared",
      fallback: "Prepared",
      isFinal: false,
      fields: { ...fieldsIn(received), commitToken },
      told: toldBy(received)
    },
    options
  )

const readFailure = (
  received: Received,
  status: Exclude<Column.Status, "success" | "success_prep">,
  error: Received["error"],
  options: Options
): Answer => {
  const code = error?.code
  const isFinal = status !== "retryable_error"
  if (code === undefined || code === "") return brokenAnswer({ what: "error.code", isFinal }, options)
  const [fallback, details] = [Column.fallbackOf(status, code), error?.details ?? {}]
  return answerOf(
    {
      slot: slotIn(received),
      fits: ({ retry, tag }) => Column.statusOf(tag, retry) === status && Column.mayHaveCode(tag, retry, code),
      fallback,
      isFinal,
      effect: effectIn(received),
      message: error?.message,
      hint: readText(details, "fix_hint"),
      details:
        fallback === "Failure.Upstream" && !isNamed(details) ? { ...details, ...Column.upstreamOf(code) } : details,
      reserved: () => reserved.filter((key) => typeof details[key] === "string"),
      told: toldBy(received)
    },
    options
  )
}

/** Whether the details say themselves what failed upstream. */
const isNamed = (details: Schema.JsonObject): boolean => "status" in details || "cause" in details
