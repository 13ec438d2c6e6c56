/** The outcome of a call that did not come to one by itself. */
import * as Leaf from "@haft/wire/Leaf"
import type { Outcome } from "@haft/wire/Outcome"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Governed } from "./governed.ts"

/** A defect of a hook or a store is the host's to see; whoever called gets a reference to it. */
export const stopped = (call: Governed, cause: Cause.Cause<unknown>): Effect.Effect<Outcome> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.succeed(call.end(Leaf.make("Interrupted", { by: "caller" })))
  return Effect.logError("A call could not be governed", cause).pipe(
    Effect.annotateLogs({ "haft.call.id": call.request.callId, "haft.ref": call.id }),
    Effect.as(call.end(Leaf.make("Operational.Defect", { ref: call.id })))
  )
}
