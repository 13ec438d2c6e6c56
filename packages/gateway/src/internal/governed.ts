/** One call while it is being governed, and what is known about it so far. */
import * as Agent from "@haft/core/Agent"
import * as Session from "@haft/core/Session"
import * as SideEffect from "@haft/core/SideEffect"
import type * as Tool from "@haft/core/Tool"
import * as ToolCall from "@haft/core/ToolCall"
import * as CallKey from "@haft/wire/CallKey"
import type { CallRequest } from "@haft/wire/CallRequest"
import type { DecisionRecord } from "@haft/wire/DecisionRecord"
import type { Leaf } from "@haft/wire/Leaf"
import * as Outcome from "@haft/wire/Outcome"
import type { RunContext } from "@haft/wire/RunContext"
import type { Known } from "@haft/wire/Settled"
import type * as Clock from "effect/Clock"
import * as Schema from "effect/Schema"
import type { Requested } from "../Audit.ts"
import type { Build } from "../Catalog.ts"
import { compact } from "./compact.ts"
import { determinismOf } from "./determinism.ts"
import type { Key } from "./keys.ts"
import { noControls } from "./records.ts"

/** Somebody whose identity has been proved. */
export interface Caller {
  readonly actor: string
  readonly tenantId?: string
}

/** What the host knows about a call and the request does not say. */
export interface CallOptions {
  /** For whom and within which limits it is made. */
  readonly run?: RunContext
  /** Who sent it, as far as that has been proved. What the request claims has to agree with it. */
  readonly caller?: Caller
  /** Where it stands in a session. Without it the call gets a message of its own. */
  readonly message?: Omit<Tool.Context, "toolCallID">
}

const nanosPerMilli = 1e6

/** What an attempt may still use. Short enough that the account of a dead process is closed soon after. */
export const leaseGraceMs = 30_000

export class Governed {
  readonly id: string
  request: CallRequest
  readonly options: CallOptions
  readonly clock: Clock.Clock
  readonly startedAt: number
  readonly context: Tool.Context
  build: Build | undefined
  key: Key | undefined
  governance: Outcome.Outcome["governance"]
  attempts: ReadonlyArray<Outcome.Attempt> = []
  /** What the attempts so far may have done. */
  effect: SideEffect.SideEffect = SideEffect.notStarted
  warnings: ReadonlyArray<string> = []
  limits: Outcome.Outcome["limits"]
  /** What held while it was decided about. */
  controls: DecisionRecord["controls_active"] = noControls
  costCents = 0
  /** As it stands on the account. */
  readonly entry: Requested
  private readonly startedNanos: bigint

  constructor(id: string, request: CallRequest, options: CallOptions, clock: Clock.Clock, within: Within) {
    this.id = id
    this.options = options
    this.clock = clock
    this.startedAt = clock.currentTimeMillisUnsafe()
    this.request = inTime(proved(request, options), this.startedAt + within.maxMs)
    this.startedNanos = clock.monotonicTimeNanosUnsafe()
    this.context = contextOf(id, this.request, options)
    const { modes, policyDecisionId, principalChain } = request
    this.governance = {
      ruleRefs: [],
      principalChain,
      ...(policyDecisionId === undefined ? undefined : { policyDecisionId }),
      ...(modes === undefined ? undefined : { modes })
    }
    this.entry = this.entryOf(within)
  }

