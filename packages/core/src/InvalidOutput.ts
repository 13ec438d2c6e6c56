/** The executor succeeded with a value that its own output codec refuses. Our bug: the model never sees it. */
import * as Schema from "effect/Schema"
import { Violation } from "./InvalidInput.ts"

export class InvalidOutput extends Schema.TaggedError<InvalidOutput>()("InvalidOutput", {
  /** For the operator. Says where and what was expected, never what the value was, unless an author's check quotes it. */
  message: Schema.String,
  violations: Schema.Array(Violation),
  violationsOmitted: Schema.Int
}) {}
