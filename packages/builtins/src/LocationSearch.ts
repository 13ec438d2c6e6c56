/**
 * Finds files and lines in a directory of `LocationFiles`, with ripgrep. The engine runs where nothing but the directory is
 * to be seen, or else whatever it finds is looked up again: either way nothing leads out. What is found is bounded, and says
 * why it is not all there is.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Schema from "effect/Schema"
import type { FileError } from "./internal/fileErrors.ts"
import { type Isolation, isolated } from "./internal/searchEngine.ts"
import type { EngineError, NotDirectoryError, PatternError } from "./internal/searchErrors.ts"
import type { FoundLines, FoundPaths } from "./internal/searchFinds.ts"
import { run } from "./internal/searchRun.ts"
import { type GlobQuery, type GrepQuery, type Search, searchFiles, searchLines } from "./internal/search.ts"
import * as LocationFiles from "./LocationFiles.ts"

export type { GlobQuery, GrepQuery } from "./internal/search.ts"
export type { Isolation } from "./internal/searchEngine.ts"
export { EngineError, NotDirectoryError, PatternError } from "./internal/searchErrors.ts"
export type { End, FoundFile, FoundLine, FoundLines, FoundPaths } from "./internal/searchFinds.ts"

/** The layer could not be built: there is no engine for this machine, or it cannot be isolated as demanded. */
export class UnavailableError extends Schema.TaggedError<UnavailableError>()("LocationSearch.UnavailableError", {
  reason: Schema.Literals(["NoEngine", "NotIsolated"])
}) {}

export interface Interface {
  /** Whether the engine sees nothing but the directory. If it sees more, its results are proven one by one. */
  readonly isolation: Isolation
  /** Files below a directory. */
  readonly files: (
    target: LocationFiles.Target,
    query: GlobQuery
  ) => Effect.Effect<FoundPaths, NotDirectoryError | SearchError>
  /** Lines of a file, or of the files below a directory. */
  readonly lines: (target: LocationFiles.Target, query: GrepQuery) => Effect.Effect<FoundLines, SearchError>
}

/** Why there is no result at all. */
export type SearchError = EngineError | FileError | PatternError

export class Service extends Context.Service<Service, Interface>()("@haft/builtins/LocationSearch") {}

/** What a host chooses. */
export interface Options {
  /** Refuses to start where the engine cannot be isolated. Without a choice the best that is possible is taken. */
  readonly isolation?: "namespace"
  /** The program that isolates, by its path or by a name in the system's directories. */
  readonly bubblewrap?: string
  /** The engine, instead of the one that comes with this package. */
  readonly ripgrep?: string
  /** How long one search may take. */
  readonly timeLimit?: Duration.Input
}

/** A model is better served by what was found until then. */
const defaultTimeLimit = "30 seconds"

/** Tries once whether the engine can be isolated. */
export const layer = (
  options: Options = {}
): Layer.Layer<Service, UnavailableError, ChildProcessSpawner.ChildProcessSpawner | LocationFiles.Service> =>
  Layer.effect(Service, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const files = yield* LocationFiles.Service
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const ripgrep = options.ripgrep ?? (yield* shipped)
  const programs = { ripgrep, bubblewrap: options.bubblewrap ?? "bwrap" }
  const isolation = files.confinement === "strict" ? yield* probe({ spawner, programs }) : "none"
  if (options.isolation === "namespace" && isolation === "none") {
    return yield* new UnavailableError({ reason: "NotIsolated" })
  }
  const search = { files, spawner, programs, isolation, timeLimit: options.timeLimit ?? defaultTimeLimit }
  return Service.of({
    isolation,
    files: Effect.fn("LocationSearch.files")((target, query) => searchFiles(search, target, query)),
    lines: Effect.fn("LocationSearch.lines")((target, query) => searchLines(search, target, query))
  })
})

/** Loaded here and not with this module: on a machine for which there is no engine that alone fails. */
const shipped = Effect.tryPromise({
  try: async () => (await import("@vscode/ripgrep")).rgPath,
  catch: () => new UnavailableError({ reason: "NoEngine" })
})

const probe = ({ programs, spawner }: Pick<Search, "programs" | "spawner">) =>
  run(spawner, isolated(programs, "/", ["--version"]), () => Effect.succeed(true)).pipe(
    Effect.map((ended): Isolation => (ended?.exitCode === 0 ? "namespace" : "none")),
    Effect.orElseSucceed((): Isolation => "none")
  )
