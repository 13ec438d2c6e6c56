/** What the stages of a run share. */
import type * as Agent from "@haft/core/Agent"
import type { Materialization } from "@haft/core/Materialization"
import type * as Permission from "@haft/core/Permission"
import type * as Session from "@haft/core/Session"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type { ToolContent } from "@haft/core/ToolContent"
import type * as ModelCompatibility from "@haft/registry/ModelCompatibility"
import type * as Effect from "effect/Effect"
import type { Event } from "../Event.ts"
import type * as Message from "../Message.ts"
import type * as Model from "../Model.ts"
import type { Conversation } from "./conversation.ts"
import type { Limits, Tally } from "./limits.ts"
import type { Repeats } from "./repeats.ts"

export interface Request {
  readonly sessionID: Session.ID
  readonly agent: Agent.ID
  /** What a person says. Without it the run goes on where the session stands. */
  readonly prompt?: string | ReadonlyArray<ToolContent>
  /** What the model is told before everything else. It is not part of the history. */
  readonly system?: string
  /**
   * What the model may call, asked anew for every turn: `registry.materialize()`. Its calls have to be settled in the
   * `SettlementStore` that the runner reads from.
   */
  readonly tools: Effect.Effect<Materialization>
  readonly limits?: Partial<Limits>
  /**
   * What to do when our side fails or a tool has a bug. `stop`, the default, lets the other calls of the turn end and then
   * fails; `surface` goes on. The model reads the same in both cases: that there is no result, and what may have happened.
   */
  readonly onTrouble?: "stop" | "surface"
  /** What to do about a tool that cannot be shown to the model: `leaveOut`, the default, warns and goes on without it. */
  readonly onIncompatible?: ModelCompatibility.Options["onIncompatible"]
}

export interface Run {
  readonly request: Request
  readonly model: Model.Interface
  readonly store: SettlementStore.Interface
  readonly permission: Permission.Interface | undefined
  readonly limits: Limits
  readonly tally: Tally
  readonly repeats: Repeats
  readonly conversation: Conversation
  /** Tools that were left out, of which the reader has been told. */
  readonly leftOut: Set<string>
  readonly emit: (event: Event) => void
  /** Everything else in a run cannot be interrupted: what is on record is brought to its end. */
  readonly restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** An answer that is on record, with what is already known about its calls. */
export interface Answer {
  readonly message: Message.Assistant
  readonly calls: ReadonlyArray<Message.Call>
  /** Calls that do not run, and why. */
  readonly refused: ReadonlyMap<Message.Call["id"], Message.Reason>
}
