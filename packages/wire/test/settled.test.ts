import { assert, describe, it } from "@effect/vitest"
import {
  InvalidOutput,
  Materialization,
  OutputStore,
  Settlement,
  SettlementStore,
  SideEffect,
  ToolFailure
} from "@haft/core"
import * as Testing from "@haft/core/testing"
import { type Leaf, Rendering, Settled } from "@haft/wire"
import { Cause, Exit } from "effect"

const call = { callId: "call-1", toolName: "edit" }

const known: Settled.Known = { id: "stl-1", call, determinism: "side_effectful" }

const shared = {
  context: Testing.context,
  name: "edit",
  effect: SideEffect.none,
  warnings: [{ code: "repaired", message: "1 was text", path: "limit" }],
  timing: { startedAt: 1000, endedAt: 1012.6 },
  managed: []
}

const succeeded = (effect: SideEffect.SideEffect) =>
  Settlement.succeeded({ ...shared, effect, output: { structured: { size: 3 }, content: [] } })

const failed = (failure: ToolFailure.ToolFailure, effect: SideEffect.SideEffect = SideEffect.none) =>
  Settlement.failed({ ...shared, effect, failure })

const rejected = (rejection: Settlement.Rejection) =>
  Settlement.rejected({ ...shared, effect: SideEffect.notStarted, rejection, message: "No" })

const outcomeOf = (settlement: Settlement.Settlement, more: Partial<Settled.Known> = {}) =>
  Settled.toOutcome(Exit.succeed(settlement), { ...known, ...more })

const tagOf = (settlement: Settlement.Settlement, more: Partial<Settled.Known> = {}): Leaf.Tag =>
  outcomeOf(settlement, more).leaf._tag

describe("the outcome of a settlement", () => {
  it("is a success that says whether something changed", () => {
    assert.strictEqual(tagOf(succeeded(SideEffect.none)), "Success.Read")
    assert.strictEqual(tagOf(succeeded(SideEffect.committed([]))), "Success.Effect")
    assert.strictEqual(tagOf(succeeded(SideEffect.unknown)), "Success.Effect")
  })

  it("keeps the warnings, the times and the one attempt", () => {
    const { attempts, timing, warnings } = outcomeOf(succeeded(SideEffect.none))
    assert.deepStrictEqual(warnings, ["repaired: 1 was text"])
    assert.deepStrictEqual(timing, { startedAt: 1000, endedAt: 1012.6, durationMs: 13 })
    assert.deepStrictEqual(attempts, [{ n: 1, startedAt: 1000, endedAt: 1012.6, tag: "Succeeded", waitedMs: 0 }])
  })

  it.each<readonly [Settlement.Rejection, Leaf.Tag]>([
    [{ _tag: "UnknownTool" }, "Rejected.UnknownTool"],
    [{ _tag: "StaleCall" }, "Rejected.Stale"],
    [{ _tag: "InvalidInput", violations: [], violationsOmitted: 2 }, "Rejected.InvalidInput"],
    [{ _tag: "DuplicateCall" }, "Rejected.IdempotencyConflict"]
  ])("of the rejection %o is %s, with no attempt", (rejection, tag) => {
    const { attempts, leaf } = outcomeOf(rejected(rejection))
    assert.strictEqual(leaf._tag, tag)
    assert.strictEqual("message" in leaf ? leaf.message : "", "No")
    assert.deepStrictEqual(attempts, [])
  })

  it.each([
    ToolFailure.invalidArguments({ message: "m", violations: [{ path: "a", message: "no" }] }),
    ToolFailure.notFound({ message: "m", candidates: ["b"] }),
    ToolFailure.precondition({ message: "m" }),
    ToolFailure.authInvalid({ message: "m", profile: "p" }),
    ToolFailure.authExpired({ message: "m" }),
    ToolFailure.authForbidden({ message: "m", missingScopes: ["s"] }),
    ToolFailure.rateLimited({ message: "m", retryAfterMs: 5 }),
    ToolFailure.upstream({ message: "m", status: 503 }),
    ToolFailure.unavailable({ message: "m" }),
    ToolFailure.dataInvalid({ message: "m" }),
    ToolFailure.executionFailed({ message: "m", exitCode: 1, retry: { runtime: true } })
  ])("of a failure keeps its kind and its fields: $reason._tag", (failure) => {
    const { leaf } = outcomeOf(failed(failure))
    const { _tag: kind, ...fields } = failure.reason
    assert.strictEqual(leaf._tag, `Failure.${kind}`)
    assert.deepInclude(leaf, { message: "m", ...fields })
  })

  it("of a failure keeps what its maker said, and has words of its own for whoever said nothing", () => {
    const said = { message: "", hint: "look", field: "path", details: { a: 1 }, partial: [1], retry: { model: false } }
    const { leaf } = outcomeOf(failed(ToolFailure.notFound(said)))
    assert.deepInclude(leaf, { ...said, message: "Not found" })
  })

  it("of a refusal says who refused, and that the tool asked", () => {
    const denied = { message: "m", feedback: "use the copy", rule: "r" }
    assert.deepInclude(outcomeOf(failed(ToolFailure.denied({ ...denied, by: "policy" }))).leaf, {
      _tag: "Denied.Policy",
      origin: "tool",
      by: "policy",
      feedback: "use the copy",
      rule: "r"
    })
    assert.strictEqual(tagOf(failed(ToolFailure.denied({ ...denied, by: "user" }))), "Denied.Approver")
  })

  it("of a refusal after an effect keeps the effect and warns", () => {
    const denied = ToolFailure.denied({ message: "m", by: "user" })
    const late = outcomeOf(failed(denied, SideEffect.committed([])))
    assert.include(late.warnings, Settled.deniedAfterEffect)
    assert.strictEqual(late.effect._tag, "Committed")
    assert.notInclude(outcomeOf(failed(denied)).warnings, Settled.deniedAfterEffect)
  })

  it("of a timeout depends on whether a repeat is safe", () => {
    const timedOut = ToolFailure.timedOut({ message: "m", boundBy: "idle", limitMs: 5, partial: "half" })
    const key = { idempotency: { key: "k" } }
    assert.strictEqual(tagOf(failed(timedOut, SideEffect.none)), "TimedOut.EffectNone")
    assert.strictEqual(tagOf(failed(timedOut, SideEffect.unknown)), "TimedOut.EffectUnknown")
    assert.strictEqual(tagOf(failed(timedOut, SideEffect.unknown), { determinism: "pure" }), "TimedOut.EffectNone")
    assert.strictEqual(
      tagOf(failed(timedOut, SideEffect.unknown), { determinism: "idempotent" }),
      "TimedOut.EffectUnknown"
    )
    assert.strictEqual(
      tagOf(failed(timedOut, SideEffect.unknown), { determinism: "idempotent", ...key }),
      "TimedOut.EffectNone"
    )
    assert.deepInclude(outcomeOf(failed(timedOut)).leaf, { timeoutMs: 5, boundBy: "idle", partial: "half" })
  })
})

