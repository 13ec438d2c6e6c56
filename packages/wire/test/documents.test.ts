import { assert, describe, it } from "@effect/vitest"
import { type Contract, Envelope, RunContext, TraceContext } from "@haft/wire"
import { Option, Result, Schema } from "effect"
import { admits } from "./support/validators.ts"

const chain = [
  { kind: "user", id: "usr_1", tenant_id: "acme" },
  { kind: "agent", id: "agent:acme/refunds@1.2.0", tenant_id: "acme", display: "Refunds" }
]

const claim = { version: "ctxid/1", sub: "agent:acme/refunds@1.2.0", run_id: "run_1", claim_hash: "sha256:ab" }

const agent = {
  agent_id: "agt_1",
  agent_urn: "agent:acme/refunds@1.2.0",
  workload_identity: "spiffe://acme/agents/refunds",
  identity_claim: claim
}

const user = {
  user_id: "usr_1",
  delegation: { auth_type: "oauth2", scopes: ["payments.refund"], subject: "u:1", token_ref: "tok_1" },
  tenure_days: 12
}

const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

const runContext = {
  run_id: "run_1",
  trace_id: traceID,
  tenant_id: "acme",
  user,
  agent: { ...agent, principal_chain: chain },
  safety_mode: "delegated",
  run_budget: { total_tokens: 100, bucket_tokens: { policy: 1 }, max_tool_calls: 8, max_cost_cents: 25.5 },
  metadata: {}
}

const invokeAgent = {
  request_id: "req_1",
  tenant_id: "acme",
  user,
  agent,
  context_pack_refs: ["ctxpack.refunds@5.2.0"],
  input: { intent: "refund", message: "Refund order 881" },
  mode: "stream",
  runtime: { plan_timeout_ms: 15000, max_session_duration_ms: 60000, max_tool_calls: 8, max_cost_cents: 25 },
  attachments: [{ artifact_id: "a", media_type: "application/pdf", sha256: "ab", uri: "s3://a" }],
  trace: { trace_id: traceID, span_id: "00f067aa0ba902b7", trace_flags: "01" }
}

const controls = { must_refuse: [], must_escalate: [], approval_gates_active: ["G"], redaction_rules_active: [] }

const decisionRecord = {
  record_id: "dr_1",
  decision_key: "tool.search.web.query",
  decision_version: "1.0.0",
  timestamp: "2026-05-04T09:31:42Z",
  status: "DECIDED",
  actor: { type: "AGENT", id: "agt_1" },
  agent_identity: { subject: "agent:acme/refunds@1.2.0", claim_hash: "sha256:ab", principal_chain: chain },
  subject_ids: ["order:881"],
  inputs_refs: { request: "req_1", session: "sess_1" },
  outputs: {},
  evidence_refs: ["tool:search.web:tc_1"],
  policy_decisions: [{ policy_decision_id: "pol_1", rule_ids: ["R1"] }],
  approvals: [
    {
      gate_id: "G",
      approver: "lead",
      approval_mode_effective: "destructive",
      decided_at: "2026-05-04T09:31:30.5+02:00"
    }
  ],
  controls_active: controls,
  confidence: 0.95,
  rationale: { strategy: "policy", alternatives_considered: [] },
  budget_usage: { tokens: 4720, tool_calls: 4, cost_usd_cents: 0.91, wall_clock_ms: 1840 },
  lineage: { pack_version: "p@1.0.0" },
  trace_id: traceID
}

const digest = `sha256:${"ab".repeat(32)}`

const manifest = {
  tool_id: "search.web",
  semver: "1.4.2",
  digest,
  owner: "@team-search",
  description: "Searches",
  determinism: "idempotent",
  capabilities: { fs: [], net_allowlist: ["https://*.example.org"], env: ["HTTP_PROXY"] },
  limits: { timeout_ms_default: 15000, timeout_ms_max: 60000, concurrency_max: 32 },
  slo: { success_rate_min: 0.995, p95_latency_ms_max: 2000 },
  health: { readiness: "cmd:./health --ready" },
  schema: { request: "schema/request.json", response: "schema/response.json" },
  "x-haft": { risk_level: "low", approval_mode_highest: "network" },
  "x-other": 1
}

