/** What the permission objects of the Orloj contract say about a call, as a verdict. */
import * as ToolPermissions from "@haft/policy/ToolPermissions"
import * as Leaf from "@haft/wire/Leaf"
import type * as Authorizer from "../Authorizer.ts"
import { compact } from "./compact.ts"
import * as Sentences from "./sentences.ts"
import * as Verdicts from "./verdicts.ts"

export const verdictOf = (
  objects: ToolPermissions.Objects,
  asked: Authorizer.Asked,
  { system }: { readonly system?: string }
): Authorizer.Verdict => {
  const subject = { ...subjectOf(asked), ...compact({ system }) }
  const verdict = ToolPermissions.judge(objects, subject)
  const { tool } = subject
  switch (verdict._tag) {
    case "Allow":
      return Verdicts.allow(verdict.rules)
    case "Ask":
      return Verdicts.ask(Sentences.operationNeedsApproval(tool, verdict.operation), [verdict.rule], verdict.rule)
    case "Blocked":
      return forbidden(Sentences.toolBlocked(tool), tool, verdict.rule)
    case "Forbidden":
      return forbidden(Sentences.operationForbidden(tool, verdict.operation), tool, verdict.rule)
    case "MissingRoles":
      return Verdicts.deny(
        Leaf.make("Denied.Permission", {
          message: Sentences.rolesMissing(verdict.roles),
          missingRoles: verdict.roles,
          details: { tool }
        })
      )
    case "MissingPermissions":
      return lacking(tool, verdict)
  }
}

/** The names of a tool that is published in versions are its id and not that of a registration. */
const subjectOf = ({ build, request }: Authorizer.Asked): ToolPermissions.Subject => {
  const { capabilities, operations, risk } = build.definition.annotations
  const declared = build.manifest?.["x-haft"]
  return {
    tool: build.toolId,
    agent: request.actor ?? request.agent ?? "",
    ...compact({
      // Without the namespace that stands before it.
      task: request.taskId?.split("/").at(-1),
      capabilities: declared?.capability_labels ?? capabilities,
      operations: declared?.operation_classes ?? operations,
      risk: declared?.risk_level ?? risk
    })
  }
}

const forbidden = (message: string, tool: string, rule: string): Authorizer.Verdict =>
  Verdicts.deny(Leaf.make("Denied.Policy", { message, origin: "gate", by: "policy", rule, details: { tool } }), [rule])

const lacking = (
  tool: string,
  { match, permissions, rule }: Extract<ToolPermissions.Verdict, { readonly _tag: "MissingPermissions" }>
): Authorizer.Verdict => {
  const missing = match === "any" ? { requiredAny: permissions } : { required: permissions }
  const message = Sentences.permissionsMissing(permissions, match)
  const details = compact({ tool, rule })
  return Verdicts.deny(
    Leaf.make("Denied.Permission", { message, ...missing, details }),
    rule === undefined ? [] : [rule]
  )
}
