/** How questions end, and why there is no answer or why one is not taken. */
import * as Schema from "effect/Schema"

/**
 * How questions came to their end: by an answer or a refusal to answer, because the host can ask nobody, without an answer in
 * time, because their call was interrupted or the Location closed.
 */
export const Ending = Schema.Literals(["answered", "dismissed", "unattended", "expired", "withdrawn", "closed"])
export type Ending = typeof Ending.Type

/** There are no such questions in this session and Location, and as far as is known there never were. */
export class UnknownError extends Schema.TaggedError<UnknownError>()("Questions.UnknownError", {
  id: Schema.String
}) {}

/** The questions were over before this came, and it changed nothing. */
export class EndedError extends Schema.TaggedError<EndedError>()("Questions.EndedError", {
  id: Schema.String,
  as: Ending
}) {}

/** The answers do not fit the questions, which still wait. `index` is that of the question. */
export class InvalidAnswerError extends Schema.TaggedError<InvalidAnswerError>()("Questions.InvalidAnswerError", {
  index: Schema.Int,
  reason: Schema.Literals(["Missing", "TooMany", "UnknownOption", "Several", "NotCustom", "TooLong"])
}) {}

/** There is no answer, and why. */
export class UnansweredError extends Schema.TaggedError<UnansweredError>()("Questions.UnansweredError", {
  reason: Schema.Literals(["unattended", "dismissed", "expired", "closed"]),
  /** What the person wants the model to do instead. */
  feedback: Schema.optionalKey(Schema.String),
  limitMs: Schema.Finite
}) {}
