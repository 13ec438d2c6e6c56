/**
 * The permission objects of the Orloj contract: which permissions and roles a tool demands of an agent, what becomes of
 * its operations, and which tools a policy blocks. Pure: the same objects and the same call give the same verdict.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { faultsOf } from "./internal/schemaFaults.ts"
import * as Sentences from "./internal/sentences.ts"

const Name = Schema.NonEmptyString
const Names = Schema.optionalKey(Schema.Array(Name))
const ApplyMode = Schema.optionalKey(Schema.Literals(["global", "scoped"]))

/** What an operation does to what it works on. */
export const OperationClass = Schema.Literals(["read", "write", "delete", "admin"])
export type OperationClass = typeof OperationClass.Type

/** From the mildest to the strictest. */
const Verdicts = Schema.Literals(["allow", "approval_required", "deny"])

/** What becomes of the operations of one class; `*` is for the classes that no other rule of the object names. */
export const OperationRule = Schema.Struct({
  operation_class: Schema.Literals([...OperationClass.literals, "*"]),
  verdict: Verdicts
})
export type OperationRule = typeof OperationRule.Type

/** For nobody it would look like a rule, and be none. */
const namesAgents = Schema.makeFilter(
  ({ apply_mode, target_agents = [] }: Pick<ToolPermission, "apply_mode" | "target_agents">) =>
    apply_mode !== "scoped" || target_agents.length > 0 || "a scoped permission names its target_agents"
)

/** What one tool demands. Without permissions and operation rules it demands the tool's default permissions. */
export const ToolPermission = Schema.Struct({
  name: Name,
  /** The tool. The object's own name, unless it is another one. */
  tool_ref: Schema.optionalKey(Name),
  /** `invoke`, unless it is another one. */
  action: Schema.optionalKey(Name),
  required_permissions: Names,
  /** `all` of the permissions, unless one of them is enough. */
  match_mode: Schema.optionalKey(Schema.Literals(["all", "any"])),
  /** For every agent, unless it is scoped. */
  apply_mode: ApplyMode,
  target_agents: Names,
  operation_rules: Schema.optionalKey(Schema.Array(OperationRule))
}).check(namesAgents)
export type ToolPermission = typeof ToolPermission.Type

type Targets = Pick<AgentPolicy, "apply_mode" | "target_agents" | "target_systems" | "target_tasks">

const namesSomebody = Schema.makeFilter(
  ({ apply_mode, target_agents = [], target_systems = [], target_tasks = [] }: Targets) =>
    apply_mode === "global" ||
    target_agents.length + target_systems.length + target_tasks.length > 0 ||
    "a policy that is not global names its target_agents, target_systems or target_tasks"
)

/** What agents, systems and tasks may not use. Models and tokens are carried for whoever runs a model. */
export const AgentPolicy = Schema.Struct({
  name: Name,
  max_tokens_per_run: Schema.optionalKey(Schema.Int),
  allowed_models: Names,
  blocked_tools: Names,
  /** Scoped, unless it is for everybody. */
  apply_mode: ApplyMode,
  target_systems: Names,
  target_tasks: Names,
  target_agents: Names
}).check(namesSomebody)
export type AgentPolicy = typeof AgentPolicy.Type

/** Permissions under a name. */
export const AgentRole = Schema.Struct({ name: Name, permissions: Schema.Array(Name) })
export type AgentRole = typeof AgentRole.Type

/** Which roles an agent has, and what it may call whatever the roles say. */
export const Agent = Schema.Struct({ name: Name, roles: Names, allowed_tools: Names })
export type Agent = typeof Agent.Type

/** Everything that decides. An agent that is not among them has no role. */
export const Objects = Schema.Struct({
  tool_permissions: Schema.optionalKey(Schema.Array(ToolPermission)),
  agent_policies: Schema.optionalKey(Schema.Array(AgentPolicy)),
  agent_roles: Schema.optionalKey(Schema.Array(AgentRole)),
  agents: Schema.optionalKey(Schema.Array(Agent))
})
export type Objects = typeof Objects.Type

