import { assert, describe, it } from "@effect/vitest"
import { Permission, Tool, ToolFailure, Tools } from "@haft/core"
import { ApprovalGate, Audit, Authorizer, Budgets, ClaimVerifier, Front, Gateway } from "@haft/gateway"
import * as Testing from "@haft/registry/testing"
import { ContextOs, Leaf, Orloj, Osaurus, Uicp } from "@haft/wire"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Result, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { chain, counted, governing, layerCatalog, request, run } from "./support/governing.ts"

const echo = () => counted({ determinism: "side_effectful" }, ({ text }) => Effect.succeed(text))

/** A gateway with rules and a gate, around one tool. */
const ruled = <A, E>(
  tool: Tool.Any,
  hooks: {
    readonly authorizer?: Authorizer.Interface
    readonly gate?: ApprovalGate.Interface
    readonly claims?: ClaimVerifier.Interface
  },
  test: (gateway: Gateway.Interface, audit: Audit.Interface, tools: Tools.Interface) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const tools = yield* Tools.Service
    yield* tools.register({ tool })
    return yield* test(yield* Gateway.Service, yield* Audit.Service, tools)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Gateway.layerMemory().pipe(
        Layer.provide(
          Layer.mergeAll(
            hooks.authorizer === undefined ? Layer.empty : Layer.succeed(Authorizer.Service, hooks.authorizer),
            hooks.claims === undefined ? Layer.empty : Layer.succeed(ClaimVerifier.Service, hooks.claims),
            hooks.gate === undefined ? Layer.empty : Layer.succeed(ApprovalGate.Service, hooks.gate)
          )
        ),
        Layer.provideMerge(layerCatalog),
        Layer.provideMerge(Testing.layer)
      )
    )
  )

describe("input and output", () => {
  it.effect(
    "a function that the tool does not have is unknown, and the one that it has is not run in its place",
    () => {
      const { calls, tool } = echo()
      return governing(tool, ({ gateway }) =>
        Effect.gen(function* () {
          const { leaf } = yield* gateway.call(request({ fn: "preview" }))
          assert.deepInclude(leaf, { _tag: "Rejected.UnknownTool", name: "tool.preview" })
          assert.strictEqual(calls(), 0)
        })
      )
    }
  )

  it.effect("M1: everything that is wrong is told, and nothing is spent or stored", () => {
    const state = { calls: 0 }
    const tool = Tool.make({
      description: "Three fields",
      input: Schema.Struct({ a: Schema.Int, b: Schema.String, c: Schema.Boolean }),
      output: Schema.Null,
      execute: () => Effect.sync(() => (state.calls++, null))
    })
    return governing(tool, ({ budgets, gateway, keys }) =>
      Effect.gen(function* () {
        const claims: Array<unknown> = []
        Object.assign(keys, { claim: (claim: unknown) => Effect.sync(() => claims.push(claim)) })
        const given = request({ input: { a: "x", b: 1, d: 2 }, principalChain: chain, idempotencyKey: "k" })
        const outcome = yield* gateway.call(given, { run: run({ max_tool_calls: 1 }) })
        assert.isTrue(outcome.leaf._tag === "Rejected.InvalidInput")
        const paths =
          outcome.leaf._tag === "Rejected.InvalidInput" ? outcome.leaf.violations.map(({ path }) => path) : []
        assert.sameMembers(paths, ["a", "b", "c", "d"])
        assert.deepStrictEqual([state.calls, claims], [0, []])
        assert.isTrue((yield* budgets.usage(JSON.stringify(["tenant-1", "run-1"])))._tag === "None")
      })
    )
  })

  it.effect("M2: a value outside the output schema is no success", () => {
    const tool = Tool.annotate(
      Tool.make({
        description: "Lies",
        input: Schema.Struct({ text: Schema.String }),
        output: Schema.String.check(Schema.isMaxLength(1)),
        execute: () => Effect.succeed("too long")
      }),
      { determinism: "pure" }
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* gateway.call(request())
        assert.strictEqual(outcome.leaf._tag, "Operational.InvalidOutput")
        assert.deepNestedInclude(Orloj.make().encode(outcome), { "envelope.status": "error" })
        assert.strictEqual(Uicp.encode(outcome).status, "terminal_error")
        assert.strictEqual(ContextOs.encode(outcome).status, "failed")
        assert.deepInclude(Osaurus.encode(outcome), { _tag: "NoEnvelope" })
        assert.deepNestedInclude(Osaurus.encode(outcome, { operational: "surface" }), { "envelope.ok": false })
      })
    )
  })

  it.effect("M47: a dry run validates and authorises, and does nothing else", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ audit, budgets, gateway }) =>
      Effect.gen(function* () {
        const given = request({ dryRun: true, principalChain: chain, idempotencyKey: "k" })
        const outcome = yield* gateway.call(given, { run: run({ max_tool_calls: 1 }) })
        assert.deepStrictEqual([outcome.leaf, outcome.effect._tag], [{ _tag: "Success.Read" }, "None"])
        assert.deepStrictEqual([outcome.dryRun, outcome.warnings, calls()], [true, ["dry_run"], 0])
        assert.isTrue((yield* budgets.usage(JSON.stringify(["tenant-1", "run-1"])))._tag === "None")
        const real = yield* gateway.call({ ...given, dryRun: false, input: { text: "other" } })
        assert.strictEqual(real.leaf._tag, "Success.Effect")
        assert.strictEqual((yield* audit.counts).settled, 2)
      })
    )
  })
})

