import { assert, describe, it } from "@effect/vitest"
import { Permission, Tool, ToolFailure, Tools } from "@haft/core"
import { ApprovalGate, Audit, Authorizer, Budgets, Gateway } from "@haft/gateway"
import * as Testing from "@haft/registry/testing"
import { Leaf } from "@haft/wire"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Result, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { chain, counted, governing, layerCatalog, request, run } from "./support/governing.ts"

const echo = () => counted({ determinism: "side_effectful" }, ({ text }) => Effect.succeed(text))

describe("input and output", () => {
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
        assert.strictEqual((yield* gateway.call(request())).leaf._tag, "Operational.InvalidOutput")
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

describe("budgets", () => {
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

/** A gateway with rules and a gate, around one tool. */
const ruled = <A, E>(
  tool: Tool.Any,
  hooks: { readonly authorizer?: Authorizer.Interface; readonly gate?: ApprovalGate.Interface },
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
            hooks.gate === undefined ? Layer.empty : Layer.succeed(ApprovalGate.Service, hooks.gate)
          )
        ),
        Layer.provideMerge(layerCatalog),
        Layer.provideMerge(Testing.layer)
      )
    )
  )

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
          policy_decisions: [{ policy_decision_id: "pd-1", rule_ids: [] }]
        })
      })
    )
  })

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