const locked = { range: "1.x", version: "1.4.2", digest, manifest_digest: digest, definition_digest: digest }

type Document = readonly [contract: Contract.Contract, name: string, valid: object, invalid: ReadonlyArray<object>]

const documents: ReadonlyArray<Document> = [
  [
    "contextos",
    "run-context",
    runContext,
    [
      { ...runContext, trace_id: "trace-1" },
      { ...runContext, safety_mode: "wild" },
      { ...runContext, agent },
      { ...runContext, extra: 1 }
    ]
  ],
  [
    "contextos",
    "invoke-agent",
    invokeAgent,
    [
      { ...invokeAgent, context_pack_refs: [] },
      { ...invokeAgent, context_pack_refs: ["ctxpack.refunds"] },
      { ...invokeAgent, mode: "later" }
    ]
  ],
  [
    "contextos",
    "decision-record",
    decisionRecord,
    [
      { ...decisionRecord, status: "decided" },
      { ...decisionRecord, timestamp: "yesterday" },
      { ...decisionRecord, approvals: [{ gate_id: "G" }] }
    ]
  ],
  [
    "contextos",
    "budget-report",
    {
      tokens_allocated: { policy: 1, tool: 2 },
      tokens_used_at_compile: 3,
      tokens_used_by_bucket: { policy: 1 },
      bucket_truncations: { evidence: true },
      dropped_block_ids: { evidence: ["ev_1"] },
      warnings: ["full"]
    },
    [{}]
  ],
  [
    "contextos",
    "context-ledger",
    {
      pack_ref: "p@1.0.0",
      request_id: "r",
      policy_bundles: [],
      tools: ["t"],
      evidence_refs: [],
      memory_refs: [],
      budget: { tokens_used_at_compile: 1, truncated_buckets: [] },
      compiled_context_hash: "sha256:ab"
    },
    [{ pack_ref: 1 }]
  ],
  [
    "contextos",
    "manifests",
    {
      policy_manifest: [{ bundle_id: "b", rule_ids: [] }],
      tool_manifest: [
        {
          adapter_id: "a",
          capabilities: ["c"],
          capability_metadata: {
            c: { kind: "write", risk_level: "high", approval_mode: "destructive", source: "registry" }
          }
        }
      ],
      evidence_manifest: [{ evidence_ref: "e" }]
    },
    [{ policy_manifest: [], tool_manifest: [{}], evidence_manifest: [] }]
  ],
  ["contextos", "trace-context", { traceparent: "00-x", tracestate: "a=b", baggage: "c=d" }, [{ tracestate: "a" }]],
  [
    "osaurus",
    "result",
    {
      kind: "listing",
      path: "notes",
      entries: [{ name: "a.md", path: "notes/a.md", type: "file" }],
      entry_count: 1,
      truncated: false
    },
    [{ kind: "tree" }, { text: 1 }]
  ],
  ["osaurus", "result", { kind: "file", text: "a", path: "a.md", lines: 1 }, []],
  ["osaurus", "result", { stdout: "", stderr: "", exit_code: 143, cwd: "/", killed_by: "user" }, []],
  ["osaurus", "result", { pid: 7, log_file: "7.log", cwd: "/", background: true }, []],
  [
    "uicp",
    "manifest",
    manifest,
    [
      { ...manifest, tool_id: "Search" },
      { ...manifest, semver: "1.x" },
      { ...manifest, digest: "sha256:short" },
      { ...manifest, health: { readiness: "http://localhost" } },
      { ...manifest, surprise: 1 }
    ]
  ],
  [
    "uicp",
    "lock",
    { lock_version: 1, tools: { "search.web": locked } },
    [
      { lock_version: 2, tools: {} },
      { lock_version: 1, tools: { Search: locked } }
    ]
  ]
]

