/** The envelopes of the Osaurus tool contract as schemas, those that we write and those that we read from others. */
import * as Schema from "effect/Schema"
import { open, Text, Texts } from "./fields.ts"
import { kinds } from "./osaurusColumn.ts"

/** Closed: it has no place for anything else. */
export const Success = Schema.Struct({
  ok: Schema.Literal(true),
  result: Schema.Json,
  tool: Text,
  warnings: Texts
})

/** Open: other keys are extensions. */
export const Failure = open({
  ok: Schema.Literal(false),
  kind: Schema.Literals(kinds),
  message: Schema.String,
  retryable: Schema.Boolean,
  field: Text,
  expected: Text,
  tool: Text
})

export const Envelope = Schema.Union([Success, Failure])
export type Envelope = typeof Envelope.Type

/** What is asked of a stranger's envelope: no more than it takes to tell what it says. */
export const Received = Schema.Union([
  open({ ok: Schema.Literal(true), result: Schema.Json, tool: Text, warnings: Texts }),
  open({
    ok: Schema.Literal(false),
    kind: Schema.Literals(kinds),
    message: Text,
    retryable: Schema.optionalKey(Schema.Boolean),
    field: Text,
    expected: Text,
    tool: Text,
    partial: Schema.optionalKey(Schema.Json),
    haft: Schema.optionalKey(Schema.Json)
  })
])
export type Received = typeof Received.Type
