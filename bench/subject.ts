/** What a subject of the comparison has to offer, so that every scenario can ask the same of each. */
import type * as Effect from "effect/Effect"
import type { Input, Work } from "./works.ts"

/** What a model is told about a tool. */
export interface Definition {
  readonly name: string
  /** JSON Schema of the arguments. */
  readonly parameters: unknown
}

/** A call in the subject's own manner of waiting. It gives the sum that came back, and fails or gives NaN if refused. */
export type Calls =
  | {
      readonly manner: "promise"
      readonly call: (name: string, input: Input, signal?: AbortSignal) => Promise<number>
    }
  | {
      readonly manner: "effect"
      readonly call: (name: string, input: Input) => Effect.Effect<number, unknown>
    }

/** Tools that can be called. */
export interface Offered {
  readonly calls: Calls
  /** Everything a model is told, anew for each turn. */
  readonly definitions: () => Promise<ReadonlyArray<Definition>>
  /** Calls a tool that returns text, and gives what a model would read of it. */
  readonly read: (name: string, input: Input) => Promise<string>
  /** Where cancelling is the business of a loop above the call. */
  readonly cancellable?: (name: string, input: Input, signal: AbortSignal) => Promise<unknown>
  /** How the last call ended and whether it may have had an effect, where that is kept for whoever asks later. */
  readonly known?: () => Promise<string>
  readonly close: () => Promise<void>
}

export interface Subject {
  readonly offer: (works: ReadonlyArray<Work>) => Promise<Offered>
}

/** A subject as the runner knows it, which loads none of them. */
export interface Entry {
  readonly id: string
  readonly title: string
  /** What somebody who uses it would import. */
  readonly imports: ReadonlyArray<string>
  /** What somebody who uses it would install. */
  readonly packages: ReadonlyArray<string>
  readonly family: "floor" | "haft" | "alternative"
  /** Keeps what it settled and what it returned where a crash does not take it. */
  readonly durable?: true
  /** Only these scenarios; others would say nothing new. */
  readonly only?: ReadonlyArray<string>
  readonly load: () => Promise<Subject>
}
