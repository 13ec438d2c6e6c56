/**
 * Commands of the shell, read with its grammar: what each would run, write, read and set, part by part. Permissions are
 * asked for these parts; hosts can show or test them with the same function.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** One thing that a command does, as rules and people see it. */
export interface Part {
  /**
   * `command`: one program with its words, also one that another is told to run. `assignment`: `NAME=value`.
   * `redirection`: `> path`, `>> path` or `< path`. `unknown`: something runs, but the text does not tell what.
   */
  readonly kind: "command" | "assignment" | "redirection" | "unknown"
  /** The resource of a permission: single spaces, quotes only where needed, and `⟦…⟧` around what only running it tells. */
  readonly text: string
  /** Nothing in it depends on the moment it runs, so that it can be remembered. */
  readonly isLiteral: boolean
}

/** Either all parts of a command, or why it can only be judged as a whole. */
export type ShellCommand =
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<Part> }
  | { readonly _tag: "Unparsed"; readonly reason: string }

/** Never runs anything. An Effect because the grammar is loaded when it is used for the first time. */
export const parse = (text: string): Effect.Effect<ShellCommand> =>
  Effect.map(grammar, ({ partsOf }) =>
    Result.match(partsOf(text), {
      onSuccess: (parts): ShellCommand => ({ _tag: "Parts", parts }),
      onFailure: (reason): ShellCommand => ({ _tag: "Unparsed", reason })
    })
  )

const grammar = Effect.promise(() => import("./internal/shellParts.ts"))