describe("a dry run", () => {
  it.effect("M47: is refused like the call itself, and says that an approval would be needed", () => {
    const { calls, tool } = echo()
    const verdicts = [
      Authorizer.ask("risky"),
      Authorizer.deny(Leaf.make("Denied.Permission", { required: ["tool:tool:invoke"] }))
    ]
    const authorizer = { authorize: () => Effect.sync(() => verdicts.shift() ?? Authorizer.allow()) }
    return ruled(tool, { authorizer }, (gateway) =>
      Effect.gen(function* () {
        const asking = yield* gateway.call(request({ dryRun: true }))
        assert.deepStrictEqual([asking.leaf._tag, asking.warnings], ["Success.Read", ["dry_run", "approval_required"]])
        const denied = yield* gateway.call(request({ dryRun: true }))
        assert.strictEqual(denied.leaf._tag, "Denied.Permission")
        const invalid = yield* gateway.call(request({ dryRun: true, input: {} }))
        assert.strictEqual(invalid.leaf._tag, "Rejected.InvalidInput")
        const unknown = yield* gateway.call(request({ dryRun: true, toolName: "other" }))
        assert.strictEqual(unknown.leaf._tag, "Rejected.UnknownTool")
        assert.strictEqual(calls(), 0)
      })
    )
  })
})

