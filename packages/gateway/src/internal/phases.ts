/** The tools of a call in two phases, and how they are called. */
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Outcome from "@haft/wire/Outcome"

export interface Target {
  readonly toolName: string
  readonly fn?: string
}

/** The second phase gets what the first one gave. */
export interface Phases {
  readonly prepare: Target
  readonly commit: Target
  readonly rollback: Target
}

/** The same call, of the tool that does the work. */
export const aimedAt = ({ fn = Outcome.defaultFn, toolName }: Target, request: CallRequest): CallRequest => ({
  ...request,
  toolName,
  toolId: toolName,
  fn
})
