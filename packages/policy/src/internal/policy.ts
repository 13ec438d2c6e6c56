/** The policy of one Location: what asking and answering share. */
import type * as Location from "@haft/core/Location"
import type * as Semaphore from "effect/Semaphore"
import type * as PolicyStore from "../PolicyStore.ts"
import type { Board } from "./board.ts"
import type { Judge } from "./judge.ts"

export interface Policy {
  readonly location: Location.Ref
  readonly store: PolicyStore.Interface
  readonly judge: Judge
  readonly board: Board
  /** One at a time looks at what is saved and acts on it: otherwise a request could miss the rule that covers it. */
  readonly turnstile: Semaphore.Semaphore
  readonly timeLimitMs: number
  readonly unattended: "deny" | "wait"
}
