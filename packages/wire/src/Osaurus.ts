/**
 * The Osaurus tool contract, which models read: envelopes as schemas, outcomes in its words, and whether a text is such
 * an envelope. That is decided by parsing it, and never by what stands in it.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Decode from "./internal/osaurusDecode.ts"
import * as Encode from "./internal/osaurusEncode.ts"
import * as Envelopes from "./internal/osaurusEnvelopes.ts"

/** A success or a failure. The contract has no version, and no requests. */
export const Envelope = Envelopes.Envelope
export type Envelope = typeof Envelope.Type

/** What a host decides about failures that are nobody's business but its own. */
export type EncodeOptions = Encode.EncodeOptions

/** Total: a document that is no envelope gives an answer that says so. A success needs the host's journal to be exact. */
export const decode = Decode.decode

/** Interruption has no envelope, and operational failures have none unless the host surfaces them. */
export const encode = Encode.encode

/** Compact, `ok` first and the other keys sorted. */
export const stringify = ({ ok, ...rest }: Envelope): string => {
  const members = Object.entries(rest).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify({ ok, ...Object.fromEntries(members) })
}

const Detected = Schema.fromJsonString(
  Schema.Struct({
    ok: Schema.Boolean,
    result: Schema.optionalKey(Schema.Json),
    message: Schema.optionalKey(Schema.Json)
  })
)

/** A text that is no envelope is neither a success nor an error. */
const detect = Schema.decodeUnknownOption(Detected)

/** True for the text of a success envelope. */
export const isSuccess = (text: string): boolean => Option.exists(detect(text), ({ ok }) => ok)

/** True for the text of a failure envelope. */
export const isError = (text: string): boolean => Option.exists(detect(text), ({ ok }) => !ok)

/** The result of a success envelope. */
export const successPayload = (text: string): Option.Option<Schema.Json> =>
  Option.flatMap(detect(text), ({ ok, result }) => (ok ? Option.fromUndefinedOr(result) : Option.none()))

/** The message of a failure envelope; anything else comes back as it is. */
export const failureMessage = (text: string): string =>
  Option.match(detect(text), {
    onNone: () => text,
    onSome: ({ message, ok }) => (!ok && typeof message === "string" ? message : text)
  })
