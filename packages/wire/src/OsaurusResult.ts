/** The forms that Osaurus gives to the results of common tools, for whoever wants to show more than JSON. */
import * as Schema from "effect/Schema"
import { Count, open } from "./internal/fields.ts"

/** Something to read. */
export const Prose = Schema.Struct({ text: Schema.String })

/** A directory. The path of each entry is an argument for the next call as it stands. */
export const Listing = Schema.Struct({
  kind: Schema.Literal("listing"),
  path: Schema.String,
  entries: Schema.Array(
    Schema.Struct({ name: Schema.String, path: Schema.String, type: Schema.Literals(["file", "directory"]) })
  ),
  entry_count: Count,
  truncated: Schema.Boolean
})

/** A file, with whatever else is known about its lines and bytes. */
export const File = open({ kind: Schema.Literal("file"), text: Schema.String, path: Schema.String })

/** A command that ended, by itself or because somebody stopped it. */
export const Process = Schema.Struct({
  stdout: Schema.String,
  stderr: Schema.String,
  exit_code: Schema.Int,
  cwd: Schema.String,
  killed_by: Schema.optionalKey(Schema.Literal("user"))
})

/** A command that goes on by itself. */
export const Background = Schema.Struct({
  pid: Schema.Int,
  log_file: Schema.String,
  cwd: Schema.String,
  background: Schema.Literal(true)
})

export const OsaurusResult = Schema.Union([Prose, Listing, File, Process, Background])
export type OsaurusResult = typeof OsaurusResult.Type
