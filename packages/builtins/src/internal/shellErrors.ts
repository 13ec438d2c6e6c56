/** Why a command did not run. One that ran and failed is a result. */
import * as Schema from "effect/Schema"

/** The program that isolates, or the shell, did not start. Nothing of the command ran. */
export class StartError extends Schema.TaggedError<StartError>()("LocationShell.StartError", {
  reason: Schema.Literals(["Sandbox", "Shell", "Exchanged", "Secret", "Protected", "NotConfined", "TooManyJobs"])
}) {}

/** The working directory is a file. */
export class NotDirectoryError extends Schema.TaggedError<NotDirectoryError>()("LocationShell.NotDirectoryError", {
  path: Schema.String
}) {}