describe("budgets", () => {
  it.effect("M32: the fourth call of three is refused, and what rules or people refuse spends nothing", () => {
    const { calls, tool } = echo()
    const refusal = Leaf.make("Denied.Policy", { origin: "gate", by: "policy" })
    const authorizer: Authorizer.Interface = {
      authorize: ({ request: { callId } }) =>
        Effect.succeed(
          callId === "denied"
            ? Authorizer.deny(refusal)
            : callId === "asked"
              ? Authorizer.ask("risky")
              : Authorizer.allow()
        )
    }
    const gate = { ask: () => Effect.succeed(Result.fail(refusal)) }
    return ruled(tool, { authorizer, gate }, (gateway) =>
      Effect.gen(function* () {
        const options = { run: run({ max_tool_calls: 3 }) }
        const ids = ["denied", "asked", "1", "denied", "2", "asked", "3", "4"]
        const tags = yield* Effect.forEach(ids, (callId) =>
          Effect.map(gateway.call(request({ callId, principalChain: chain }), options), ({ leaf }) => leaf._tag)
        )
        const [refused, done] = ["Denied.Policy", "Success.Effect"]
        assert.deepStrictEqual(tags, [refused, refused, done, refused, done, refused, done, "Denied.Budget"])
        assert.strictEqual(calls(), 3)
      })
    )
  })

  it.effect("M32: of five at once exactly three run; rejected and replayed calls spend nothing", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const options = { run: run({ max_tool_calls: 3 }) }
        const call = (text: string, more = {}) =>
          gateway.call(request({ input: { text }, principalChain: chain, ...more }), options)
        yield* gateway.call(request({ input: {}, principalChain: chain }), options)
        yield* call("x", { toolName: "unknown" })
        const outcomes = yield* Effect.forEach(
          ["a", "b", "c", "d", "e"],
          (text) => call(text, { idempotencyKey: text }),
          {
            concurrency: "unbounded"
          }
        )
        assert.strictEqual(outcomes.filter(({ leaf }) => leaf._tag === "Success.Effect").length, 3)
        assert.strictEqual(calls(), 3)
        assert.isTrue((yield* call("a", { idempotencyKey: "a" })).idempotency.replayed)
      })
    )
  })

  it.effect("M32: retries spend one call, and the money of each attempt", () => {
    const { tool } = counted({ determinism: "pure" }, (_, attempt) =>
      attempt < 3 ? Effect.fail(ToolFailure.upstream({ message: "down" })) : Effect.succeed("done")
    )
    return governing(
      tool,
      ({ budgets, gateway }) =>
        Effect.gen(function* () {
          const options = { run: run({ max_tool_calls: 5, max_cost_cents: 5 }) }
          const retryPolicy = { maxAttempts: 3, baseMs: 0, capMs: 0, jitter: "none" } as const
          const outcome = yield* gateway.call(request({ principalChain: chain, retryPolicy }), options)
          assert.strictEqual(outcome.costCents, 6)
          const usage = yield* budgets.usage(JSON.stringify(["tenant-1", "run-1"]))
          assert.deepNestedInclude(usage, { "value.calls": 1, "value.costCents": 6 })
          const next = yield* gateway.call(request({ principalChain: chain }), options)
          assert.deepInclude(next.leaf, { budget: { name: "max_cost_cents", limit: 5, used: 6 } })
        }),
      { costOf: () => 2 }
    )
  })

  it.effect("a call that is stopped between two attempts has spent the money of the first", () => {
    const { tool } = counted({ determinism: "pure" }, () => Effect.fail(ToolFailure.upstream({ message: "down" })))
    return governing(
      tool,
      ({ budgets, gateway }) =>
        Effect.gen(function* () {
          const options = { run: run({ max_cost_cents: 5 }) }
          const retryPolicy = { maxAttempts: 3, baseMs: 1000, capMs: 1000, jitter: "none" } as const
          const fiber = yield* Effect.forkChild(gateway.call(request({ principalChain: chain, retryPolicy }), options))
          yield* TestClock.adjust(500)
          yield* Fiber.interrupt(fiber)
          const usage = yield* budgets.usage(JSON.stringify(["tenant-1", "run-1"]))
          assert.deepNestedInclude(usage, { "value.calls": 1, "value.costCents": 2 })
        }),
      { costOf: () => 2 }
    )
  })

  it.effect("M33: a refusal names the budget, its limit and what was used", () => {
    const { tool } = echo()
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const options = { run: run({ max_tool_calls: 0 }) }
        const { leaf } = yield* gateway.call(request({ principalChain: chain }), options)
        assert.deepInclude(leaf, { _tag: "Denied.Budget", budget: { name: "max_tool_calls", limit: 0, used: 0 } })
      })
    )
  })
})

