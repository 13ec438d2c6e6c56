/** How a run ended, if nothing failed and nobody interrupted it. */
import type * as Message from "./Message.ts"

/** Why a run ended. */
export type Reason =
  /** The model has said what it wanted to say. */
  | "answered"
  /** Its answer reached the length that a model may write. */
  | "length"
  /** It does not want to answer, or its provider does not. */
  | "refused"
  /** It said nothing. */
  | "empty"
  /** There was no prompt, and the conversation waits for one. */
  | "idle"
  /** A person who refused a permission ended the turn. */
  | "stopped"
  /** The same call was made again and again. */
  | "repeated"
  /** As many turns as the run may have. */
  | "steps"
  /** As many calls as the run may have. */
  | "calls"
  /** As many tokens as the run may use. */
  | "tokens"

/** What became of a run. */
export interface Conclusion {
  readonly reason: Reason
  /** What the model said last. */
  readonly text: string
  /** Requests that were answered. */
  readonly steps: number
  /** Calls that were made. */
  readonly calls: number
  readonly usage: Message.Usage
}
