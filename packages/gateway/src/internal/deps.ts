/** What a gateway works with. */
import type * as ArgumentRepair from "@haft/core/ArgumentRepair"
import type { Outcome } from "@haft/wire/Outcome"
import type * as ApprovalGate from "../ApprovalGate.ts"
import type * as Audit from "../Audit.ts"
import type * as Authorizer from "../Authorizer.ts"
import type { Jitter } from "../Backoff.ts"
import type * as Budgets from "../Budgets.ts"
import type * as Catalog from "../Catalog.ts"
import type * as ClaimVerifier from "../ClaimVerifier.ts"
import type * as IdempotencyStore from "../IdempotencyStore.ts"
import type * as Secrets from "../Secrets.ts"
import type { Flight } from "./flights.ts"
import type { Slots } from "./slots.ts"
import type { Level } from "./watch.ts"

/** What a host may choose. */
export interface Options {
  /** For each attempt of a call that says nothing itself. */
  readonly attemptTimeoutMs?: number
  /** For a call without a deadline, whatever happens to it. */
  readonly callTimeoutMs?: number
  /** However late a deadline is: by then the call has ended, and so has whatever it holds. */
  readonly maxCallTimeoutMs?: number
  /** How long an outcome is given again to whoever sends its key. */
  readonly keyTimeToLiveMs?: number
  /** Whether a key that nobody sent is kept after its call has ended, so that the same call is the same call for a while. */
  readonly replayDerived?: boolean
  /** How much of an input that does not fit is repaired. Programs that call a contract are held to the schema. */
  readonly repair?: ArgumentRepair.Level
  /** In place of the shares that are the same everywhere. */
  readonly jitter?: Jitter
  /** In cents, of one attempt. */
  readonly costOf?: (build: Catalog.Build, outcome: Outcome) => number
  /** How much of each call a host can watch. */
  readonly observability?: Level
  /**
   * What a refusal for want of budget means. `continue`: the model reads it and goes on without. `end`: the same, with the
   * warning `run_ended` for whoever runs the model. `error`: no outcome at all; the call dies with `Budgets.ExhaustedError`.
   */
  readonly exhausted?: "continue" | "end" | "error"
  /** Told once about each call that ended in a fault of its tool. */
  readonly onFault?: (outcome: Outcome) => void
}

type Defaulted =
  | "attemptTimeoutMs"
  | "callTimeoutMs"
  | "maxCallTimeoutMs"
  | "keyTimeToLiveMs"
  | "repair"
  | "observability"
  | "exhausted"

export interface Deps {
  readonly catalog: Catalog.Interface
  readonly keys: IdempotencyStore.Interface
  readonly audit: Audit.Interface
  readonly budgets: Budgets.Interface
  readonly authorizer: Authorizer.Interface
  readonly claims: ClaimVerifier.Interface
  readonly gate: ApprovalGate.Interface
  readonly secrets: Secrets.Interface
  readonly options: Options & Required<Pick<Options, Defaulted>>
  readonly slots: Slots
  /** Calls that run in this process, by the store key that others may join them with. */
  readonly flights: Map<string, Flight>
}