describe("a budget that is used up", () => {
  const refused = (exhausted: "continue" | "end" | "error") =>
    governing(
      echo().tool,
      ({ audit, gateway }) =>
        Effect.gen(function* () {
          const options = { run: run({ max_tool_calls: 0 }) }
          const exit = yield* Effect.exit(gateway.call(request({ principalChain: chain }), options))
          const [entry] = yield* audit.find("call")
          return { exit, closing: entry?.closing }
        }),
      { exhausted }
    )

  it.effect("M33: is told to the model, or ends the run, or is an error of the host's, as the host picks", () =>
    Effect.gen(function* () {
      const goesOn = yield* refused("continue")
      assert.deepNestedInclude(goesOn, { "exit.value.warnings": [], "closing.status": "REJECTED" })
      const ends = yield* refused("end")
      assert.deepNestedInclude(ends, { "exit.value.warnings": ["run_ended"], "closing.status": "ESCALATED" })
      const { closing, exit } = yield* refused("error")
      assert.isTrue(Exit.isFailure(exit))
      const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      assert.instanceOf(defect, Budgets.ExhaustedError)
      assert.deepInclude(defect, { name: "max_tool_calls", limit: 0, used: 0 })
      assert.deepInclude(closing, { status: "ESCALATED" })
    })
  )
})

