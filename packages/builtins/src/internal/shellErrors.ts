/** Why a command did not run, or why what it did does not count. One that ran and failed is a result. */
import * as Schema from "effect/Schema"

/** The program that isolates, or the shell, did not start. Nothing of the command ran. */
export class StartError extends Schema.TaggedError<StartError>()("LocationShell.StartError", {
  reason: Schema.Literals(["Sandbox", "Shell", "Exchanged", "Secret", "TooManyJobs"])
}) {}

/** The command made files that turn into code later. They were moved aside. */
export class ProtectedPathError extends Schema.TaggedError<ProtectedPathError>()("LocationShell.ProtectedPathError", {
  /** Each with the path at which it now is. */
  moved: Schema.Array(Schema.Struct({ from: Schema.String, to: Schema.String }))
}) {}

/** The working directory is a file. */
export class NotDirectoryError extends Schema.TaggedError<NotDirectoryError>()("LocationShell.NotDirectoryError", {
  path: Schema.String
}) {}
