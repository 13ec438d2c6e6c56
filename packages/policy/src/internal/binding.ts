/** What exactly an answer holds for, as one text that can be compared. */
import type * as Invocation from "@haft/core/Invocation"
import type * as Permission from "@haft/core/Permission"
import type * as Tool from "@haft/core/Tool"
import * as Option from "effect/Option"
import { hash } from "node:crypto"

/** In a fixed order. The metadata belongs to it, because an answer holds for nothing but what was shown. */
export const bindingOf = (
  request: Permission.Request,
  context: Tool.Context,
  invocation: Option.Option<Invocation.Interface>
): string => {
  const { agent, assistantMessageID, sessionID, toolCallID } = context
  const { action, guarded = [], metadata, resources, save, target = null } = request
  const call = [sessionID, agent, assistantMessageID, toolCallID]
  const tool = Option.match(invocation, {
    onNone: () => [],
    onSome: ({ inputFingerprint, name, registrationDigest }) => [name, registrationDigest, inputFingerprint]
  })
  return `sha256:${hash("sha256", JSON.stringify([call, tool, [action, resources, guarded, save, metadata, target]]))}`
}
