/**
 * Where a call waits until somebody has approved it. The answer holds for exactly the call that was shown, once. Without a
 * gate, what needs approval is refused.
 */
import * as EffectSignal from "@haft/core/EffectSignal"
import * as Invocation from "@haft/core/Invocation"
import type * as Permission from "@haft/core/Permission"
import type * as Tool from "@haft/core/Tool"
import * as Leaf from "@haft/wire/Leaf"
import type { ApprovalRef } from "@haft/wire/Outcome"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Build } from "./Catalog.ts"
import { compact } from "./internal/compact.ts"
import { determinismOf } from "./internal/determinism.ts"
import { sha256 } from "./internal/digests.ts"
import * as Sentences from "./internal/sentences.ts"

/** What is to be approved. */
export interface Asked {
  readonly build: Build
  /** As it will run. */
  readonly input: Schema.JsonObject
  readonly reason: string
  readonly gateId?: string
  /** Which rules want it, and in which version of all of them. */
  readonly ruleRefs: ReadonlyArray<string>
  readonly policyVersion?: string
  /** Under a key, the same for whoever makes the call again. */
  readonly context: Tool.Context
  readonly actor: string
  readonly tenantId?: string
  /** Who asks, from the originator on. */
  readonly principals: ReadonlyArray<string>
  readonly evidenceRefs: ReadonlyArray<string>
}

export interface Interface {
  /** How long an answer may take. So long a call that waits is not taken for one whose process is gone. */
  readonly maxWaitMs?: number
  /** Returns when it is decided, or with the leaf that says why it will not be. */
  readonly ask: (asked: Asked) => Effect.Effect<Result.Result<ApprovalRef, Leaf.Leaf>>
}

export const Service = Context.Reference<Interface>("@haft/gateway/ApprovalGate", {
  defaultValue: () => ({ ask: () => Effect.succeed(Result.fail(unattended)) })
})

const unattended = Leaf.make("Denied.Policy", { message: Sentences.noGate, origin: "gate", by: "policy" })

/** The action that a permission implementation is asked about. */
export const action = "invoke"

/** What `@haft/policy` allows for an answer unless a host says otherwise. */
export const defaultMaxWaitMs = 600_000

/**
 * Asks whoever decides about permissions, `@haft/policy` for instance: its rules, people, time limit and store. The answer
 * is bound to the tool and its definition, the input, whoever calls, and the rules that want it; not to the trace, the
 * locale or whatever else a request may say.
 */
export const fromPermission = (
  permission: Permission.Interface,
  options: { readonly maxWaitMs?: number } = {}
): Interface => ({
  maxWaitMs: options.maxWaitMs ?? defaultMaxWaitMs,
  ask: Effect.fnUntraced(function* (asked) {
    const { build, context, gateId = action, input } = asked
    // Whoever approves says under which id, and who they are if they have proved it; a rule that allows has none.
    let given: { readonly id: string; readonly approver?: string } = { id: gateId }
    const granted = (approvalID: string = gateId, approver?: string) =>
      Effect.sync(() => void (given = { id: approvalID, ...compact({ approver }) }))
    const signal = { ...heard, granted }
    const metadata = shownOf(asked)
    const asking = permission
      .assert({ action, resources: [build.toolId], save: [], metadata }, context)
      .pipe(
        Effect.provideService(Invocation.Service, Option.some(invocationOf(build, input))),
        Effect.provideService(EffectSignal.Service, signal)
      )
    const answer = yield* Effect.result(asking)
    if (Result.isFailure(answer)) return Result.fail(refusalOf(answer.failure))
    return Result.succeed({
      ...given,
      evidenceSnapshotHash: sha256(metadata),
      decidedAt: yield* Clock.currentTimeMillis
    })
  })
})

/** All of it is shown, and the answer holds for nothing else. */
const shownOf = ({ build, evidenceRefs, input, principals, ...asked }: Asked): Schema.JsonObject => ({
  tool: build.toolId,
  fn: build.fn,
  digest: build.digest,
  input,
  actor: asked.actor,
  tenant: asked.tenantId ?? null,
  principals,
  reason: asked.reason,
  rules: asked.ruleRefs,
  policyVersion: asked.policyVersion ?? null,
  evidence: evidenceRefs
})

const invocationOf = ({ definition, digest }: Build, input: Schema.JsonObject): Invocation.Interface => ({
  name: definition.name,
  registrationDigest: digest,
  input,
  inputFingerprint: sha256(input),
  determinism: determinismOf(definition)
})

/** Nothing runs while a gate is asked, so there is nothing to tell about effects. */
const heard: Omit<EffectSignal.Interface, "granted"> = {
  asking: Effect.void,
  starting: Effect.void,
  committed: () => Effect.void
}

const refusalOf = ({ by, expired, feedback, message, rule }: Permission.DeniedError): Leaf.Leaf => {
  if (expired !== undefined) {
    return Leaf.make("Denied.ApprovalExpired", { message, approvalId: expired.approvalID, expiredAt: expired.at })
  }
  const tag = by === "user" ? "Denied.Approver" : "Denied.Policy"
  const said = { ...(feedback === undefined ? {} : { feedback }), ...(rule === undefined ? {} : { rule }) }
  return Leaf.make(tag, { message, origin: "gate", by, ...said })
}
