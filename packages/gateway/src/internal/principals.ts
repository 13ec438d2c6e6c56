/** Whether a call belongs to its run, and how much it may do there. */
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Leaf from "@haft/wire/Leaf"
import { Mode, type Principal, type RunContext } from "@haft/wire/RunContext"
import * as Authorizer from "../Authorizer.ts"
import * as Sentences from "./sentences.ts"

/** What contracts say about principals and modes, whatever a host's own rules are. */
export const judge = ({ build, caller, request, run }: Authorizer.Asked): Authorizer.Verdict => {
  if (caller !== undefined && !isFrom(caller, request)) {
    return Authorizer.deny(Leaf.make("Denied.Permission", { message: Sentences.otherIdentity }), ["caller"])
  }
  if (run !== undefined && !isChainOf(request.principalChain, run)) {
    return Authorizer.deny(Leaf.make("Denied.Permission", { message: Sentences.chainBroken }), ["principal_chain"])
  }
  if (run !== undefined && !isOf(run, request)) {
    return Authorizer.deny(Leaf.make("Denied.Permission", { message: Sentences.otherRun }), ["run"])
  }
  const { modes } = request
  if (modes === undefined) return Authorizer.allow()
  const highest = lower(modes.highest, build.manifest?.["x-haft"]?.approval_mode_highest ?? modes.highest)
  if (isAbove(modes.requested, highest) || isAbove(modes.effective, highest)) {
    return Authorizer.deny(Leaf.make("Denied.Permission", { message: Sentences.aboveHighest }), [
      "approval_mode_highest"
    ])
  }
  return judgeMode(modes.effective, run)
}

/** Whatever cannot be taken back is approved first, also in a run that may do such things. */
const judgeMode = (effective: Mode, run: RunContext | undefined): Authorizer.Verdict =>
  effective === "destructive"
    ? stricter(Authorizer.ask(Sentences.destructive, [destructiveRule], destructiveRule), judgeRun(effective, run))
    : judgeRun(effective, run)

const destructiveRule = "destructive"

const judgeRun = (effective: Mode, run: RunContext | undefined): Authorizer.Verdict => {
  if (run === undefined) return Authorizer.allow()
  if (!isAbove("delegated", effective) && run.user.delegation === undefined) {
    const refusal = {
      message: Sentences.delegationRequired,
      origin: "gate",
      by: "policy",
      rule: delegationRule
    } as const
    return Authorizer.deny(Leaf.make("Denied.Policy", refusal), [delegationRule])
  }
  const { safety_mode } = run
  return isAbove(effective, safety_mode)
    ? Authorizer.ask(Sentences.aboveSafetyMode(effective, safety_mode), ["safety_mode"], "safety_mode")
    : Authorizer.allow()
}

const delegationRule = "delegation_required"

const rank = (mode: Mode): number => Mode.literals.indexOf(mode)

const isAbove = (mode: Mode, limit: Mode): boolean => rank(mode) > rank(limit)

const lower = (left: Mode, right: Mode): Mode => (isAbove(left, right) ? right : left)

/** It begins as the run's does, and nobody in it is of another tenant. */
const isChainOf = (chain: ReadonlyArray<Principal>, { agent, tenant_id }: RunContext): boolean =>
  chain.length > 0 &&
  chain.every((principal) => principal.tenant_id === undefined || principal.tenant_id === tenant_id) &&
  agent.principal_chain.every(({ id, kind }, index) => chain[index]?.id === id && chain[index]?.kind === kind)

/** Whoever names another run or tenant would meet the keys and the approvers of others. */
const isOf = ({ run_id, tenant_id }: RunContext, { runId = run_id, tenantId = tenant_id }: CallRequest): boolean =>
  runId === run_id && tenantId === tenant_id

/** Whatever the request claims about itself, it claims what was proved; the last of its chain is who sent it. */
const isFrom = (
  { actor, tenantId }: NonNullable<Authorizer.Asked["caller"]>,
  { actor: claimed, principalChain, tenantId: claimedTenant }: CallRequest
): boolean =>
  claimed === actor &&
  (principalChain.at(-1)?.id ?? actor) === actor &&
  (tenantId === undefined ||
    (claimedTenant === tenantId && principalChain.every(({ tenant_id = tenantId }) => tenant_id === tenantId)))

const severity = { Allow: 0, Ask: 1, Deny: 2 } as const

/** The most restrictive wins; what both refer to is kept. */
export const stricter = (left: Authorizer.Verdict, right: Authorizer.Verdict): Authorizer.Verdict => {
  if (left._tag === "Allow" && left.ruleRefs.length === 0) return right
  const ruleRefs = [...left.ruleRefs, ...right.ruleRefs]
  return { ...(severity[right._tag] >= severity[left._tag] ? right : left), ruleRefs }
}