describe("authorisation", () => {
  it.effect("M34: is decided when the call is made; the denial names its rule, and nothing after it is touched", () => {
    const { calls, tool } = echo()
    const refusal = Leaf.make("Denied.Permission", { required: ["tool:tool:invoke"] })
    const authorizer = { authorize: () => Effect.succeed(Authorizer.deny(refusal, ["rule-7"])) }
    return ruled(tool, { authorizer }, (gateway, audit) =>
      Effect.gen(function* () {
        const outcome = yield* gateway.call(request())
        assert.deepStrictEqual([outcome.leaf, outcome.governance.ruleRefs, calls()], [refusal, ["rule-7"], 0])
        const [entry] = yield* audit.find("call")
        assert.deepInclude(entry?.closing, { status: "REJECTED" })
      })
    )
  })

  it.effect("M43: a tool that is replaced between the lookup and the call is stale, and does not run", () =>
    Effect.gen(function* () {
      const first = echo()
      const second = echo()
      const replace: { now: Effect.Effect<void> } = { now: Effect.void }
      const authorizer = {
        authorize: () =>
          Effect.as(
            Effect.suspend(() => replace.now),
            Authorizer.allow()
          )
      }
      yield* ruled(first.tool, { authorizer }, (gateway, _, tools) =>
        Effect.scoped(
          Effect.gen(function* () {
            const scope = yield* Effect.scope
            replace.now = Effect.orDie(tools.register({ tool: second.tool })).pipe(
              Effect.provideService(Scope.Scope, scope)
            )
            const outcome = yield* gateway.call(request())
            assert.deepStrictEqual([outcome.leaf._tag, first.calls(), second.calls()], ["Rejected.Stale", 0, 0])
          })
        )
      )
    })
  )

  const modes = (requested: "read_only" | "network" | "delegated" | "destructive", highest = requested) => ({
    modes: { requested, effective: requested, highest }
  })

  it.effect("a mode above the declared one is refused, and so is a delegated one without a delegation", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const above = yield* gateway.call(request(modes("network", "read_only")))
        assert.strictEqual(above.leaf._tag, "Denied.Permission")
        const given = request({ principalChain: chain, ...modes("delegated") })
        const undelegated = yield* gateway.call(given, { run: run() })
        assert.deepInclude(undelegated.leaf, { _tag: "Denied.Policy", rule: "delegation_required", origin: "gate" })
        assert.strictEqual(calls(), 0)
      })
    )
  })

  it.effect("what cannot be taken back is asked about, also in a run that may do it", () => {
    const { calls, tool } = echo()
    const asked: Array<ApprovalGate.Asked> = []
    const gate: ApprovalGate.Interface = {
      ask: (question) => Effect.sync(() => Result.succeed({ id: `approval-${asked.push(question)}` }))
    }
    const delegation = { auth_type: "oauth2", scopes: [], subject: "user-1" } as const
    const destroying = { ...run(), safety_mode: "destructive" as const, user: { user_id: "user-1", delegation } }
    return ruled(tool, { gate }, (gateway) =>
      Effect.gen(function* () {
        const given = request({ principalChain: chain, ...modes("destructive") })
        assert.strictEqual((yield* gateway.call(given, { run: destroying })).leaf._tag, "Success.Effect")
        assert.strictEqual((yield* gateway.call(given)).leaf._tag, "Success.Effect")
        assert.deepStrictEqual(
          asked.map(({ gateId }) => gateId),
          ["destructive", "destructive"]
        )
        const network = yield* gateway.call(request({ principalChain: chain, ...modes("network") }), { run: run() })
        assert.deepStrictEqual([network.leaf._tag, asked.length, calls()], ["Success.Effect", 2, 3])
      })
    )
  })

  it.effect("an agent whose identity is not verified is refused before its rules are asked", () => {
    const { calls, tool } = echo()
    const judged: Array<unknown> = []
    const authorizer: Authorizer.Interface = {
      authorize: (asked) => Effect.sync(() => (judged.push(asked), Authorizer.allow()))
    }
    const verify: ClaimVerifier.Interface["verify"] = ({ run_id }) => Effect.succeed(run_id === "run-2")
    return ruled(tool, { authorizer, claims: { verify } }, (gateway, audit) =>
      Effect.gen(function* () {
        const call = (run_id: string) =>
          gateway.call(request({ callId: run_id, principalChain: chain }), { run: { ...run(), run_id } })
        assert.strictEqual((yield* call("run-1")).leaf._tag, "Denied.Permission")
        assert.deepStrictEqual([judged, calls()], [[], 0])
        const [entry] = yield* audit.find("run-1")
        assert.deepNestedInclude(entry, { "closing.policy_decisions[0].rule_ids": ["identity_claim"] })
        assert.strictEqual((yield* call("run-2")).leaf._tag, "Success.Effect")
      })
    )
  })

  it.effect("a call that names another run or tenant than its own is refused, and meets no key of theirs", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const contextos = Front.contextos(gateway)
        const ask = (tenant: string, more: { run_id?: string; metadata?: object } = {}) => {
          const principal_chain = chain.map(({ id, kind }) => ({ id, kind }))
          const envelope = {
            envelope_version: "contextos.tool_call.v1",
            tool_call_id: "call",
            run_id: "run-1",
            trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
            capability_id: "tool",
            args: { text: "x" },
            principal_chain,
            approval_mode_requested: "read_only",
            approval_mode_effective: "read_only",
            approval_mode_highest: "read_only",
            evidence_refs: [],
            idempotency_key: "order-0001",
            ...more
          }
          return contextos(envelope, { run: { ...run(), tenant_id: tenant } })
        }
        yield* ask("tenant-1")
        yield* ask("tenant-2")
        assert.strictEqual(calls(), 2, "the same key of another tenant is another key")
        yield* ask("tenant-1")
        assert.strictEqual(calls(), 2, "the same key of the same tenant is the same")
        for (const claimed of [{ metadata: { haft: { v: 1, tenantId: "tenant-1" } } }, { run_id: "run-2" }]) {
          const answer = yield* ask("tenant-2", claimed)
          assert.deepNestedInclude(answer, {
            "envelope.error.message": "The call names another run or tenant than the one it is made for"
          })
        }
        assert.strictEqual(calls(), 2)
      })
    )
  })

  it.effect("a chain of another tenant, or of another run, is refused", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const chains = [
          [],
          [{ kind: "agent", id: "agent-1" }],
          [...chain, { kind: "agent", id: "x", tenant_id: "other" }]
        ] as const
        for (const principalChain of chains) {
          const outcome = yield* gateway.call(request({ principalChain }), { run: run() })
          assert.strictEqual(outcome.leaf._tag, "Denied.Permission")
        }
        assert.strictEqual(calls(), 0)
        assert.strictEqual(
          (yield* gateway.call(request({ principalChain: chain }), { run: run() })).leaf._tag,
          "Success.Effect"
        )
      })
    )
  })

  it.effect("what needs an approval is refused where nobody can give one", () => {
    const { calls, tool } = echo()
    const authorizer = { authorize: () => Effect.succeed(Authorizer.ask("risky")) }
    return ruled(tool, { authorizer }, (gateway) =>
      Effect.gen(function* () {
        assert.deepInclude((yield* gateway.call(request())).leaf, { _tag: "Denied.Policy", origin: "gate" })
        assert.strictEqual(calls(), 0)
      })
    )
  })

  it.effect("M39: waiting for an approval costs no time of the call, and permissions are checked again", () =>
    Effect.gen(function* () {
      const { calls, tool } = echo()
      const answer = yield* Deferred.make<void>()
      const verdicts = [Authorizer.ask("risky"), Authorizer.allow(["again"])]
      const authorizer = { authorize: () => Effect.sync(() => verdicts.shift() ?? Authorizer.allow()) }
      const gate = { ask: () => Effect.as(Deferred.await(answer), Result.succeed({ id: "gate-1", approver: "ada" })) }
      yield* ruled(tool, { authorizer, gate }, (gateway, audit) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(gateway.call(request({ timeoutMs: 100 })))
          yield* TestClock.adjust("9 minutes")
          assert.strictEqual(calls(), 0)
          yield* Deferred.succeed(answer, undefined)
          const outcome = yield* Fiber.join(fiber)
          assert.deepStrictEqual([outcome.leaf._tag, outcome.attempts.length], ["Success.Effect", 1])
          assert.deepStrictEqual(outcome.governance.ruleRefs, ["again"])
          const [entry] = yield* audit.find("call")
          assert.deepNestedInclude(entry, { "closing.approvals[0].approver": "ada" })
        })
      )
    })
  )

  it.effect("M36: who decides about permissions is shown the tool and the input that will run, bound to both", () =>
    Effect.gen(function* () {
      const { calls, tool } = echo()
      const asked: Array<Permission.Request> = []
      const permission: Permission.Interface = {
        assert: (request) =>
          Effect.suspend(() =>
            asked.push(request) === 1
              ? Effect.void
              : Effect.fail(new Permission.DeniedError({ message: "no", by: "user", feedback: "use y" }))
          ),
        stops: () => Effect.succeed(false)
      }
      const authorizer = { authorize: () => Effect.succeed(Authorizer.ask("risky")) }
      yield* ruled(tool, { authorizer, gate: ApprovalGate.fromPermission(permission) }, (gateway) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* gateway.call(request())).leaf._tag, "Success.Effect")
          assert.deepNestedInclude(asked[0], {
            action: "invoke",
            "metadata.input": { text: "x" },
            "metadata.reason": "risky"
          })
          const refused = yield* gateway.call(request())
          assert.deepInclude(refused.leaf, { _tag: "Denied.Approver", feedback: "use y", origin: "gate" })
          assert.strictEqual(calls(), 1)
        })
      )
    })
  )
})

