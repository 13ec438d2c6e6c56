/** Whether somebody who has to approve a call does. */
import * as Session from "@haft/core/Session"
import * as SideEffect from "@haft/core/SideEffect"
import type * as Tool from "@haft/core/Tool"
import type { Outcome } from "@haft/wire/Outcome"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Authorizer from "../Authorizer.ts"
import type { Build } from "../Catalog.ts"
import { authorize } from "./authorize.ts"
import type { Deps } from "./deps.ts"
import type { Governed } from "./governed.ts"

export type Ask = Extract<Authorizer.Verdict, { readonly _tag: "Ask" }>

/** Gives the refusal, if there is one. Waiting costs the call no time of its own; what has changed is judged again. */
export const approve = Effect.fnUntraced(function* (
  deps: Deps,
  call: Governed,
  build: Build,
  { gateId, reason, ruleRefs }: Ask
): Effect.fn.Return<Outcome | undefined> {
  const { authorizer, gate } = deps
  const { version } = authorizer
  const { request } = call
  const asked = {
    build,
    input: objectOf(request.input),
    reason,
    ruleRefs,
    context: contextOf(call),
    principals: request.principalChain.map(({ id, kind }) => `${kind}:${id}`),
    actor: call.actor,
    evidenceRefs: request.evidenceRefs,
    ...(request.tenantId === undefined ? undefined : { tenantId: request.tenantId }),
    ...(version === undefined ? undefined : { policyVersion: version }),
    ...(gateId === undefined ? undefined : { gateId })
  }
  call.controls = { ...call.controls, approval_gates_active: [gateId ?? reason] }
  const answer = yield* gate.ask(asked)
  if (Result.isFailure(answer)) return call.end(answer.failure, SideEffect.notStarted)
  call.governance = { ...call.governance, approval: answer.success }
  const again = yield* authorize(deps, call, build)
  if (again._tag === "Deny") return call.end(again.leaf, SideEffect.notStarted)
  // What other rules want meanwhile, nobody has been asked for.
  const isAnswered = again._tag === "Allow" || (authorizer.version === version && areSame(again.ruleRefs, ruleRefs))
  return isAnswered ? undefined : yield* approve(deps, call, build, again)
})

const areSame = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left.length === right.length && left.every((ref, index) => ref === right[index])

/** An input that is no object has not passed the schema of any tool; whoever is asked sees it anyway. */
const objectOf = (input: Schema.Json): Schema.JsonObject => (isObject(input) ? input : { input })

const isObject = Schema.is(Schema.JsonObject)

/** Of a call under a key it is the same whoever makes it when, so that an answer that came too late for one still counts. */
const contextOf = ({ context, key, options }: Governed): Tool.Context =>
  key === undefined || options.message !== undefined
    ? context
    : { ...context, assistantMessageID: Session.MessageID.make(key.storeKey.replace(":", "-")) }
