/** What each error of a fetch becomes for a model. Every tag is here, and nothing else is caught. */
import type * as Permission from "@haft/core/Permission"
import * as ToolFailure from "@haft/core/ToolFailure"
import { invalidArgument } from "./failures.ts"
import type * as Errors from "./fetchErrors.ts"
import * as Sentences from "./fetchSentences.ts"

const field = "url"

/** For `Effect.catchTags` around an executor. */
export const failures = {
  "LocationFetch.InvalidUrlError": ({ reason }: Errors.InvalidUrlError) =>
    invalidArgument(field, Sentences.invalidUrl(reason), Sentences.invalidUrlHint),
  "LocationFetch.ForbiddenError": (error: Errors.ForbiddenError) =>
    ToolFailure.denied({
      by: "policy",
      message: Sentences.forbidden(error),
      hint: Sentences.forbiddenHint[error.reason],
      field
    }),
  "LocationFetch.ResolveError": ({ host }: Errors.ResolveError) =>
    ToolFailure.upstream({
      message: Sentences.unresolved(host),
      hint: Sentences.unresolvedHint,
      field,
      cause: "DNS"
    }),
  "LocationFetch.RedirectError": ({ reason }: Errors.RedirectError) =>
    ToolFailure.upstream({
      message: Sentences.redirectFailed(reason),
      hint: Sentences.redirectHint,
      field,
      cause: "REDIRECT"
    }),
  "LocationFetch.ConnectionError": (error: Errors.ConnectionError) => incomplete(error),
  "LocationFetch.TimedOutError": (error: Errors.TimedOutError) => incomplete(error),
  "LocationFetch.EncodingError": (error: Errors.EncodingError) => incomplete(error),
  "Fetch.UnreadableError": ({ reason }: Errors.UnreadableError) =>
    ToolFailure.dataInvalid({ message: Sentences.unreadable(reason), hint: Sentences.unreadableHint, field: "format" }),
  "Permission.DeniedError": (error: Permission.DeniedError) => ToolFailure.denied(error)
}

/** With what had come until then. */
export const incomplete = (
  error: Exclude<Errors.BodyError, Errors.TooLargeError>,
  partial = ""
): ToolFailure.ToolFailure => {
  const soFar = partial === "" ? {} : { partial }
  switch (error._tag) {
    case "LocationFetch.TimedOutError":
      return ToolFailure.timedOut({
        message: Sentences.timedOut(error.limitMs),
        hint: Sentences.timedOutHint,
        boundBy: "call",
        limitMs: error.limitMs,
        ...soFar
      })
    case "LocationFetch.ConnectionError":
      return ToolFailure.upstream({
        message: Sentences.connectionFailed(error),
        hint: Sentences.connectionHint,
        cause: error.reason.toUpperCase(),
        retry: { model: true },
        ...soFar
      })
    case "LocationFetch.EncodingError":
      return ToolFailure.dataInvalid({
        message: Sentences.badEncoding(error.reason),
        hint: Sentences.useAnother,
        ...soFar
      })
  }
}

/** An answer that is not what was asked for. What it says may help, and is shown as far as it is short. */
export const badStatus = (
  answer: { readonly url: string; readonly status: number; readonly retryAfterMs: number | undefined },
  partial: string
): ToolFailure.ToolFailure => {
  const { retryAfterMs, status, url } = answer
  const shared = {
    message: Sentences.badStatus(url, status),
    hint: Sentences.badStatusHint(status),
    field,
    ...(partial === "" ? {} : { partial })
  }
  const later = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (status === 404 || status === 410) return ToolFailure.notFound({ ...shared, resource: url })
  if (status === 401) return ToolFailure.authInvalid(shared)
  if (status === 403) return ToolFailure.authForbidden(shared)
  if (status === 429) return ToolFailure.rateLimited({ ...shared, ...later })
  const details = retryAfterMs === undefined ? {} : { details: { retryAfterMs } }
  return ToolFailure.upstream({ ...shared, ...details, status, retry: { model: status >= 500 } })
}
