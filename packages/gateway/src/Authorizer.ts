/**
 * Whether a call may be made at all, decided when it is made and before anything is spent or looked up. The default lets
 * everything through: a host that has a policy provides it.
 */
import type { CallRequest } from "@haft/wire/CallRequest"
import type { Controls } from "@haft/wire/DecisionRecord"
import type * as Leaf from "@haft/wire/Leaf"
import type { RunContext } from "@haft/wire/RunContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Build } from "./Catalog.ts"

/** What is judged: the call as it will run. */
export interface Asked {
  readonly request: CallRequest
  readonly build: Build
  readonly run?: RunContext
  /** Who sent it, as far as that has been proved. */
  readonly caller?: { readonly actor: string; readonly tenantId?: string }
}

/** What a verdict rests on. */
export interface Ground {
  /** Which rules these were. */
  readonly ruleRefs: ReadonlyArray<string>
  /** What held meanwhile, for the record of the call. */
  readonly controls?: Partial<Controls>
}

/** What the rules say. */
export type Verdict =
  | (Ground & { readonly _tag: "Allow"; readonly policyDecisionId?: string })
  | (Ground & { readonly _tag: "Deny"; readonly leaf: Leaf.Leaf })
  /** Somebody has to approve exactly this call. */
  | (Ground & { readonly _tag: "Ask"; readonly reason: string; readonly gateId?: string })

export interface Interface {
  /** Of the rules, such as a digest. An approval that was given under other rules does not hold. */
  readonly version?: string
  readonly authorize: (asked: Asked) => Effect.Effect<Verdict>
}

/** Nothing is against it. */
export const allow = (ruleRefs: ReadonlyArray<string> = [], policyDecisionId?: string): Verdict => ({
  _tag: "Allow",
  ruleRefs,
  ...(policyDecisionId === undefined ? {} : { policyDecisionId })
})

/** A rule forbids it. */
export const deny = (leaf: Leaf.Leaf, ruleRefs: ReadonlyArray<string> = []): Verdict => ({
  _tag: "Deny",
  leaf,
  ruleRefs
})

/** Not without somebody's approval. */
export const ask = (reason: string, ruleRefs: ReadonlyArray<string> = [], gateId?: string): Verdict => ({
  _tag: "Ask",
  reason,
  ruleRefs,
  ...(gateId === undefined ? {} : { gateId })
})

export const Service = Context.Reference<Interface>("@haft/gateway/Authorizer", {
  defaultValue: () => ({ authorize: () => Effect.succeed(allow()) })
})
