/** What an envelope tells about a call: the part of an outcome that travels. Absent is what its contract cannot say. */
import type { SideEffect } from "@haft/core/SideEffect"
import type { Leaf } from "./Leaf.ts"
import type { ApprovalRef, Artifact, Attempt } from "./Outcome.ts"
import type { Repeating, Retry } from "./Retry.ts"
import type * as Slot from "./Slot.ts"
import type { Trace } from "./TraceContext.ts"

export interface Answer {
  readonly leaf: Leaf
  readonly effect: SideEffect
  readonly retry: Retry
  readonly callId?: string
  readonly toolName?: string
  readonly toolId?: string
  readonly fn?: string
  readonly version?: string
  readonly digest?: string
  readonly durationMs?: number
  readonly attemptCount?: number
  readonly attempts: ReadonlyArray<Attempt>
  readonly warnings: ReadonlyArray<string>
  readonly artifacts: ReadonlyArray<Artifact>
  readonly citations: ReadonlyArray<{ readonly evidenceRef: string }>
  readonly riskTags: ReadonlyArray<string>
  readonly approval?: ApprovalRef
  readonly policyDecisionId?: string
  readonly costCents?: number
  readonly replayed: boolean
  readonly dryRun: boolean
  readonly trace?: Trace
}

/** What is known here about the call that was answered. */
export interface Options extends Repeating {
  /** What the tool can do outside. */
  readonly access?: "read" | "write" | "unknown"
  /** What was kept here about the call, for an envelope that has no place for a slot. */
  readonly journal?: Slot.Result
  /** The tool's output is text, so text that looks like JSON is not read as JSON. */
  readonly hasTextOutput?: boolean
}

/** The warning that a slot said something that the envelope around it does not. */
export const slotIgnored = "slot_ignored"
