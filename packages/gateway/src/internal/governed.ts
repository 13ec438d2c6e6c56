/** One call while it is being governed, and what is known about it so far. */
import * as Agent from "@haft/core/Agent"
import * as Session from "@haft/core/Session"
import * as SideEffect from "@haft/core/SideEffect"
import type * as Tool from "@haft/core/Tool"
import * as ToolCall from "@haft/core/ToolCall"
import * as CallKey from "@haft/wire/CallKey"
import type { CallRequest } from "@haft/wire/CallRequest"
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
  costCents = 0
  private readonly startedNanos: bigint

  constructor(id: string, request: CallRequest, options: CallOptions, clock: Clock.Clock) {
    this.id = id
    const { actor = options.caller?.actor, tenantId = options.caller?.tenantId } = request
    this.request = { ...request, ...compact({ actor, tenantId }) }
    this.options = options
    this.clock = clock
    this.startedAt = clock.currentTimeMillisUnsafe()
    this.startedNanos = clock.monotonicTimeNanosUnsafe()
    this.context = contextOf(id, this.request, options)
    this.governance = compact({
      policyDecisionId: request.policyDecisionId,
      ruleRefs: [],
      modes: request.modes,
      principalChain: request.principalChain
    })
  }

  /** Since it arrived, on a clock that nobody can set. */
  get elapsedMs(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe() - this.startedNanos) / nanosPerMilli
  }

  get now(): number {
    return this.clock.currentTimeMillisUnsafe()
  }

  get runId(): string | undefined {
    const { run } = this.options
    return run === undefined ? undefined : JSON.stringify([run.tenant_id, run.run_id])
  }

  get actor(): string {
    return this.request.actor ?? this.request.agent ?? this.context.agent
  }

  get determinism(): NonNullable<Tool.Annotations["determinism"]> {
    return this.build === undefined ? "side_effectful" : determinismOf(this.build.definition)
  }

  requested(leaseMs: number): Requested {
    const { callId, fn, runId, toolId, toolName, trace } = this.request
    return compact({
      recordId: this.id,
      callId,
      toolId: toolId ?? toolName,
      fn,
      actor: this.actor,
      runId: runId ?? this.options.run?.run_id,
      traceId: trace?.traceId,
      at: this.startedAt,
      leaseUntil: this.startedAt + leaseMs
    })
  }

  /** What an outcome says about the call around its leaf. */
  get known(): Known {
    const { build, request } = this
    return compact({
      id: this.id,
      call: compact({
        callId: request.callId,
        toolName: request.toolName,
        fn: request.fn,
        toolId: build?.toolId ?? request.toolId,
        version: build?.version,
        digest: build?.digest
      }),
      determinism: build === undefined ? undefined : this.determinism,
      attempts: this.attempts,
      governance: this.governance,
      evidenceRefs: request.evidenceRefs,
      citations: [{ evidenceRef: `tool:${build?.toolId ?? request.toolName}:${request.callId}` }],
      auth: compact({ secretRef: request.authRef }),
      trace: request.trace,
      idempotency: compact({ key: this.key?.key }),
      limits: this.limits,
      costCents: this.costCents === 0 ? undefined : this.costCents,
      warnings: this.warnings,
      dryRun: request.dryRun
    })
  }

  /** Ends here, without another attempt. */
  end(leaf: Leaf, effect: SideEffect.SideEffect = this.effect): Outcome.Outcome {
    return this.timed(Outcome.make({ ...this.known, leaf, effect }))
  }

  /** From its arrival to now. */
  timed(outcome: Outcome.Outcome): Outcome.Outcome {
    const durationMs = Math.round(this.elapsedMs)
    return { ...outcome, timing: { startedAt: this.startedAt, endedAt: this.startedAt + durationMs, durationMs } }
  }
}

const isIdentifier = Schema.is(ToolCall.ID)

/** Ids of others may hold anything; those that a record cannot be keyed by get a form that can be derived from them. */
const identifier = (text: string): string => (isIdentifier(text) ? text : CallKey.toUuid(text))

const contextOf = (id: string, request: CallRequest, { message }: CallOptions): Tool.Context => ({
  sessionID: message?.sessionID ?? Session.ID.make(identifier(request.sessionId ?? request.runId ?? "gateway")),
  agent: message?.agent ?? Agent.ID.make(identifier(request.agent ?? request.actor ?? "gateway")),
  assistantMessageID: message?.assistantMessageID ?? Session.MessageID.make(id),
  toolCallID: ToolCall.ID.make(identifier(request.callId))
})