/** One or more objects are wrong, and none of them counts. */
export class InvalidObjectsError extends Schema.TaggedError<InvalidObjectsError>()(
  "ToolPermissions.InvalidObjectsError",
  {
    /** For the author: every fault, and what to write instead. */
    message: Schema.String,
    faults: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
  }
) {}

const decodeObjects = Schema.decodeUnknownResult(Objects, { errors: "all", onExcessProperty: "error" })

/** Objects from a configuration. */
export const decode = (objects: unknown): Result.Result<Objects, InvalidObjectsError> =>
  Result.mapError(decodeObjects(objects), ({ issue }) => {
    const faults = faultsOf(issue)
    return new InvalidObjectsError({ message: Sentences.invalidObjects(faults), faults })
  })

/** Whose call of which tool is judged. */
export interface Subject {
  readonly tool: string
  readonly agent: string
  readonly system?: string
  readonly task?: string
  readonly capabilities?: ReadonlyArray<string>
  /** What the tool declares. Without it, its risk tells. */
  readonly operations?: ReadonlyArray<OperationClass>
  readonly risk?: "low" | "medium" | "high" | "critical"
}

/** What the objects say, and by which of them. What is missing is told as it was demanded. */
export type Verdict =
  | { readonly _tag: "Allow"; readonly rules: ReadonlyArray<string> }
  | { readonly _tag: "Ask"; readonly rule: string; readonly operation: OperationClass }
  | { readonly _tag: "Blocked"; readonly rule: string }
  | { readonly _tag: "Forbidden"; readonly rule: string; readonly operation: OperationClass }
  | { readonly _tag: "MissingRoles"; readonly roles: ReadonlyArray<string> }
  | {
      readonly _tag: "MissingPermissions"
      readonly rule?: string
      readonly match: "all" | "any"
      readonly permissions: ReadonlyArray<string>
    }

/** The strictest of what all objects say. */
export const judge = (objects: Objects, subject: Subject): Verdict => {
  const blocking = objects.agent_policies?.find((policy) => isBlocking(policy, subject))
  if (blocking !== undefined) return { _tag: "Blocked", rule: blocking.name }
  const agent = objects.agents?.find(({ name }) => isSame(name, subject.agent))
  if (includes(agent?.allowed_tools, subject.tool)) return { _tag: "Allow", rules: [] }
  const { granted, missing } = rolesOf(objects, agent)
  if (missing.length > 0) return { _tag: "MissingRoles", roles: missing }
  const rules = (objects.tool_permissions ?? []).filter((rule) => isAbout(rule, subject))
  if (rules.length > 0) return judgeRules(rules, subject, granted)
  if ((agent?.roles ?? []).length === 0) return { _tag: "Allow", rules: [] }
  return lacking({ permissions: defaultsOf(subject, defaultAction), match: "all", granted }) ?? allow([])
}

const allow = (rules: ReadonlyArray<ToolPermission>): Verdict => ({
  _tag: "Allow",
  rules: rules.map(({ name }) => name)
})

/** Tools and agents are the same in either case of letters, as in Orloj. */
const keyOf = (name: string): string => name.trim().toLowerCase()

const isSame = (left: string, right: string): boolean => keyOf(left) === keyOf(right)

const includes = (names: ReadonlyArray<string> | undefined, name: string | undefined): boolean =>
  name !== undefined && (names ?? []).some((other) => isSame(other, name))

const isBlocking = (policy: AgentPolicy, { agent, system, task, tool }: Subject): boolean => {
  if (!includes(policy.blocked_tools, tool)) return false
  return (
    policy.apply_mode === "global" ||
    includes(policy.target_agents, agent) ||
    includes(policy.target_systems, system) ||
    includes(policy.target_tasks, task)
  )
}

const isAbout = ({ apply_mode, name, target_agents, tool_ref }: ToolPermission, { agent, tool }: Subject): boolean =>
  isSame(tool_ref ?? name, tool) && (apply_mode !== "scoped" || includes(target_agents, agent))

