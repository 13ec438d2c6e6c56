/** Declarations about a tool that catalogs, policies and clients read. */
import * as Schema from "effect/Schema"

const Limit = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Annotations = Schema.Struct({
  /** For people, where the name is for models. */
  title: Schema.optionalKey(Schema.NonEmptyString),
  /** What calling again with the same input would do. */
  determinism: Schema.optionalKey(Schema.Literals(["pure", "idempotent", "side_effectful"])),
  /** It changes nothing before a permission was granted or `EffectSignal.starting` returned: a crash until then did nothing. */
  asksFirst: Schema.optionalKey(Schema.Boolean),
  operations: Schema.optionalKey(Schema.Array(Schema.Literals(["read", "write", "delete", "admin"]))),
  /** Dotted labels in lower case, such as `filesystem.read`. */
  capabilities: Schema.optionalKey(Schema.Array(Schema.String.check(Schema.isPattern(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/)))),
  risk: Schema.optionalKey(Schema.Literals(["low", "medium", "high", "critical"])),
  version: Schema.optionalKey(Schema.NonEmptyString),
  /** Each can only lower what the host allows. */
  limits: Schema.optionalKey(
    Schema.Struct({
      timeoutMs: Schema.optionalKey(Limit),
      concurrency: Schema.optionalKey(Limit),
      outputLines: Schema.optionalKey(Limit),
      outputBytes: Schema.optionalKey(Limit)
    })
  )
})