  /** Since it arrived, on a clock that nobody can set. */
  get elapsedMs(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe() - this.startedNanos) / nanosPerMilli
  }

  get now(): number {
    return this.clock.currentTimeMillisUnsafe()
  }

  get actor(): string {
    return this.request.actor ?? this.request.agent ?? this.context.agent
  }

  get determinism(): NonNullable<Tool.Annotations["determinism"]> {
    return this.build === undefined ? "side_effectful" : determinismOf(this.build.definition)
  }

  private entryOf({ approvalMs, callMs }: Within): Requested {
    const { callId, deadlineUnixMs, fn, runId = this.options.run?.run_id, toolId, toolName, trace } = this.request
    // Whoever is asked for an approval may take longer than the call had.
    const restMs =
      deadlineUnixMs === undefined ? callMs + approvalMs : Math.max(deadlineUnixMs - this.startedAt, approvalMs)
    const traceId = trace?.traceId
    return {
      recordId: this.id,
      callId,
      toolId: toolId ?? toolName,
      fn,
      actor: this.actor,
      at: this.startedAt,
      leaseUntil: this.startedAt + Math.max(0, restMs) + leaseGraceMs,
      ...(runId === undefined ? undefined : { runId }),
      ...(traceId === undefined ? undefined : { traceId })
    }
  }

  /** What an outcome says about the call around its leaf. */
  get known(): Known {
    const { build, costCents, key, limits, request } = this
    const { authRef, callId, toolName, trace } = request
    return {
      id: this.id,
      call: this.calledAs,
      attempts: this.attempts,
      governance: this.governance,
      evidenceRefs: request.evidenceRefs,
      citations: [{ evidenceRef: `tool:${build?.toolId ?? toolName}:${callId}` }],
      auth: authRef === undefined ? {} : { secretRef: authRef },
      idempotency: key === undefined ? {} : { key: key.key },
      warnings: this.warnings,
      dryRun: request.dryRun,
      ...(build === undefined ? undefined : { determinism: this.determinism }),
      ...(trace === undefined ? undefined : { trace }),
      ...(limits === undefined ? undefined : { limits }),
      ...(costCents === 0 ? undefined : { costCents })
    }
  }

  private get calledAs(): Outcome.Call {
    const { callId, fn, toolId, toolName } = this.request
    if (this.build === undefined)
      return toolId === undefined ? { callId, toolName, fn } : { callId, toolName, fn, toolId }
    const { build } = this
    const called = { callId, toolName, fn, toolId: build.toolId, digest: build.digest }
    return build.version === undefined ? called : { ...called, version: build.version }
  }

  /** Ends here, without another attempt. */
  end(leaf: Leaf, effect: SideEffect.SideEffect = this.effect): Outcome.Outcome {
    return this.timed(Outcome.make({ ...this.known, leaf, effect }))
  }

  /** From its arrival to now. */
  timed(outcome: Outcome.Outcome): Outcome.Outcome {
    return { ...outcome, timing: this.timing }
  }

  get timing(): Outcome.Outcome["timing"] {
    const durationMs = Math.round(this.elapsedMs)
    return { startedAt: this.startedAt, endedAt: this.startedAt + durationMs, durationMs }
  }
}

/** How long a call may take that names no deadline, and how long whoever approves it may take before. */
interface Within {
  readonly callMs: number
  readonly approvalMs: number
  /** However late the deadline is that it names. */
  readonly maxMs: number
}

/** A deadline that is too far away would keep a key, and a place on the account, for as long. */
const inTime = (request: CallRequest, latest: number): CallRequest =>
  request.deadlineUnixMs === undefined || request.deadlineUnixMs <= latest
    ? request
    : { ...request, deadlineUnixMs: latest }

/** With the identity of its sender, and the tenant of its run, where it claims none itself. */
const proved = (request: CallRequest, { caller, run }: CallOptions): CallRequest => {
  if (caller === undefined && run === undefined) return request
  const { actor = caller?.actor, tenantId = caller?.tenantId ?? run?.tenant_id } = request
  return { ...request, ...compact({ actor, tenantId }) }
}

const isIdentifier = Schema.is(ToolCall.ID)

/** Ids of others may hold anything; those that a record cannot be keyed by get a form that can be derived from them. */
const identifier = (text: string): string => (isIdentifier(text) ? text : CallKey.toUuid(text))

const contextOf = (id: string, request: CallRequest, { message }: CallOptions): Tool.Context => ({
  sessionID: message?.sessionID ?? Session.ID.make(identifier(request.sessionId ?? request.runId ?? "gateway")),
  agent: message?.agent ?? Agent.ID.make(identifier(request.agent ?? request.actor ?? "gateway")),
  assistantMessageID: message?.assistantMessageID ?? Session.MessageID.make(id),
  toolCallID: isIdentifier(request.callId) ? request.callId : ToolCall.ID.make(identifier(request.callId))
})
