/**
 * The tool that searches the contents of files. Register it as `grep`. Its patterns take time in proportion to what they
 * search, one line of any length or bytes that are no text do not stop it, and it says when there is more.
 */
import * as Permission from "@haft/core/Permission"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Path } from "./internal/inputs.ts"
import { locate } from "./internal/locate.ts"
import * as Inputs from "./internal/searchInputs.ts"
import * as Sentences from "./internal/searchSentences.ts"
import * as LocationFiles from "./LocationFiles.ts"
import * as LocationSearch from "./LocationSearch.ts"

/** More is for reading the file. */
const maxContext = 20

const fields = Sentences.grepFields
const Context = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxContext }))

/** What a model sends. */
export const Input = Schema.Struct({
  pattern: Inputs.Pattern.annotate({ description: fields.pattern, examples: ["function \\w+Layer", "TODO|FIXME"] }),
  path: Schema.optionalKey(Path.annotate({ description: fields.path, examples: ["src", "src/index.ts"] })),
  include: Schema.optionalKey(Inputs.Glob.annotate({ description: fields.include, examples: ["*.ts"] })),
  ignoreCase: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.ignoreCase })),
  context: Schema.optionalKey(Context.annotate({ description: fields.context, examples: [2] })),
  all: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.all })),
  limit: Schema.optionalKey(Inputs.Limit.annotate({ description: fields.limit, examples: [500] }))
})

const isTrue = Schema.optionalKey(Schema.Literal(true))

/** Sorted by path, and why there may be more. */
export const Output = Schema.Struct({
  files: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      lines: Schema.Array(
        Schema.Struct({
          line: Schema.Int,
          /** Without what ends the line; an ellipsis stands where it is cut. */
          text: Schema.String,
          isContext: isTrue,
          isCut: isTrue
        })
      )
    })
  ),
  matches: Schema.Int,
  ...Inputs.ending
})

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
    description: Sentences.grepDescription,
    input: Input,
    output: Output,
    execute: Effect.fn("Grep.execute")(
      function* (input, context) {
        const query = yield* queryOf(input)
        const target = yield* locate(files, permission, input.path ?? ".", context)
        yield* permission.assert(Inputs.requestFor("grep", files, target), context)
        const found = yield* search.lines(target, query)
        return { files: found.files, matches: found.count, ...Inputs.endingOf(found) }
      },
      Effect.catchTags(Inputs.searchFailures({ Pattern: "pattern", Glob: "include" }))
    ),
    toModelOutput: ({ output }) => [ToolContent.text(Sentences.foundLines(output))]
  })
  return Tool.annotate(tool, {
    title: "Search files",
    determinism: "pure",
    operations: ["read"],
    capabilities: ["filesystem.read"],
    risk: "low",
    version: "1.0.0"
  })
})

const queryOf = Effect.fnUntraced(function* (input: typeof Input.Type) {
  const { all = false, context = 0, ignoreCase = false, include, limit = Inputs.defaultLimit, pattern } = input
  const glob = include === undefined ? undefined : yield* Inputs.usableGlob("include", include)
  return { pattern, ignoreCase, context, glob, all, limit } satisfies LocationSearch.GrepQuery
})
