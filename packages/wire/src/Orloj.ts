/**
 * The Orloj Tool Contract v1: requests and responses as schemas, and outcomes in its words. The document's shape is the
 * default; `interop` is the narrower one that the Go implementation reads and writes.
 */
import type * as Result from "effect/Result"
import type { Answer, Options } from "./Answer.ts"
import type { CallRequest } from "./CallRequest.ts"
import type { Encoded } from "./Contract.ts"
import type { DecodeError, Unencodable } from "./EnvelopeError.ts"
import * as Decode from "./internal/orlojDecode.ts"
import * as Encode from "./internal/orlojEncode.ts"
import * as Envelopes from "./internal/orlojEnvelopes.ts"
import * as Requests from "./internal/orlojRequest.ts"
import type { Outcome } from "./Outcome.ts"

/** Asks for one execution. Fields that are not known may be there: the contract grows by adding. */
export const Request = Envelopes.Request
export type Request = typeof Request.Type

/** Answers as the document has them: outputs are objects, and details are any JSON. */
export const Response = Envelopes.Response
export type Response = typeof Response.Type

/** Answers as the Go implementation has them: an output is one text, and details are texts by name. */
export const InteropResponse = Envelopes.InteropResponse
export type InteropResponse = typeof InteropResponse.Type

/** Which of the two forms of the contract the other side speaks. */
export interface Settings {
  readonly shape?: "document" | "interop"
}

/** The contract in one shape. Nothing here throws. */
export interface Codec {
  readonly decodeRequest: (document: unknown) => Result.Result<CallRequest, DecodeError>
  readonly encodeRequest: (request: CallRequest) => Result.Result<Request, Unencodable>
  /** Total: a document that is no response gives an answer that says so. */
  readonly decode: (document: unknown, options?: Options) => Answer
  readonly encode: (outcome: Outcome) => Encoded<Response | InteropResponse>
  /** The answer to a request that could not be read, with whatever ids it had. */
  readonly refuse: (document: unknown, error: DecodeError) => Response | InteropResponse
  /** What a bare HTTP status 202 says about a call. */
  readonly accepted: (callId: string, options?: Options) => Answer
}

/** Build it once and keep it. */
export const make = ({ shape = "document" }: Settings = {}): Codec => ({
  decodeRequest: Requests.decoder(shape),
  encodeRequest: Requests.encoder(shape),
  decode: Decode.decoder(shape),
  encode: Encode.encoder(shape),
  refuse: Encode.refuser(shape),
  accepted: Decode.accepted
})
