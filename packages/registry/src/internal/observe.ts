/** Lets a host watch settlements, as much as it wants to. */
import type { Materialization } from "@haft/core/Materialization"
import type * as Observability from "../Observability.ts"
import type { Offer } from "./effective.ts"
import { measured } from "./measure.ts"
import { traced } from "./trace.ts"

/** Changes nothing about how a call ends. For a host that does not watch it is the very same function. */
export const observe = (
  level: Observability.Level,
  offer: Offer,
  settle: Materialization["settle"]
): Materialization["settle"] => {
  switch (level) {
    case "none":
      return settle
    case "metrics":
      return measured(offer, settle)
    case "full":
      return measured(offer, traced(offer, settle))
  }
}
