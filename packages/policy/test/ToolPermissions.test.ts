import { assert, describe, it } from "@effect/vitest"
import { ToolPermissions } from "@haft/policy"
import { Result, Schema } from "effect"

const subject = (more: Partial<ToolPermissions.Subject> = {}): ToolPermissions.Subject => ({
  tool: "web_search",
  agent: "researcher",
  ...more
})

const rule = (more: Partial<ToolPermissions.ToolPermission> = {}): ToolPermissions.ToolPermission => ({
  name: "rule-1",
  tool_ref: "web_search",
  ...more
})

const judged = (objects: ToolPermissions.Objects, more: Partial<ToolPermissions.Subject> = {}) =>
  ToolPermissions.judge(objects, subject(more))

const operations = (
  ...rules: ReadonlyArray<
    readonly [ToolPermissions.OperationRule["operation_class"], "allow" | "deny" | "approval_required"]
  >
) => rules.map(([operation_class, verdict]) => ({ operation_class, verdict }))

const researcher = (more: Partial<ToolPermissions.Agent> = {}) => ({ agents: [{ name: "researcher", ...more }] })

describe("permission objects of the Orloj contract", () => {
  it("allow what no rule and no role is about", () => {
    assert.deepStrictEqual(judged({}), { _tag: "Allow", rules: [] })
    assert.deepStrictEqual(judged({ tool_permissions: [rule({ tool_ref: "other" })] })._tag, "Allow")
  })

  it("block a tool before anything else is asked, for whom the policy is", () => {
    const blocked = { name: "no-web", blocked_tools: ["Web_Search"] }
    const allowed = researcher({ allowed_tools: ["web_search"] })
    const forAll = { ...allowed, agent_policies: [{ ...blocked, apply_mode: "global" as const }] }
    assert.deepStrictEqual(judged(forAll), { _tag: "Blocked", rule: "no-web" })
    const scoped = (targets: object) => ({ ...allowed, agent_policies: [{ ...blocked, ...targets }] })
    assert.strictEqual(judged(scoped({ target_agents: ["RESEARCHER"] }))._tag, "Blocked")
    assert.strictEqual(judged(scoped({ target_agents: ["writer"] }))._tag, "Allow")
    assert.strictEqual(judged(scoped({ target_systems: ["lab"] }), { system: "lab" })._tag, "Blocked")
    assert.strictEqual(judged(scoped({ target_tasks: ["weekly"] }), { task: "weekly" })._tag, "Blocked")
    assert.strictEqual(judged(scoped({ target_tasks: ["weekly"] }))._tag, "Allow")
  })

  it("let a tool through that the agent is allowed by name, whatever its roles and the rules are", () => {
    const objects = {
      ...researcher({ allowed_tools: ["web_search"], roles: ["gone"] }),
      tool_permissions: [rule({ operation_rules: operations(["*", "deny"]) })]
    }
    assert.deepStrictEqual(judged(objects), { _tag: "Allow", rules: [] })
    assert.strictEqual(judged(objects, { tool: "other" })._tag, "MissingRoles")
  })

  it("refuse an agent with a role that nobody has defined", () => {
    const objects = { ...researcher({ roles: ["b", "known", "a"] }), agent_roles: [{ name: "known", permissions: [] }] }
    assert.deepStrictEqual(judged(objects), { _tag: "MissingRoles", roles: ["a", "b"] })
  })

  it("demand default permissions of an agent with roles where there is no rule", () => {
    const having = (permissions: ReadonlyArray<string>) => ({
      ...researcher({ roles: ["reader"] }),
      agent_roles: [{ name: "reader", permissions }]
    })
    const more = { tool: "Web-Search", capabilities: ["network.read"] }
    assert.deepStrictEqual(judged(having([]), more), {
      _tag: "MissingPermissions",
      match: "all",
      permissions: ["tool:web_search:invoke", "capability:network.read"]
    })
    const granted = having(["Tool: web/search : INVOKE", "capability:network.read"])
    assert.strictEqual(judged(granted, more)._tag, "Allow")
  })

  it("demand all of the permissions of every rule, or any where that is enough, and say which are missing", () => {
    const objects = (rules: ReadonlyArray<ToolPermissions.ToolPermission>) => ({
      ...researcher({ roles: ["reader"] }),
      agent_roles: [{ name: "reader", permissions: ["a"] }],
      tool_permissions: rules
    })
    const all = rule({ required_permissions: ["a", "b"] })
    assert.deepStrictEqual(judged(objects([all])), {
      _tag: "MissingPermissions",
      rule: "rule-1",
      match: "all",
      permissions: ["b"]
    })
    const any = rule({ name: "rule-2", required_permissions: ["a", "b"], match_mode: "any" })
    assert.deepStrictEqual(judged(objects([any])), { _tag: "Allow", rules: ["rule-2"] })
    const none = rule({ name: "rule-3", required_permissions: ["c", "d"], match_mode: "any" })
    assert.deepStrictEqual(judged(objects([any, none])), {
      _tag: "MissingPermissions",
      rule: "rule-3",
      match: "any",
      permissions: ["c", "d"]
    })
    const empty = rule({ name: "rule-4", action: "Run" })
    assert.deepInclude(judged(objects([empty])), { permissions: ["tool:web_search:run"] })
    assert.strictEqual(
      judged(objects([rule({ apply_mode: "scoped", target_agents: ["writer"] })]))._tag,
      "MissingPermissions"
    )
  })

  it("M34: an exact class beats * within one rule, and the strictest of all rules and classes counts", () => {
    const exact = rule({ operation_rules: operations(["*", "deny"], ["read", "allow"]) })
    assert.strictEqual(judged({ tool_permissions: [exact] }, { operations: ["read"] })._tag, "Allow")
    const rest = judged({ tool_permissions: [exact] }, { operations: ["read", "delete"] })
    assert.deepStrictEqual(rest, { _tag: "Forbidden", rule: "rule-1", operation: "delete" })
    const asking = rule({ name: "rule-2", operation_rules: operations(["read", "approval_required"]) })
    const both = judged({ tool_permissions: [exact, asking] }, { operations: ["read"] })
    assert.deepStrictEqual(both, { _tag: "Ask", rule: "rule-2", operation: "read" })
    const denying = rule({ name: "rule-3", operation_rules: operations(["*", "deny"]) })
    const three = judged({ tool_permissions: [denying, asking, exact] }, { operations: ["read"] })
    assert.deepStrictEqual(three, { _tag: "Forbidden", rule: "rule-3", operation: "read" })
    const twice = rule({ operation_rules: operations(["read", "allow"], ["read", "deny"]) })
    assert.strictEqual(judged({ tool_permissions: [twice] }, { operations: ["read"] })._tag, "Forbidden")
  })

  it("take a tool that declares no operation for one that its risk suggests", () => {
    const objects = { tool_permissions: [rule({ operation_rules: operations(["write", "deny"]) })] }
    assert.strictEqual(judged(objects)._tag, "Allow")
    assert.strictEqual(judged(objects, { risk: "medium" })._tag, "Allow")
    assert.strictEqual(judged(objects, { risk: "critical" })._tag, "Forbidden")
    assert.strictEqual(judged(objects, { risk: "high", operations: [] })._tag, "Forbidden")
  })

  it.prop(
    "are never milder for one object more, as long as it is no grant",
    {
      rules: Schema.Array(
        Schema.Array(
          Schema.Struct({
            operation_class: Schema.Literals(["read", "write", "*"]),
            verdict: Schema.Literals(["allow", "approval_required", "deny"])
          })
        ).check(Schema.isMaxLength(4), Schema.isMinLength(1))
      ).check(Schema.isMaxLength(4), Schema.isMinLength(1)),
      classes: Schema.Array(Schema.Literals(["read", "write", "delete"]))
    },
    ({ classes, rules }) => {
      const strictness = { Allow: 0, Ask: 1, Forbidden: 2, Blocked: 2, MissingRoles: 2, MissingPermissions: 2 }
      const objects = rules.map((operation_rules, index) => rule({ name: `rule-${index}`, operation_rules }))
      const levels = objects.map(
        (_, index) =>
          strictness[judged({ tool_permissions: objects.slice(0, index + 1) }, { operations: classes })._tag]
      )
      assert.deepStrictEqual(levels, levels.toSorted())
    }
  )

  it("are refused as a whole with everything that is wrong with them", () => {
    const { faults, message } = Result.getOrThrow(
      Result.flip(
        ToolPermissions.decode({
          tool_permissions: [
            { name: "a", apply_mode: "scoped" },
            { name: "", operation_rules: [{ verdict: "maybe" }] }
          ],
          agent_policies: [{ name: "b", blocked_tools: ["x"] }],
          agent: []
        })
      )
    )
    const paths = faults.map(({ path }) => path)
    for (const path of ["tool_permissions.0", "tool_permissions.1.name", "agent_policies.0", "agent"]) {
      assert.isTrue(
        paths.some((found) => found.startsWith(path)),
        `${path} in ${paths.join(" ")}`
      )
      assert.include(message, path)
    }
    assert.deepStrictEqual(Result.getOrThrow(ToolPermissions.decode({})), {})
  })
})
