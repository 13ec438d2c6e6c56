/** What a uicp tool says about itself in `tool.yaml`, and which builds a project has settled on in `lock.yaml`. */
import * as Schema from "effect/Schema"
import { Count, open, Text, Texts } from "./internal/fields.ts"
import { ToolID } from "./internal/uicpEnvelopes.ts"
import { Mode } from "./RunContext.ts"

const Digest = Schema.String.check(
  Schema.isPattern(/^sha256:[0-9a-f]{64}$/u, { expected: "sha256: and 64 lower-case hex digits" })
)

const Version = Schema.String.check(
  Schema.isPattern(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/u, {
    expected: "an exact version such as 1.4.2"
  })
)

/** Other schemes could mean anything. */
const Probe = Schema.optionalKey(
  Schema.String.check(Schema.isPattern(/^cmd:\s*\S/u, { expected: "cmd: and a command" }))
)

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** What Haft wants to know and the contract does not ask. */
const Extension = open({
  risk_level: Schema.optionalKey(Schema.Literals(["low", "medium", "high", "critical"])),
  operation_classes: Schema.optionalKey(Schema.Array(Schema.Literals(["read", "write", "delete", "admin"]))),
  capability_labels: Texts,
  approval_mode_highest: Schema.optionalKey(Mode),
  isolation_mode: Schema.optionalKey(Schema.Literals(["none", "sandboxed", "container", "wasm"]))
})

/** Keys that are not known are refused, unless they begin with `x-`. */
export const Manifest = Schema.StructWithRest(
  Schema.Struct({
    tool_id: ToolID,
    semver: Version,
    digest: Digest,
    owner: Schema.NonEmptyString,
    description: Schema.String,
    /** What is side-effectful has to work in two phases. */
    determinism: Schema.Literals(["pure", "idempotent", "side_effectful"]),
    capabilities: Schema.optionalKey(Schema.Struct({ fs: Texts, net_allowlist: Texts, env: Texts })),
    limits: Schema.Struct({
      timeout_ms_default: Positive,
      timeout_ms_max: Positive,
      memory_mb_max: Schema.optionalKey(Positive),
      concurrency_max: Schema.optionalKey(Positive)
    }),
    slo: Schema.optionalKey(
      Schema.Struct({
        success_rate_min: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
        p95_latency_ms_max: Schema.optionalKey(Count)
      })
    ),
    health: Schema.optionalKey(Schema.Struct({ readiness: Probe, liveness: Probe })),
    errorspec: Text,
    schema: Schema.Struct({ request: Schema.String, response: Schema.String }),
    "x-haft": Schema.optionalKey(Extension)
  }),
  [Schema.Record(Schema.TemplateLiteral(["x-", Schema.String]), Schema.Json)]
)
export type Manifest = typeof Manifest.Type

/** One tool that may run in exactly one build. */
export const Locked = Schema.Struct({
  range: Schema.String,
  version: Version,
  digest: Digest,
  manifest_digest: Digest,
  definition_digest: Digest
})
export type Locked = typeof Locked.Type

/** By tool id. */
export const Lock = Schema.Struct({ lock_version: Schema.Literal(1), tools: Schema.Record(ToolID, Locked) })
export type Lock = typeof Lock.Type
