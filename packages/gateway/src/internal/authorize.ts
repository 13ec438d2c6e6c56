/** What the contracts and the host's rules say about a call, together. */
import * as Effect from "effect/Effect"
import type * as Authorizer from "../Authorizer.ts"
import type { Build } from "../Catalog.ts"
import { compact } from "./compact.ts"
import type { Governed } from "./governed.ts"
import { judge, stricter } from "./principals.ts"

/** Leaves what was referred to in the call. */
export const authorize = Effect.fnUntraced(function* (
  authorizer: Authorizer.Interface,
  call: Governed,
  build: Build
): Effect.fn.Return<Authorizer.Verdict> {
  const { caller, run } = call.options
  const asked = compact({ request: call.request, build, run, caller })
  const byContract = judge(asked)
  const verdict = byContract._tag === "Deny" ? byContract : stricter(byContract, yield* authorizer.authorize(asked))
  const decision = verdict._tag === "Allow" && verdict.policyDecisionId !== undefined
  call.governance = {
    ...call.governance,
    ruleRefs: verdict.ruleRefs,
    ...(decision ? { policyDecisionId: verdict.policyDecisionId } : {})
  }
  return verdict
})
