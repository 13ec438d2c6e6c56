/**
 * The tool that finds files by name. Register it as `glob`. What it lists are paths for the next call, and it says when
 * there are more.
 */
import * as Permission from "@haft/core/Permission"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { invalidArgument } from "./internal/failures.ts"
import { Path } from "./internal/inputs.ts"
import { locate } from "./internal/locate.ts"
import * as Inputs from "./internal/searchInputs.ts"
import * as Sentences from "./internal/searchSentences.ts"
import * as LocationFiles from "./LocationFiles.ts"
import * as LocationSearch from "./LocationSearch.ts"

const fields = Sentences.globFields

/** What a model sends. */
export const Input = Schema.Struct({
  pattern: Inputs.Glob.annotate({ description: fields.pattern, examples: ["**/*.ts", "src/**/*.{js,ts}"] }),
  path: Schema.optionalKey(Path.annotate({ description: fields.path, examples: ["src"] })),
  all: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.all })),
  limit: Schema.optionalKey(Inputs.Limit.annotate({ description: fields.limit, examples: [500] }))
})

/** Sorted, and why there may be more. */
export const Output = Schema.Struct({ paths: Schema.Array(Schema.String), ...Inputs.ending })

/** The tool, for the files of one Location. */
export const make: Effect.Effect<
  Tool.Tool<typeof Input, typeof Output>,
  never,
  LocationFiles.Service | LocationSearch.Service | Permission.Service
> = Effect.gen(function* () {
  const files = yield* LocationFiles.Service
  const search = yield* LocationSearch.Service
  const permission = yield* Permission.Service
  const tool = Tool.make({
    description: Sentences.globDescription,
    input: Input,
    output: Output,
    execute: Effect.fn("Glob.execute")(
      function* ({ all = false, limit = Inputs.defaultLimit, path = ".", pattern }, context) {
        const glob = yield* Inputs.usableGlob("pattern", pattern)
        const target = yield* locate(files, permission, path, context)
        yield* permission.assert(Inputs.requestFor("glob", files, target), context)
        const found = yield* search.files(target, { glob, all, limit })
        return { paths: found.paths, ...Inputs.endingOf(found) }
      },
      Effect.catchTags({ ...Inputs.searchFailures({ Pattern: "pattern", Glob: "pattern" }), ...ofFiles })
    ),
    toModelOutput: ({ output }) => [ToolContent.text(Sentences.foundPaths(output))]
  })
  return Tool.annotate(tool, {
    title: "Find files",
    determinism: "pure",
    operations: ["read"],
    capabilities: ["filesystem.read"],
    risk: "low",
    version: "1.0.0"
  })
})

/** A file has nothing below it to find. */
const ofFiles = {
  "LocationSearch.NotDirectoryError": ({ path }: LocationSearch.NotDirectoryError) =>
    invalidArgument("path", Sentences.searchesDirectories(path), Sentences.searchesDirectoriesHint)
}