describe.each(documents)("%s %s", (contract, name, valid, invalid) => {
  const schemas: Readonly<Record<string, Schema.Codec<unknown>>> = Envelope.schemas[contract]
  const is = (document: object) => Schema.is(schemas[name] ?? Schema.Never)(document)

  it("takes a document of the contract", () => {
    assert.isTrue(is(valid))
    assert.isTrue(admits(`${contract}.${name}`, valid))
  })

  it("refuses what is none, and so does the JSON Schema", () => {
    for (const document of invalid) assert.isFalse(admits(`${contract}.${name}`, document), JSON.stringify(document))
  })
})

describe("a check by name", () => {
  it("names everything that is wrong", () => {
    const check = Envelope.makeCheck("uicp", "manifest")
    assert.isTrue(Result.isSuccess(check(manifest)))
    const refused = check({ ...manifest, semver: "one", digest: 5, surprise: 1 })
    assert.deepStrictEqual(Result.isFailure(refused) ? refused.failure.violations.map(({ path }) => path) : [], [
      "surprise",
      "semver",
      "digest"
    ])
  })
})

describe("a run context", () => {
  it("knows a claim that could be verified from one that could not", () => {
    const whole = { ...claim, iss: "i", tenant_id: "acme", principal_chain: [], scopes: [], nbf: 1, exp: 2, kid: "k" }
    const isComplete = (claim: object) =>
      RunContext.isComplete(Schema.decodeUnknownSync(RunContext.IdentityClaim)(claim))
    assert.isFalse(isComplete(claim))
    assert.isTrue(isComplete(whole))
    assert.isFalse(isComplete({ ...whole, version: "ctxid/2" }))
  })

  it("has the budget that the request asked for", () => {
    const request = Schema.decodeUnknownSync(RunContext.InvokeAgent)(invokeAgent)
    assert.deepStrictEqual(RunContext.budgetOf(request), {
      max_tool_calls: 8,
      max_cost_cents: 25,
      wall_clock_ms: 60000,
      plan_timeout_ms: 15000
    })
  })
})

describe("baggage", () => {
  it("is forwarded as it came, with the members that it lacks behind it", () => {
    const members = { session_id: "s 1", run_id: "run_1" }
    assert.strictEqual(TraceContext.addBaggage(undefined, members), "session_id=s%201,run_id=run_1")
    assert.strictEqual(
      TraceContext.addBaggage("a=b;p=1, run_id = other ,c", members),
      "a=b;p=1, run_id = other ,c,session_id=s%201"
    )
    assert.strictEqual(TraceContext.addBaggage("run_id=x,session_id=y", members), "run_id=x,session_id=y")
  })
})

describe("a traceparent", () => {
  const parent = { traceId: traceID, spanId: "b9c7c989f97918e1", sampled: true }

  it("is written as version 00 and read back", () => {
    const header = `00-${traceID}-b9c7c989f97918e1-01`
    assert.strictEqual(TraceContext.format(parent), header)
    assert.deepStrictEqual(TraceContext.parse(header), Option.some(parent))
    assert.deepStrictEqual(
      TraceContext.parse(TraceContext.format({ ...parent, sampled: false })),
      Option.some({ ...parent, sampled: false })
    )
  })

  it("of a later version is read by its first four fields", () => {
    for (const rest of ["", "-what-comes-later"]) {
      assert.deepStrictEqual(TraceContext.parse(`cc-${traceID}-b9c7c989f97918e1-03${rest}`), Option.some(parent))
    }
  })

  it.each([
    "",
    `ff-${traceID}-b9c7c989f97918e1-01`,
    `00-${traceID}-b9c7c989f97918e1-01-more`,
    `00-${traceID.toUpperCase()}-b9c7c989f97918e1-01`,
    `00-${"0".repeat(32)}-b9c7c989f97918e1-01`,
    `00-${traceID}-0000000000000000-01`,
    `00-${traceID}-b9c7c989f97918e1`,
    `00-${traceID}-b9c7c989f97918e1-0`,
    `00-${traceID}-b9c7c989f97918e1-01x`,
    `cc-${traceID}-b9c7c989f97918e1-01-`,
    ` 00-${traceID}-b9c7c989f97918e1-01`
  ])("%j begins a new trace", (header) => {
    assert.deepStrictEqual(TraceContext.parse(header), Option.none())
  })
})
