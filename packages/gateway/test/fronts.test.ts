import { assert, describe, it } from "@effect/vitest"
import { ToolFailure } from "@haft/core"
import { Budgets, Front } from "@haft/gateway"
import { Envelope } from "@haft/wire"
import { Cause, Clock, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { counted, governing, request } from "./support/governing.ts"

const echo = () =>
  counted({ determinism: "side_effectful" }, ({ text }) =>
    text === "fail" ? Effect.fail(ToolFailure.notFound({ message: "no such page" })) : Effect.succeed(text)
  )

const orloj = (more: object = {}) => ({ request_id: "req-1", tool: { name: "tool" }, input: { text: "x" }, ...more })

const uicp = (more: object = {}) => ({
  call_id: "a8f124c2-918f-59f1-9e47-b7bc59d34893",
  tool_id: "tool",
  tool_version: "*",
  fn: "invoke",
  input: { text: "x" },
  context: {
    actor_id: "agent://a",
    timezone: "UTC",
    env: "dev",
    trace_id: "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"
  },
  constraints: { timeout_ms: 1000, deadline_unix_ms: 10_000, idempotency_key: "0123456789abcdef" },
  ...more
})

const contextos = (more: object = {}) => ({
  envelope_version: "contextos.tool_call.v1",
  tool_call_id: "call-1",
  run_id: "run-1",
  trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
  capability_id: "tool",
  args: { text: "x" },
  principal_chain: [{ kind: "agent", id: "agent-1", tenant_id: "t" }],
  approval_mode_requested: "local_write",
  approval_mode_effective: "local_write",
  approval_mode_highest: "local_write",
  evidence_refs: [],
  ...more
})

const fronts = { orloj: Front.orloj, uicp: Front.uicp, contextos: Front.contextos }

const checks = {
  orloj: Envelope.makeCheck("orloj", "response"),
  uicp: Envelope.makeCheck("uicp", "response"),
  contextos: Envelope.makeCheck("contextos", "tool-result"),
  osaurus: Envelope.makeCheck("osaurus", "envelope")
}

/** What is shown, held against the contract's own schema. */
const shown = (contract: keyof typeof checks, encoded: unknown): unknown => {
  const { envelope } = Object(encoded) as { readonly envelope: unknown }
  const checked = checks[contract](envelope)
  assert.isTrue(Result.isSuccess(checked), JSON.stringify(checked))
  return envelope
}

describe("a front", () => {
  it.effect("answers a used-up budget, and nothing that an interruption stands beside", () =>
    governing(echo().tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* gateway.call(request())
        const exhausted = Cause.die(new Budgets.ExhaustedError({ message: "used up", outcome }))
        const ending = (cause: Cause.Cause<never>) =>
          Effect.exit(Front.orloj({ ...gateway, call: () => Effect.failCause(cause) })(orloj()))
        assert.isTrue(Exit.isSuccess(yield* ending(exhausted)))
        const exit = yield* ending(Cause.combine(exhausted, Cause.interrupt(1)))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause))
      })
    )
  )

  it.effect("answers each contract in its own words", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const answers = [
          shown("orloj", yield* Front.orloj(gateway)(orloj())),
          shown("uicp", yield* Front.uicp(gateway)(uicp())),
          shown("contextos", yield* Front.contextos(gateway)(contextos())),
          shown("osaurus", yield* Front.osaurus(gateway)({ callId: "c", tool: "tool", arguments: '{"text":"x"}' }))
        ]
        assert.deepNestedInclude(answers[0], { status: "ok", request_id: "req-1", "output.result": "x" })
        assert.deepNestedInclude(answers[1], { status: "success", output: "x", "provenance.tool_id": "tool" })
        assert.deepNestedInclude(answers[2], { status: "completed", run_id: "run-1", "output.result": "x" })
        assert.deepInclude(answers[3], { ok: true, result: "x" })
        assert.strictEqual(calls(), 4)
      })
    )
  })

  it.effect("tells a failure in the words of each contract", () => {
    const { tool } = echo()
    const input = { text: "fail" }
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const first = shown("orloj", yield* Front.orloj(gateway)(orloj({ input })))
        assert.deepNestedInclude(first, { status: "error", "error.code": "execution_failed", "error.retryable": false })
        const second = shown("uicp", yield* Front.uicp(gateway)(uicp({ input })))
        assert.deepNestedInclude(second, { status: "terminal_error", "error.code": "P-PRECOND-NOT-FOUND" })
        const third = shown("contextos", yield* Front.contextos(gateway)(contextos({ args: input })))
        assert.deepNestedInclude(third, { status: "error", "error.code": "not_found" })
        const asked = { callId: "c", tool: "tool", arguments: input }
        assert.deepInclude(shown("osaurus", yield* Front.osaurus(gateway)(asked)), { ok: false, kind: "not_found" })
      })
    )
  })

  const unreadable = {
    "Orloj: another version": [
      "orloj",
      orloj({ tool_contract_version: "v9" }),
      { status: "error", "error.code": "invalid_input", "error.details.field": "tool_contract_version" }
    ],
    "Orloj: no id": ["orloj", orloj({ request_id: " " }), { "error.code": "invalid_input", "error.retryable": false }],
    "Orloj: no object": ["orloj", [], { status: "error", request_id: "" }],
    "uicp: an unknown field": ["uicp", uicp({ extra: 1 }), { status: "invalid_request", "error.code": "I-REQ-SCHEMA" }],
    "uicp: a short key": [
      "uicp",
      uicp({ constraints: { timeout_ms: 1, deadline_unix_ms: 1, idempotency_key: "short" } }),
      { status: "invalid_request" }
    ],
    "uicp: a timeout above the limit": [
      "uicp",
      uicp({ constraints: { timeout_ms: 600_001, deadline_unix_ms: 1, idempotency_key: "0123456789abcdef" } }),
      { status: "invalid_request" }
    ],
    "uicp: nothing": ["uicp", null, { status: "invalid_request", call_id: "00000000-0000-0000-0000-000000000000" }],
    "ContextOS: another version": [
      "contextos",
      contextos({ envelope_version: "contextos.tool_call.v2" }),
      { status: "rejected", "error.code": "unsupported_envelope_version" }
    ],
    "ContextOS: an unknown field": [
      "contextos",
      contextos({ extra: 1 }),
      { status: "rejected", "error.code": "invalid_args" }
    ]
  } as const

  it.effect.each(Object.entries(unreadable))(
    "refuses what it cannot read, %s",
    ([, [contract, document, expected]]) => {
      const { calls, tool } = echo()
      return governing(tool, ({ audit, gateway }) =>
        Effect.gen(function* () {
          const answer = shown(contract, yield* fronts[contract](gateway)(document))
          assert.deepNestedInclude(answer, expected)
          assert.strictEqual(calls(), 0)
          assert.strictEqual((yield* audit.counts).requested, 0)
        })
      )
    }
  )

  const refused = {
    "an input outside the schema": [uicp({ input: { text: 1, more: 2 } }), "invalid_request", "I-REQ-SCHEMA"],
    "an unknown tool": [uicp({ tool_id: "other" }), "invalid_request", "I-REQ-UNKNOWN-TOOL"],
    "another version": [uicp({ tool_version: "9.x" }), "terminal_error", "C-CONTRACT-VERSION"],
    "a deadline that has passed": [
      uicp({ constraints: { timeout_ms: 1, deadline_unix_ms: 0, idempotency_key: "0123456789abcdef" } }),
      "retryable_error",
      "R-TIMEOUT-001"
    ],
    "a key that is too long": [
      uicp({ constraints: { timeout_ms: 1, deadline_unix_ms: 10_000, idempotency_key: "k".repeat(100_000) } }),
      "invalid_request",
      "I-REQ-SCHEMA"
    ]
  } as const

  it.effect.each(Object.entries(refused))(
    "refuses %s with the code of its contract",
    ([, [document, status, code]]) => {
      const { calls, tool } = echo()
      return governing(tool, ({ gateway }) =>
        Effect.gen(function* () {
          yield* TestClock.adjust(1)
          const answer = shown("uicp", yield* Front.uicp(gateway)(document))
          assert.deepNestedInclude(answer, { status, "error.code": code })
          assert.strictEqual(calls(), 0)
        })
      )
    }
  )

  it.effect("refuses a call that claims another identity or tenant than was proved", () => {
    const { calls, tool } = echo()
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const front = Front.contextos(gateway)
        const proved = { actor: "agent-1", tenantId: "t" }
        for (const caller of [
          { ...proved, actor: "agent-2" },
          { ...proved, tenantId: "other" }
        ]) {
          const answer = shown("contextos", yield* front(contextos(), { caller }))
          assert.deepNestedInclude(answer, { status: "rejected", "error.code": "unauthorized" })
        }
        assert.strictEqual(calls(), 0)
        assert.deepInclude(shown("contextos", yield* front(contextos(), { caller: proved })), { status: "completed" })
        assert.deepInclude(shown("orloj", yield* Front.orloj(gateway)(orloj(), { caller: proved })), { status: "ok" })
      })
    )
  })

  it.effect("keeps the deadline that a contract sends", () => {
    const { tool } = counted({ determinism: "pure" }, () => Effect.never)
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const constraints = { timeout_ms: 1000, deadline_unix_ms: 300, idempotency_key: "0123456789abcdef" }
        const fiber = yield* Effect.forkChild(Front.uicp(gateway)(uicp({ constraints })))
        yield* TestClock.adjust(300)
        const answer = shown("uicp", yield* Fiber.join(fiber))
        assert.strictEqual(yield* Clock.currentTimeMillis, 300)
        assert.deepNestedInclude(answer, { "error.code": "R-TIMEOUT-001", "error.details.bound_by": "call" })
      })
    )
  })
})
