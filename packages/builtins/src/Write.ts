/**
 * The tool that creates a file or replaces all of it. Register it as `write`. Whoever looks sees the old content or the new
 * one, and a file that appeared or changed after the permission was asked for is left alone.
 */
import * as Permission from "@haft/core/Permission"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { changeRequest } from "./internal/changeRequest.ts"
import { failures } from "./internal/failures.ts"
import { Path, WellFormed } from "./internal/inputs.ts"
import { locate } from "./internal/locate.ts"
import * as Sentences from "./internal/changeSentences.ts"
import * as LocationFiles from "./LocationFiles.ts"

/** What a model sends. */
export const Input = Schema.Struct({
  path: Path,
  content: WellFormed.annotate({ description: Sentences.writeFields.content, examples: ["# Notes\n"] })
})

/** What was done. */
export const Output = Schema.Struct({
  path: Schema.String,
  action: Schema.Literals(["created", "replaced"]),
  bytes: Schema.Int,
  lines: Schema.Int
})

/** The tool, for the files of one Location. */
export const make: Effect.Effect<
  Tool.Tool<typeof Input, typeof Output>,
  never,
  LocationFiles.Service | Permission.Service
> = Effect.gen(function* () {
  const files = yield* LocationFiles.Service
  const permission = yield* Permission.Service
  const tool = Tool.make({
    description: Sentences.writeDescription,
    input: Input,
    output: Output,
    execute: Effect.fn("Write.execute")(function* ({ content, path }, context) {
      const target = yield* locate(files, permission, path, context)
      yield* permission.assert(yield* changeRequest(files, [target]), context)
      return yield* files.change([target], "Nothing", ([current]) => Effect.succeed(planned(target, content, current)))
    }, Effect.catchTags(failures)),
    toModelOutput: ({ output }) => [ToolContent.text(Sentences.written(output))]
  })
  return Tool.annotate(tool, {
    title: "Write",
    determinism: "idempotent",
    asksFirst: true,
    operations: ["write"],
    capabilities: ["filesystem.write"],
    risk: "medium",
    version: "1.0.0"
  })
})

const planned = (target: LocationFiles.Target, content: string, current: LocationFiles.Current | undefined) => {
  const bytes = new TextEncoder().encode(content)
  const action = current?.exists === true ? ("replaced" as const) : ("created" as const)
  const result = { path: target.resource, action, bytes: bytes.length, lines: linesIn(content) }
  return { changes: [LocationFiles.put(target, bytes)], result }
}

/** As an editor counts them. */
const linesIn = (text: string): number => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length)