describe("the outcome of a call without a settlement", () => {
  const ended = (cause: Cause.Cause<Materialization.SettleError>, more: Partial<Settled.Known> = {}) => {
    const { effect, leaf } = Settled.toOutcome(Exit.failCause(cause), { ...known, ...more })
    return [leaf._tag, effect._tag]
  }
  const invalidOutput = new InvalidOutput.InvalidOutput({ message: "m", violations: [], violationsOmitted: 0 })
  const storage = (operation: SettlementStore.StorageError["operation"]) =>
    new SettlementStore.StorageError({ operation })
  const already = (end: Materialization.CallAlreadyEnded["end"]) =>
    new Materialization.CallAlreadyEnded({ end, effect: SideEffect.committed([]) })

  it.each<readonly [Materialization.SettleError, Leaf.Tag, string]>([
    [invalidOutput, "Operational.InvalidOutput", "Unknown"],
    [new OutputStore.StorageError({ operation: "retain" }), "Operational.RetentionFailed", "Unknown"],
    [storage("begin"), "Operational.RetentionFailed", "None"],
    [storage("complete"), "Operational.RetentionFailed", "Unknown"],
    [new Materialization.CallInProgress(), "Pending.External", "Unknown"],
    [new Materialization.SelfInterrupted({ effect: SideEffect.none }), "Operational.Defect", "None"],
    [already("Interrupted"), "Interrupted", "Committed"],
    [already("Died"), "Operational.Defect", "Committed"]
  ])("of the error %o is %s", (error, tag, effect) => {
    assert.deepStrictEqual(ended(Cause.fail(error)), [tag, effect])
  })

  it("of a defect is an operational one that tells nothing of it, and of an interruption an interruption", () => {
    assert.deepStrictEqual(ended(Cause.die(new Error("hunter2"))), ["Operational.Defect", "Unknown"])
    assert.deepStrictEqual(ended(Cause.die(1), { determinism: "pure" }), ["Operational.Defect", "None"])
    assert.deepStrictEqual(ended(Cause.interrupt(1)), ["Interrupted", "Unknown"])
    const outcome = Settled.toOutcome(Exit.die(new Error("hunter2")), known)
    assert.notInclude(JSON.stringify(outcome), "hunter2")
    assert.deepInclude(outcome.leaf, { ref: "stl-1" })
  })
})

describe("a settled call as text", () => {
  const outcome = outcomeOf(failed(ToolFailure.notFound({ message: "No such file", field: "path" })))

  it.each([
    ["orloj", { status: "error", request_id: "call-1" }],
    ["uicp", { status: "terminal_error" }],
    ["contextos", { status: "error", tool_call_id: "call-1", run_id: "run-1" }],
    ["osaurus", { ok: false, kind: "not_found", tool: "edit" }]
  ] as const)("is an envelope of %s", (contract, expected) => {
    const rendered = Rendering.render(contract, outcome, { runId: "run-1" })
    assert.deepInclude(rendered._tag === "Envelope" ? JSON.parse(rendered.envelope) : {}, expected)
  })

  it("is none where the contract has none", () => {
    const interrupted = Settled.toOutcome(Exit.interrupt(1), known)
    const pending = Settled.toOutcome(Exit.fail(new Materialization.CallInProgress()), known)
    assert.deepStrictEqual(Rendering.render("osaurus", interrupted), { _tag: "NoEnvelope" })
    assert.deepStrictEqual(Rendering.render("orloj", pending), { _tag: "NoEnvelope", httpStatus: 202 })
  })
})
