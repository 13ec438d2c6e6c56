/** What a provider's refusal means. Decided by status and code, never by reading what it says. */
import * as JsonText from "@haft/core/JsonText"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Model from "../Model.ts"
import * as Sentences from "./sentences.ts"

/** Who is asked, as far as errors are concerned. */
export interface Provider {
  readonly provider: string
  readonly apiKey: Redacted.Redacted | undefined
}

/** What a provider says about an error, in a body or in the middle of an answer. */
export const Said = Schema.Struct({
  type: Schema.optionalKey(Schema.NullOr(Schema.String)),
  code: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))),
  message: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type Said = typeof Said.Type

const decodeBody = Schema.decodeUnknownResult(Schema.Struct({ error: Said }))

/** Codes that say more than a status. */
const byCode: ReadonlyMap<string, Model.Reason> = new Map([
  ["authentication_error", "Unauthorized"],
  ["permission_error", "Unauthorized"],
  ["invalid_api_key", "Unauthorized"],
  ["billing_error", "OutOfQuota"],
  ["insufficient_quota", "OutOfQuota"],
  ["rate_limit_error", "RateLimited"],
  ["rate_limit_exceeded", "RateLimited"],
  ["overloaded_error", "Overloaded"],
  ["context_length_exceeded", "TooLong"],
  ["request_too_large", "TooLong"],
  ["api_error", "ServerError"],
  ["server_error", "ServerError"],
  ["timeout_error", "ServerError"],
  ["invalid_request_error", "InvalidRequest"],
  ["not_found_error", "InvalidRequest"]
])

const byStatus: ReadonlyMap<number, Model.Reason> = new Map([
  [401, "Unauthorized"],
  [402, "OutOfQuota"],
  [403, "Unauthorized"],
  [408, "ServerError"],
  [413, "TooLong"],
  [429, "RateLimited"],
  [503, "Overloaded"],
  [529, "Overloaded"]
])

/** An answer with a status that is none of success. */
export const refused = (
  provider: Provider,
  answer: { readonly status: number; readonly text: string; readonly retryAfterMs: number | undefined }
): Model.ModelError => {
  const { retryAfterMs, status, text } = answer
  const body = Result.flatMap(JsonText.read(text), decodeBody)
  const said = Result.isSuccess(body) ? body.success.error : {}
  const error = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  return made(provider, reasonOf(said, status), { ...error, said })
}

/** An error in the middle of an answer. */
export const failed = (provider: Provider, said: Said): Model.ModelError =>
  made(provider, reasonOf(said, undefined), { said })

/** An error that no provider has a word for. */
export const broken = (provider: Provider, reason: Model.Reason): Model.ModelError => made(provider, reason, {})

/** A type is often the family of a status; a code is always more. */
const reasonOf = ({ code, type }: Said, status: number | undefined): Model.Reason => {
  const known = byCode.get(String(code)) ?? (status === undefined ? undefined : byStatus.get(status))
  if (known !== undefined) return known
  if (status !== undefined) return status >= 500 ? "ServerError" : (byCode.get(String(type)) ?? "InvalidRequest")
  return byCode.get(String(type)) ?? "ServerError"
}

const made = (
  provider: Provider,
  reason: Model.Reason,
  { said, ...rest }: { readonly status?: number; readonly retryAfterMs?: number; readonly said?: Said }
): Model.ModelError => {
  const detail = reason === "Unauthorized" ? undefined : detailOf(provider, said?.message ?? undefined)
  return new Model.ModelError({
    provider: provider.provider,
    reason,
    message: Sentences.modelErrors[reason],
    ...rest,
    ...(detail === undefined ? {} : { detail })
  })
}

/** Enough for a sentence or two; what is longer quotes the request. */
const maxDetailLength = 500

const detailOf = ({ apiKey }: Provider, message: string | undefined): string | undefined => {
  if (message === undefined || message.trim() === "") return undefined
  const key = apiKey === undefined ? "" : Redacted.value(apiKey)
  const scrubbed = key === "" ? message : message.replaceAll(key, String(Redacted.make("")))
  return scrubbed.length <= maxDetailLength ? scrubbed : `${scrubbed.slice(0, maxDetailLength).toWellFormed()}…`
}
