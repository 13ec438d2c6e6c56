/** What the contracts and the host's rules say about a call, together. */
import * as Leaf from "@haft/wire/Leaf"
import * as Effect from "effect/Effect"
import * as Authorizer from "../Authorizer.ts"
import type { Build } from "../Catalog.ts"
import type { Deps } from "./deps.ts"
import type { Governed } from "./governed.ts"
import { judge, stricter } from "./principals.ts"
import { noControls } from "./records.ts"
import * as Sentences from "./sentences.ts"

type Judges = Pick<Deps, "authorizer" | "claims">

/** Leaves what was referred to, and what held, in the call. */
export const authorize = (judges: Judges, call: Governed, build: Build): Effect.Effect<Authorizer.Verdict> => {
  const { run } = call.options
  if (run === undefined) return judged(judges, call, build)
  return Effect.flatMap(judges.claims.verify(run), (isVerified) =>
    isVerified ? judged(judges, call, build) : Effect.succeed(noted(call, unverified))
  )
}

const unverified = Authorizer.deny(Leaf.make("Denied.Permission", { message: Sentences.unverified }), [
  "identity_claim"
])

const judged = ({ authorizer }: Judges, call: Governed, build: Build): Effect.Effect<Authorizer.Verdict> => {
  const { caller, run } = call.options
  const asked: Authorizer.Asked = {
    request: call.request,
    build,
    ...(run === undefined ? undefined : { run }),
    ...(caller === undefined ? undefined : { caller })
  }
  const byContract = judge(asked)
  if (byContract._tag === "Deny") return Effect.succeed(noted(call, byContract))
  return Effect.map(authorizer.authorize(asked), (byHost) => noted(call, stricter(byContract, byHost)))
}

const noted = (call: Governed, verdict: Authorizer.Verdict): Authorizer.Verdict => {
  const { controls, ruleRefs } = verdict
  const policyDecisionId = verdict._tag === "Allow" ? verdict.policyDecisionId : undefined
  if (ruleRefs.length > 0 || call.governance.ruleRefs.length > 0 || policyDecisionId !== undefined) {
    const decision = policyDecisionId === undefined ? undefined : { policyDecisionId }
    call.governance = { ...call.governance, ruleRefs, ...decision }
  }
  if (controls !== undefined) call.controls = { ...noControls, ...controls }
  return verdict
}
