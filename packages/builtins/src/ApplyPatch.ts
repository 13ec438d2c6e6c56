/**
 * The tool that adds, updates, deletes and moves several files at once. Register it as `apply_patch`. Everything is read,
 * resolved and tried before the first file changes, and either all files change or none does.
 */
import * as Permission from "@haft/core/Permission"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { changeRequest } from "./internal/changeRequest.ts"
import { failures, invalidArgument } from "./internal/failures.ts"
import { WellFormed } from "./internal/inputs.ts"
import { locate } from "./internal/locate.ts"
import { planPatch, type Resolved } from "./internal/patchPlan.ts"
import { type FilePatch, parse } from "./internal/patchSyntax.ts"
import * as Sentences from "./internal/patchSentences.ts"
import * as LocationFiles from "./LocationFiles.ts"

/** What a model sends. */
export const Input = Schema.Struct({
  patch: WellFormed.annotate({ description: Sentences.patchFields.patch, examples: [Sentences.patchExample] })
})

/** What was done, file by file. */
export const Output = Schema.Struct({
  files: Schema.Array(
    Schema.Struct({
      action: Schema.Literals(["added", "updated", "deleted", "moved"]),
      path: Schema.String,
      /** Where a moved file was before. */
      from: Schema.optionalKey(Schema.String),
      /** What was overlooked to recognise the old lines. */
      matched: Schema.Array(Schema.Literals(["exact", "trailing-whitespace", "quotes", "indentation"]))
    })
  )
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
    description: Sentences.patchDescription,
    input: Input,
    output: Output,
    execute: Effect.fn("ApplyPatch.execute")(function* ({ patch }, context) {
      const parsed = yield* Effect.mapError(Effect.fromResult(parse(patch)), unreadable)
      const resolved = yield* Effect.forEach(parsed, (file) => resolve(files, permission, file, context))
      const targets = resolved.flatMap(({ moveTo, target }) => (moveTo === undefined ? [target] : [target, moveTo]))
      yield* assertDistinct(targets)
      yield* permission.assert(yield* changeRequest(files, targets), context)
      return yield* files.change(targets, "OwnChanges", (current) => planPatch(resolved, current))
    }, Effect.catchTags(failures)),
    toModelOutput: ({ output }) => [ToolContent.text(Sentences.patched(output.files))]
  })
  return Tool.annotate(tool, {
    title: "Apply patch",
    determinism: "side_effectful",
    asksFirst: true,
    operations: ["read", "write", "delete"],
    capabilities: ["filesystem.read", "filesystem.write"],
    risk: "medium",
    version: "1.0.0"
  })
})

const unreadable = (fault: Parameters<typeof Sentences.badPatch>[0]) =>
  invalidArgument("patch", Sentences.badPatch(fault), Sentences.badPatchHint)

const resolve = Effect.fnUntraced(function* (
  files: LocationFiles.Interface,
  permission: Permission.Interface,
  file: FilePatch,
  context: Tool.Context
) {
  const target = yield* locate(files, permission, file.path, context)
  const to = file._tag === "Update" ? file.moveTo : undefined
  const moveTo = to === undefined ? undefined : yield* locate(files, permission, to, context)
  return { file, target, moveTo } satisfies Resolved
})

/** Which of two changes to one file comes first would be a guess. */
const assertDistinct = (targets: ReadonlyArray<LocationFiles.Target>) => {
  const resources = targets.map(({ resource }) => resource)
  const twice = targets.find(({ resource }, index) => resources.indexOf(resource) !== index)
  if (twice === undefined) return Effect.void
  return Effect.fail(invalidArgument("patch", Sentences.twice(twice.path), Sentences.twiceHint))
}
