/** Everything that a schema has against a configuration, for its author. */
import * as SchemaIssue from "effect/SchemaIssue"

export interface Fault {
  /** Keys from the outside in, with dots between them. */
  readonly path: string
  readonly message: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> =>
  format(issue).issues.map(({ message, path = [] }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    message
  }))
