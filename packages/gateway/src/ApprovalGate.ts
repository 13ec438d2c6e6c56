/**
 * Where a call waits until somebody has approved it. The answer holds for exactly the call that was shown, once. Without a
 * gate, what needs approval is refused.
 */
import * as Invocation from "@haft/core/Invocation"
import type * as Permission from "@haft/core/Permission"
import type * as Tool from "@haft/core/Tool"
import * as Leaf from "@haft/wire/Leaf"
import type { ApprovalRef } from "@haft/wire/Outcome"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Build } from "./Catalog.ts"
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
  readonly context: Tool.Context
  /** Who asks, from the originator on. */
  readonly principals: ReadonlyArray<string>
}

export interface Interface {
  /** Returns when it is decided, or with the leaf that says why it will not be. */
  readonly ask: (asked: Asked) => Effect.Effect<Result.Result<ApprovalRef, Leaf.Leaf>>
}

export const Service = Context.Reference<Interface>("@haft/gateway/ApprovalGate", {
  defaultValue: () => ({ ask: () => Effect.succeed(Result.fail(unattended)) })
})

const unattended = Leaf.make("Denied.Policy", { message: Sentences.noGate, origin: "gate", by: "policy" })

/** The action that a permission implementation is asked about. */
export const action = "invoke"

/**
 * Asks whoever decides about permissions, `@haft/policy` for instance: its rules, people, time limit and store. The answer
 * is bound to the tool, its definition, its input, the principals and the reason.
 */
export const fromPermission = (permission: Permission.Interface): Interface => ({
  ask: Effect.fnUntraced(function* ({ build, context, gateId, input, principals, reason }) {
    const asking = permission.assert(
      {
        action,
        resources: [build.toolId],
        save: [],
        metadata: { tool: build.toolId, fn: build.fn, digest: build.digest, input, principals, reason }
      },
      context
    )
    const invocation: Invocation.Interface = {
      name: build.definition.name,
      registrationDigest: build.digest,
      input,
      inputFingerprint: sha256(input),
      determinism: determinismOf(build.definition)
    }
    const answer = yield* Effect.result(Effect.provideService(asking, Invocation.Service, Option.some(invocation)))
    if (Result.isSuccess(answer)) return Result.succeed({ id: gateId ?? action })
    const { by, feedback, message, rule } = answer.failure
    const tag = by === "user" ? "Denied.Approver" : "Denied.Policy"
    const said = { ...(feedback === undefined ? {} : { feedback }), ...(rule === undefined ? {} : { rule }) }
    return Result.fail(Leaf.make(tag, { message, origin: "gate", by, ...said }))
  })
})
