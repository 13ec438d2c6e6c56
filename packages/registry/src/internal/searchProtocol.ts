/** What the thread that asks for a search and the thread that searches tell each other. */
import type * as OutputStore from "@haft/core/OutputStore"

export type Request =
  /** The next piece of the output. */
  | { readonly _tag: "Search"; readonly piece: Uint8Array<ArrayBuffer> }
  /** What else was found in the piece before. */
  | { readonly _tag: "More" }
  /** There are no more pieces. */
  | { readonly _tag: "End" }

export type Reply =
  /** To the query that the worker was started with. */
  | { readonly _tag: "Compiled" }
  | { readonly _tag: "Refused"; readonly message: string }
  /** To a request. */
  | {
      readonly _tag: "Searched"
      readonly matches: ReadonlyArray<OutputStore.Match>
      readonly offset: number
      /** Otherwise there may be more. */
      readonly isComplete: boolean
    }
