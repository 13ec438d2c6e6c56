/** Why something could not be fetched. None of them carries a text of the network's: that could repeat a secret. */
import * as Schema from "effect/Schema"

/** What was asked for is no address of the web. Nothing was looked up. */
export class InvalidUrlError extends Schema.TaggedError<InvalidUrlError>()("LocationFetch.InvalidUrlError", {
  reason: Schema.Literals(["NotUrl", "Scheme", "Credentials", "TooLong", "HostTooLong"])
}) {}

/** It leads where no tool may go. Nothing was connected to, or the connection was closed before a byte was sent. */
export class ForbiddenError extends Schema.TaggedError<ForbiddenError>()("LocationFetch.ForbiddenError", {
  host: Schema.String,
  reason: Schema.Literals(["Address", "LocalName", "Port"])
}) {}

/** The name has no address, or nobody could tell. */
export class ResolveError extends Schema.TaggedError<ResolveError>()("LocationFetch.ResolveError", {
  host: Schema.String
}) {}

/** The other side did not answer as HTTP says. */
export class ConnectionError extends Schema.TaggedError<ConnectionError>()("LocationFetch.ConnectionError", {
  host: Schema.String,
  reason: Schema.Literals(["Refused", "Unreachable", "Reset", "Certificate", "Headers", "Flood", "Protocol"])
}) {}

/** A redirect that is not followed. */
export class RedirectError extends Schema.TaggedError<RedirectError>()("LocationFetch.RedirectError", {
  reason: Schema.Literals(["TooMany", "Target", "Downgrade"])
}) {}

/** The time for all of it is over. */
export class TimedOutError extends Schema.TaggedError<TimedOutError>()("LocationFetch.TimedOutError", {
  limitMs: Schema.Finite
}) {}

/** There is more; what came before was within the limit. */
export class TooLargeError extends Schema.TaggedError<TooLargeError>()("LocationFetch.TooLargeError", {
  maxBytes: Schema.Int
}) {}

/** The content is packed in a way that is not unpacked, is broken, or grows out of all proportion. */
export class EncodingError extends Schema.TaggedError<EncodingError>()("LocationFetch.EncodingError", {
  reason: Schema.Literals(["Unsupported", "Broken", "Ratio"])
}) {}

/** The page cannot be read within sensible limits. */
export class UnreadableError extends Schema.TaggedError<UnreadableError>()("Fetch.UnreadableError", {
  reason: Schema.Literals(["TooDeep", "Stopped"])
}) {}

/** Why there is no answer. */
export type FetchError =
  | InvalidUrlError
  | ForbiddenError
  | ResolveError
  | ConnectionError
  | RedirectError
  | TimedOutError
  | EncodingError

/** Why a body ends before its end. */
export type BodyError = ConnectionError | TimedOutError | TooLargeError | EncodingError
