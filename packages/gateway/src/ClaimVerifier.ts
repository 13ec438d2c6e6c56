/**
 * Whether the agent of a run is who its identity claim says. Issuing and signing claims is somebody else's; the default
 * believes what the host passes with a call. Records have the hash of a claim, and never the claim.
 */
import type { RunContext } from "@haft/wire/RunContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface Interface {
  /** Also of a run without a claim. What is not verified is refused before anything is spent or looked up. */
  readonly verify: (run: RunContext) => Effect.Effect<boolean>
}

export const Service = Context.Reference<Interface>("@haft/gateway/ClaimVerifier", {
  defaultValue: () => ({ verify: () => Effect.succeed(true) })
})
