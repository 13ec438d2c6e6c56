/** The ContextOS API contracts: tool calls and tool results as schemas, and outcomes in their words. */
import * as Answers from "./internal/contextosAnswer.ts"
import * as Calls from "./internal/contextosCall.ts"
import * as Envelopes from "./internal/contextosEnvelopes.ts"
import * as Results from "./internal/contextosResult.ts"

/** Asks for one governed call. Closed, except for `args` and `metadata`. */
export const ToolCall = Envelopes.ToolCall
export type ToolCall = typeof ToolCall.Type

/** Answers one governed call. Every field is always there, except for the session. */
export const ToolResult = Envelopes.ToolResult
export type ToolResult = typeof ToolResult.Type

/** What a result carries and an outcome does not know. */
export type ResultOptions = Results.ResultOptions

/** All violations, or the call that is asked for. An idempotency key may stand in two places, which have to agree. */
export const decodeRequest = Calls.decodeRequest

/** The call needs a run, a trace, the three modes, and an object as its input. */
export const encodeRequest = Calls.encodeRequest

/** Total: a document that is no result gives an answer that says so. */
export const decode = Answers.decode

/** Has an envelope for every outcome. */
export const encode = Results.encode

/** The answer to a call that could not be read, with whatever ids it had. */
export const refuse = Results.refuse
