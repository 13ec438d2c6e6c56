/** What is judged: one resource under one action, as rules are compared with it. */
import { isShell, restrictedAs, unisolated } from "./shellActions.ts"
import * as ShellResource from "./shellResource.ts"
import type * as Uncertain from "./uncertainText.ts"

export interface Subject {
  readonly action: string
  readonly text: Uncertain.Text
  /** Whether a rule, or what somebody saved, can answer for it at all. */
  readonly canBeAllowed: boolean
  /** Actions whose rules count if they deny or ask. */
  readonly restrictedAs: ReadonlyArray<string>
}

export const subjectOf = (action: string, resource: string): Subject => {
  if (!isShell(action)) return { action, text: [...resource], canBeAllowed: true, restrictedAs: [action] }
  return {
    action,
    text: ShellResource.textOf(resource),
    canBeAllowed: action !== unisolated && ShellResource.canBeAllowed(resource),
    restrictedAs: restrictedAs(action)
  }
}
