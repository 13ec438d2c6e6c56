/** The mapping table as data: written down once more, independently of the code. */
import { Leaf } from "@haft/wire"
import { Schema } from "effect"
import * as Fs from "node:fs"

const Row = Schema.Struct({
  tag: Schema.Literals(Leaf.tags),
  effects: Schema.Array(Schema.Literals(["NotStarted", "None", "Committed", "Unknown"])),
  modelVisible: Schema.Boolean,
  retry: Schema.Struct({ runtime: Schema.String, model: Schema.String }),
  orloj: Schema.Struct({
    envelope: Schema.optionalKey(Schema.Boolean),
    httpStatus: Schema.optionalKey(Schema.Int),
    status: Schema.optionalKey(Schema.String),
    code: Schema.optionalKey(Schema.String),
    reason: Schema.optionalKey(Schema.String),
    retryable: Schema.optionalKey(Schema.Boolean)
  }),
  uicp: Schema.Struct({
    status: Schema.String,
    code: Schema.optionalKey(Schema.String),
    codePrefix: Schema.optionalKey(Schema.String)
  }),
  contextos: Schema.Struct({ status: Schema.String, errorCode: Schema.NullOr(Schema.String) }),
  osaurus: Schema.Struct({
    envelope: Schema.optionalKey(Schema.Boolean),
    ok: Schema.optionalKey(Schema.Boolean),
    kind: Schema.optionalKey(Schema.String),
    retryable: Schema.optionalKey(Schema.Boolean)
  }),
  text: Schema.optionalKey(Schema.Struct({ message: Schema.String, hint: Schema.String }))
})
export type Row = typeof Row.Type

const Texts = Schema.Array(Schema.String)

const Table = Schema.Struct({
  vocabulary: Schema.Struct({
    orlojStatus: Texts,
    orlojCode: Texts,
    orlojReason: Texts,
    uicpStatus: Texts,
    uicpClass: Texts,
    contextosStatus: Texts,
    osaurusKind: Texts
  }),
  osaurusDefaultRetryable: Schema.Record(Schema.String, Schema.Boolean),
  outcomes: Schema.Array(Row),
  vectors: Schema.Struct({
    uuidV5: Schema.Struct({ cases: Schema.Array(Schema.Struct({ callId: Schema.String, uuid: Schema.String })) }),
    traceId: Schema.Array(Schema.Struct({ hex: Schema.String, dashed: Schema.String })),
    idempotencyKey: Schema.Array(
      Schema.Struct({
        toolId: Schema.String,
        fn: Schema.String,
        input: Schema.Json,
        versionRange: Schema.String,
        canonical: Schema.String,
        key: Schema.String
      })
    )
  })
})

const file = new URL("../fixtures/outcomes.json", import.meta.url)

export const table = Schema.decodeUnknownSync(Schema.fromJsonString(Table))(Fs.readFileSync(file, "utf8"))

export const rowOf = (tag: Leaf.Tag): Row => {
  const row = table.outcomes.find((row) => row.tag === tag)
  if (row === undefined) throw new Error(`The table has no row for ${tag}`)
  return row
}
