/** The uicp tool contract: requests and responses as schemas, and outcomes in its words. */
import * as Decode from "./internal/uicpDecode.ts"
import * as Encode from "./internal/uicpEncode.ts"
import * as Envelopes from "./internal/uicpEnvelopes.ts"
import * as Requests from "./internal/uicpRequest.ts"

/** Asks for one call. Closed at its top, open in context, constraints and provenance. */
export const Request = Envelopes.Request
export type Request = typeof Request.Type

/** Answers one call. Closed at its top; `success_prep` is the first of two phases. */
export const Response = Envelopes.Response
export type Response = typeof Response.Type

/** What the contract demands of a request and a call may not have. */
export type RequestOptions = Requests.RequestOptions

/** All violations, or the call that is asked for. The contract has no version. */
export const decodeRequest = Requests.decodeRequest

/** Time limit and deadline have to be resolved: a codec has no clock. A missing idempotency key is derived. */
export const encodeRequest = Requests.encodeRequest

/** Total: a document that is no response gives an answer that says so. */
export const decode = Decode.decode

/** Has an envelope for every outcome. */
export const encode = Encode.encode

/** The answer to a request that could not be read, with whatever ids it had. */
export const refuse = Encode.refuse
