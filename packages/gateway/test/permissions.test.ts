import { assert, describe, it } from "@effect/vitest"
import { Tools, type Tool } from "@haft/core"
import { ApprovalGate, Audit, Authorizer, Front, Gateway } from "@haft/gateway"
import type { ToolPermissions } from "@haft/policy"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer, Result } from "effect"
import { counted, layerCatalog, request } from "./support/governing.ts"

const echo = (annotations: Tool.Annotations = {}) =>
  counted({ determinism: "side_effectful", ...annotations }, ({ text }) => Effect.succeed(text))

/** A gateway around one tool, whose objects a test may change between calls. */
const permitted = <A, E>(
  tool: Tool.Any,
  objects: { now: ToolPermissions.Objects },
  test: (gateway: Gateway.Interface, audit: Audit.Interface, asked: Array<ApprovalGate.Asked>) => Effect.Effect<A, E>
) => {
  const asked: Array<ApprovalGate.Asked> = []
  const gate: ApprovalGate.Interface = {
    ask: (question) => Effect.sync(() => Result.succeed({ id: `approval-${asked.push(question)}`, approver: "ada" }))
  }
  return Effect.gen(function* () {
    yield* Effect.flatMap(Tools.Service, (tools) => tools.register({ tool }))
    return yield* test(yield* Gateway.Service, yield* Audit.Service, asked)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Gateway.layerMemory().pipe(
        Layer.provide([
          Layer.sync(Authorizer.Service, () => Authorizer.fromToolPermissions(() => objects.now)),
          Layer.succeed(ApprovalGate.Service, gate)
        ]),
        Layer.provideMerge(layerCatalog),
        Layer.provideMerge(Testing.layer)
      )
    )
  )
}

const deletes = (verdict: "allow" | "deny" | "approval_required"): ToolPermissions.Objects => ({
  tool_permissions: [
    {
      name: "careful",
      tool_ref: "tool",
      operation_rules: [
        { operation_class: "*", verdict: "deny" },
        { operation_class: "delete", verdict }
      ]
    }
  ]
})

describe("permission objects before a gateway", () => {
  it.effect("M34: decide when the call is made: the same call is refused, then approved, then simply made", () => {
    const tool = echo({ operations: ["delete"] })
    const objects = { now: deletes("deny") }
    return permitted(tool.tool, objects, (gateway, audit, asked) =>
      Effect.gen(function* () {
        const refused = yield* gateway.call(request())
        assert.deepInclude(refused.leaf, { _tag: "Denied.Policy", rule: "careful", origin: "gate" })
        assert.deepStrictEqual([refused.governance.ruleRefs, tool.calls()], [["careful"], 0])
        objects.now = deletes("approval_required")
        const approved = yield* gateway.call(request({ callId: "second" }))
        assert.deepInclude(approved.governance, { approval: { id: "approval-1", approver: "ada" } })
        assert.deepStrictEqual([approved.leaf._tag, tool.calls(), asked.length], ["Success.Effect", 1, 1])
        assert.deepInclude(asked[0], { gateId: "careful", ruleRefs: ["careful"] })
        objects.now = deletes("allow")
        const made = yield* gateway.call(request({ callId: "third" }))
        assert.deepStrictEqual([made.leaf._tag, tool.calls(), asked.length], ["Success.Effect", 2, 1])
        const [entry] = yield* audit.find("second")
        assert.deepNestedInclude(entry, { "closing.policy_decisions[0].rule_ids": ["careful"] })
      })
    )
  })

  it.effect("M36: an approval is asked for under the version of the objects that want it", () => {
    const tool = echo({ operations: ["delete"] })
    const objects = { now: deletes("approval_required") }
    return permitted(tool.tool, objects, (gateway, _, asked) =>
      Effect.gen(function* () {
        yield* gateway.call(request({ callId: "first" }))
        yield* gateway.call(request({ callId: "second" }))
        objects.now = { ...objects.now, agents: [] }
        yield* gateway.call(request({ callId: "third" }))
        const [first, second, third] = asked.map(({ policyVersion }) => policyVersion)
        assert.strictEqual(first, second)
        assert.notStrictEqual(second, third)
        assert.match(first ?? "", /^sha256:/)
      })
    )
  })

  it.effect(
    "M34: the denial names rule, roles and missing permissions on the wire, and no key or handler is touched",
    () => {
      const tool = echo({ capabilities: ["network.read"] })
      const objects: { now: ToolPermissions.Objects } = {
        now: { agents: [{ name: "agent-1", roles: ["reader"] }] }
      }
      return permitted(tool.tool, objects, (gateway, audit) =>
        Effect.gen(function* () {
          const orloj = Front.orloj(gateway)
          const send = (id: string) =>
            Effect.map(
              orloj({
                request_id: id,
                agent: "agent-1",
                tool: { name: "tool" },
                input: { text: "x" },
                haft: { v: 1, idempotencyKey: "key-1" }
              }),
              (answer) => (answer._tag === "Envelope" ? answer.envelope : undefined)
            )
          const denied = { status: "denied", "error.code": "permission_denied", "error.details.tool": "tool" }
          assert.deepNestedInclude(yield* send("a"), { ...denied, "error.details.missing_roles": ["reader"] })
          objects.now = { ...objects.now, agent_roles: [{ name: "reader", permissions: ["capability:network.read"] }] }
          assert.deepNestedInclude(yield* send("b"), { ...denied, "error.details.required": ["tool:tool:invoke"] })
          const rule = {
            name: "either",
            tool_ref: "tool",
            required_permissions: ["x", "y"],
            match_mode: "any"
          } as const
          objects.now = { ...objects.now, tool_permissions: [rule] }
          assert.deepNestedInclude(yield* send("c"), {
            ...denied,
            "error.details.required_any": ["x", "y"],
            "error.details.rule": "either"
          })
          const policy = { name: "frozen", blocked_tools: ["tool"], apply_mode: "global" } as const
          objects.now = { ...objects.now, agent_policies: [policy] }
          assert.deepNestedInclude(yield* send("d"), { ...denied, "error.details.rule": "frozen" })
          assert.strictEqual(tool.calls(), 0)
          objects.now = {}
          assert.deepInclude(yield* send("e"), { status: "ok" })
          assert.deepStrictEqual([tool.calls(), (yield* audit.counts).settled], [1, 5])
        })
      )
    }
  )
})
