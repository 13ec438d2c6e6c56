/** Why a search could not be made at all. One that was made and is not complete is a result that says so. */
import * as Schema from "effect/Schema"

/** The engine cannot use what it is to look for; `message` is its own. */
export class PatternError extends Schema.TaggedError<PatternError>()("LocationSearch.PatternError", {
  part: Schema.Literals(["Pattern", "Glob"]),
  message: Schema.String
}) {}

/** The engine did not start, or did not end as it should. */
export class EngineError extends Schema.TaggedError<EngineError>()("LocationSearch.EngineError", {
  exitCode: Schema.optionalKey(Schema.Int)
}) {}

/** Files are looked for below a directory, and the target is a file. */
export class NotDirectoryError extends Schema.TaggedError<NotDirectoryError>()("LocationSearch.NotDirectoryError", {
  path: Schema.String
}) {}
