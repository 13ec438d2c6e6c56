/** What `glob` and `grep` have in common: fields, failures, and what is said of the end of a search. */
import type * as Permission from "@haft/core/Permission"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as LocationFiles from "../LocationFiles.ts"
import { failures, invalidArgument } from "./failures.ts"
import type { PatternError } from "./searchErrors.ts"
import type { Finds } from "./searchFinds.ts"
import { faultOf, normalized } from "./searchGlob.ts"
import * as Sentences from "./searchSentences.ts"

/** Without a wish. Enough to choose from, and little enough to read. */
export const defaultLimit = 100

/** As many lines as a model is shown of a call. */
const maxLimit = 2_000

/** A longer glob is none that somebody wrote. */
const maxGlobBytes = 4 * 1024

/** A longer pattern is none that somebody wrote, and the system takes no argument much longer. */
const maxPatternBytes = 64 * 1024

const bounded = (limit: number) =>
  Schema.NonEmptyString.check(
    Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), {
      expected: Sentences.withoutNul
    }),
    Schema.makeFilter((text: string) => Buffer.byteLength(text) <= limit, { expected: Sentences.upTo(limit) })
  )

export const Glob = bounded(maxGlobBytes)
export const Pattern = bounded(maxPatternBytes)

export const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit }))

/** Why a result may not be all there is. */
export const ending = {
  end: Schema.Literals(["complete", "limit", "size", "deadline"]),
  /** Something could not be read. */
  isPartial: Schema.Boolean,
  /** Results that changed during the search. */
  dropped: Schema.Int,
  /** Files whose names are not UTF-8. */
  unnameable: Schema.Int
}

export const endingOf = ({ dropped, end, isPartial, unnameable }: Finds) => ({ end, isPartial, dropped, unnameable })

/** As the engine gets it. */
export const usableGlob = (field: string, glob: string): Effect.Effect<string | undefined, ToolFailure.ToolFailure> => {
  const fault = faultOf(glob)
  return fault === undefined
    ? Effect.succeed(normalized(glob))
    : Effect.fail(invalidArgument(field, Sentences.badGlob(fault), Sentences.badGlobHint(fault)))
}

export const requestFor = (
  action: "glob" | "grep",
  files: LocationFiles.Interface,
  { resource }: LocationFiles.Target
): Permission.Request => ({
  action,
  resources: [resource],
  save: ["*"],
  metadata: { root: files.root, confinement: files.confinement }
})

/** For `Effect.catchTags` around an executor; `fields` are the arguments that the pattern and the glob came from. */
export const searchFailures = (fields: { readonly Pattern: string; readonly Glob: string }) => ({
  ...failures,
  "LocationSearch.PatternError": ({ message, part }: PatternError) => {
    const what = part === "Pattern" ? "pattern" : "glob"
    return invalidArgument(fields[part], Sentences.unusable(what, message), Sentences.unusableHint[what])
  },
  "LocationSearch.EngineError": () =>
    ToolFailure.unavailable({ message: Sentences.engineFailed, hint: Sentences.engineFailedHint })
})
