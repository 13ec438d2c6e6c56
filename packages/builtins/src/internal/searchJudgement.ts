/** What the end of the engine means for what it found. Nothing is told from its words but to whoever gave the pattern. */
import * as Effect from "effect/Effect"
import * as Engine from "./searchEngine.ts"
import { EngineError, PatternError } from "./searchErrors.ts"
import type { Finds } from "./searchFinds.ts"
import { type Ended, run, type Spawner } from "./searchRun.ts"

/** To try something out. */
interface Trial {
  readonly spawner: Spawner
  readonly programs: Engine.Programs
}

/** What was looked for, and in which files. */
export interface Asked {
  readonly pattern: string
  readonly glob: string | undefined
}

/** A pattern without fault. */
export const anything = "x"

const [none, trouble] = [1, 2]

/** Only a program that was not the engine, or that was none, complains when nothing was found. */
export const judge = Effect.fnUntraced(function* (
  search: Trial,
  finds: Finds,
  ended: Ended | undefined,
  { glob, pattern }: Asked
) {
  if (ended === undefined || ended.exitCode === 0) return
  const { complaint, exitCode } = ended
  if (exitCode > trouble || (exitCode === none && complaint !== "")) return yield* new EngineError({ exitCode })
  if (exitCode === none) return
  if (finds.count === 0) yield* assertUsable(search, pattern, glob)
  finds.isPartial = true
})

/** Whether it was the pattern or the glob is told by trying each alone. */
const assertUsable = Effect.fnUntraced(function* (search: Trial, pattern: string, glob: string | undefined) {
  yield* tryOut(search, "Pattern", Engine.checkArguments(pattern, undefined))
  if (glob !== undefined) yield* tryOut(search, "Glob", Engine.checkArguments(anything, glob))
})

const tryOut = Effect.fnUntraced(function* (search: Trial, part: PatternError["part"], args: ReadonlyArray<string>) {
  const ended = yield* run(search.spawner, Engine.plain(search.programs, "/", args), () => Effect.succeed(true))
  if (ended?.exitCode === trouble)
    return yield* new PatternError({ part, message: ended.complaint.replace(/^rg: /, "") })
})