describe("the account", () => {
  it.effect("M40: one record for each call, with what was decided, on what grounds and in which trace", () => {
    const { tool } = echo()
    return governing(tool, ({ audit, gateway }) =>
      Effect.gen(function* () {
        const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736" }
        yield* gateway.call(
          request({ trace, evidenceRefs: ["doc:1"], policyDecisionId: "pd-1", principalChain: chain })
        )
        const entries = yield* audit.find("call")
        assert.strictEqual(entries.length, 1)
        assert.deepInclude(entries[0]?.closing, {
          status: "DECIDED",
          decision_key: "tool.tool.invoke",
          trace_id: trace.traceId,
          evidence_refs: ["doc:1", "tool:tool:call"],
          policy_decisions: [{ policy_decision_id: "pd-1", rule_ids: [] }],
          controls_active: {
            must_refuse: [],
            must_escalate: [],
            approval_gates_active: [],
            redaction_rules_active: []
          },
          budget_usage: { tokens: 0, tool_calls: 1, cost_usd_cents: 0, wall_clock_ms: 0 }
        })
      })
    )
  })

  it.effect("M40: nobody sees an outcome before its record is written, and no record is written twice", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const closing = yield* Deferred.make<void>()
      yield* governing(echo().tool, ({ audit, gateway }) =>
        Effect.gen(function* () {
          const { close } = audit
          Object.assign(audit, {
            close: (record: Audit.Closing) =>
              Deferred.succeed(closing, undefined).pipe(
                Effect.andThen(Deferred.await(gate)),
                Effect.andThen(close(record))
              )
          })
          const fiber = yield* Effect.forkChild(gateway.call(request()))
          yield* Deferred.await(closing)
          assert.isUndefined(fiber.pollUnsafe())
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual((yield* Fiber.join(fiber)).leaf._tag, "Success.Effect")
          const [entry] = yield* audit.find("call")
          assert(entry?.closing !== undefined && !Audit.isSkipped(entry.closing))
          yield* close({ ...entry.closing, status: "ESCALATED" })
          assert.deepStrictEqual(yield* audit.find("call"), [entry])
        })
      )
    })
  )

  it.effect("M40: a record that cannot be written keeps the outcome back, and tells the effect", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ audit, gateway }) =>
      Effect.gen(function* () {
        Object.assign(audit, { close: () => Effect.fail(new Audit.StorageError({ operation: "close" })) })
        const outcome = yield* gateway.call(request())
        assert.deepStrictEqual(
          [outcome.leaf._tag, outcome.effect._tag, calls()],
          ["Operational.RetentionFailed", "Committed", 1]
        )
      })
    )
  })

  it.effect("a call that cannot be noted does not run", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ audit, gateway }) =>
      Effect.gen(function* () {
        Object.assign(audit, { request: () => Effect.fail(new Audit.StorageError({ operation: "request" })) })
        const outcome = yield* gateway.call(request())
        assert.deepStrictEqual(
          [outcome.leaf._tag, outcome.effect._tag, calls()],
          ["Operational.RetentionFailed", "NotStarted", 0]
        )
      })
    )
  })

  it.effect("M41: a call that was dropped leaves one row and no settlement, and the account adds up", () => {
    const { tool } = echo()
    return governing(tool, ({ audit, gateway }) =>
      Effect.gen(function* () {
        yield* gateway.call(request())
        yield* gateway.skip(request({ callId: "dropped" }), {
          reason_code: "confidence",
          reason: "below 0.9 without verification",
          confidence: 0.4
        })
        assert.deepStrictEqual(yield* audit.counts, { requested: 2, settled: 1, skipped: 1 })
        const [entry] = yield* audit.find("dropped")
        assert.deepInclude(entry?.closing, {
          kind: "SKIPPED",
          reason_code: "confidence",
          confidence: 0.4,
          call_id: "dropped"
        })
      })
    )
  })

  it.effect("a process that died leaves open requests, which recovery closes once their time is over", () => {
    const { tool } = echo()
    return governing(tool, ({ audit, gateway }) =>
      Effect.gen(function* () {
        const ids = { recordId: "r", callId: "lost", toolId: "tool", fn: "invoke", actor: "a" }
        yield* audit.request({ ...ids, at: 0, leaseUntil: 1000 })
        assert.strictEqual(yield* gateway.recover, 0)
        yield* TestClock.adjust(1000)
        assert.strictEqual(yield* gateway.recover, 1)
        const [entry] = yield* audit.find("lost")
        assert.deepInclude(entry?.closing, { status: "ESCALATED" })
        assert.deepStrictEqual(yield* audit.counts, { requested: 1, settled: 1, skipped: 0 })
      })
    )
  })
})