interface Roles {
  readonly granted: ReadonlySet<string>
  /** Roles of the agent that there are no objects for. */
  readonly missing: ReadonlyArray<string>
}

const rolesOf = ({ agent_roles = [] }: Objects, agent: Agent | undefined): Roles => {
  const found = (agent?.roles ?? []).map((role) => ({ role, object: agent_roles.find(({ name }) => name === role) }))
  return {
    granted: new Set(found.flatMap(({ object }) => (object?.permissions ?? []).map(normalized))),
    missing: found
      .filter(({ object }) => object === undefined)
      .map(({ role }) => role)
      .toSorted()
  }
}

const defaultAction = "invoke"

/** How permissions are compared, whoever wrote them. */
const normalized = (permission: string): string =>
  permission
    .toLowerCase()
    .replaceAll(/\s/gu, "")
    .replaceAll(/[-/\\]/gu, "_")

/** What a tool demands of whom nobody has said what it demands. */
const defaultsOf = ({ capabilities = [], tool }: Subject, action: string): ReadonlyArray<string> =>
  [`tool:${tool}:${action}`, ...capabilities.map((label) => `capability:${label}`)].map(normalized)

interface Demanded {
  readonly permissions: ReadonlyArray<string>
  readonly match: "all" | "any"
  readonly granted: ReadonlySet<string>
  readonly rule?: string
}

/** Of all that are demanded those that are missing; of any that would do, every one. */
const lacking = ({ granted, match, permissions, rule }: Demanded): Verdict | undefined => {
  const missing = [...new Set(permissions)].filter((permission) => !granted.has(permission))
  if (missing.length === 0 || (match === "any" && missing.length < new Set(permissions).size)) return undefined
  return { _tag: "MissingPermissions", match, permissions: missing, ...(rule === undefined ? {} : { rule }) }
}

/** A missing permission refuses, whatever the operations are; of those the strictest verdict of all rules counts. */
const judgeRules = (rules: ReadonlyArray<ToolPermission>, subject: Subject, granted: ReadonlySet<string>): Verdict => {
  for (const { action = defaultAction, match_mode: match = "all", name, operation_rules = [], ...rule } of rules) {
    const required = rule.required_permissions ?? []
    const isEmpty = required.length === 0 && operation_rules.length === 0
    const permissions = isEmpty ? defaultsOf(subject, action) : required.map(normalized)
    const refusal = lacking({ permissions, match, granted, rule: name })
    if (refusal !== undefined) return refusal
  }
  const found = rules.flatMap((rule) =>
    operationsOf(subject).map((operation) => ({ rule: rule.name, operation, verdict: verdictOf(rule, operation) }))
  )
  const { operation, rule, verdict } = found.reduce((left, right) =>
    severity(right.verdict) > severity(left.verdict) ? right : left
  )
  if (verdict === "deny") return { _tag: "Forbidden", rule, operation }
  return verdict === "approval_required" ? { _tag: "Ask", rule, operation } : allow(rules)
}

const severity = (verdict: OperationRule["verdict"]): number => Verdicts.literals.indexOf(verdict)

/** A tool that declares no operation has one all the same. */
const operationsOf = ({ operations = [], risk }: Subject): ReadonlyArray<OperationClass> => {
  if (operations.length > 0) return operations
  return risk === "high" || risk === "critical" ? ["write"] : ["read"]
}

/** The rules that name the class, or else those for every class; of several the strictest. */
const verdictOf = ({ operation_rules = [] }: ToolPermission, operation: OperationClass): OperationRule["verdict"] => {
  const exact = operation_rules.filter(({ operation_class }) => operation_class === operation)
  const rules = exact.length > 0 ? exact : operation_rules.filter(({ operation_class }) => operation_class === "*")
  return rules.reduce<OperationRule["verdict"]>(
    (strictest, { verdict }) => (severity(verdict) > severity(strictest) ? verdict : strictest),
    "allow"
  )
}
