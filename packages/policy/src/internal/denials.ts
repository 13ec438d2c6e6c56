/** The errors of a refused permission. */
import * as Permission from "@haft/core/Permission"
import type * as Approval from "../Approval.ts"
import * as Sentences from "./sentences.ts"
import { subjectOf } from "./subject.ts"

type Request = Pick<Permission.Request, "action">

export const byPolicy = ({ action }: Request, message: string): Permission.DeniedError =>
  new Permission.DeniedError({ message, by: "policy", permission: action })

/** Nobody has answered in time. */
export const late = (
  { expiresAt, id, request: { action } }: Approval.Approval,
  message: string
): Permission.DeniedError =>
  new Permission.DeniedError({ message, by: "policy", permission: action, expired: { approvalID: id, at: expiresAt } })

/** Without a rule, the path is closed to all tools. */
export const byRule = ({ action }: Request, rule: string | undefined): Permission.DeniedError =>
  rule === undefined
    ? byPolicy({ action }, Sentences.closedPath)
    : new Permission.DeniedError({ message: Sentences.deniedByRule(rule), by: "policy", permission: action, rule })

/** A rule that the host advises helps only where one can. */
export const unattended = (request: Permission.Request, advice?: string): Permission.DeniedError => {
  const { action, resources } = request
  if (!resources.every((resource) => subjectOf(action, resource).canBeAllowed)) {
    return byPolicy(request, Sentences.unattendedPerson)
  }
  return byPolicy(request, advice === undefined ? Sentences.unattended : `${Sentences.unattended} ${advice}`)
}

export const byUser = (
  { action }: Request,
  { feedback, stops }: Omit<Extract<Approval.Decision, { readonly _tag: "Rejected" }>, "_tag">
): Permission.DeniedError =>
  new Permission.DeniedError({
    message: stops ? Sentences.stopped : Sentences.rejected,
    by: "user",
    permission: action,
    ...(feedback === undefined ? {} : { feedback })
  })
