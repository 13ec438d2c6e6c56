/**
 * Whether a call may be made at all, decided when it is made and before anything is spent or looked up. The default lets
 * everything through: a host that has a policy provides it.
 */
import type * as ToolPermissions from "@haft/policy/ToolPermissions"
import type { CallRequest } from "@haft/wire/CallRequest"
import type { Controls } from "@haft/wire/DecisionRecord"
import type * as Leaf from "@haft/wire/Leaf"
import type { RunContext } from "@haft/wire/RunContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Build } from "./Catalog.ts"
import { sha256 } from "./internal/digests.ts"
import { verdictOf } from "./internal/permissionVerdict.ts"
import { allow } from "./internal/verdicts.ts"

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

export { allow, ask, deny } from "./internal/verdicts.ts"

export const Service = Context.Reference<Interface>("@haft/gateway/Authorizer", {
  defaultValue: () => ({ authorize: () => Effect.succeed(allow()) })
})

/**
 * By the permission objects of the Orloj contract, as they are when a call is made: what is advertised decides nothing. An
 * approval that was given under other objects does not hold. `system` is the agent system that is served, if there is one.
 */
export const fromToolPermissions = (
  current: () => ToolPermissions.Objects,
  options: { readonly system?: string } = {}
): Interface => ({
  get version() {
    return versionOf(current())
  },
  authorize: (asked) => Effect.sync(() => verdictOf(current(), asked, options))
})

const versions = new WeakMap<ToolPermissions.Objects, string>()

/** Made once for each set of objects. */
const versionOf = (objects: ToolPermissions.Objects): string => {
  const known = versions.get(objects)
  if (known !== undefined) return known
  // Objects were read from JSON.
  const version = sha256(objects as Schema.Json)
  versions.set(objects, version)
  return version
}
