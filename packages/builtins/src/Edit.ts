/**
 * The tool that replaces text in a file. Register it as `edit`. What is not replaced keeps its bytes, edits of several
 * calls to one file happen one after the other, and each result says how the old text was recognised.
 */
import * as Permission from "@haft/core/Permission"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { changeRequest } from "./internal/changeRequest.ts"
import { type Applied, applyEdit, type Edit } from "./internal/edits.ts"
import { misfit, notUtf8 } from "./internal/editFailures.ts"
import { failures, invalidArgument } from "./internal/failures.ts"
import { Path, WellFormed } from "./internal/inputs.ts"
import { locate } from "./internal/locate.ts"
import * as Sentences from "./internal/changeSentences.ts"
import * as TextFile from "./internal/textFile.ts"
import * as LocationFiles from "./LocationFiles.ts"

/** More is a rewrite, for which there is `write`. */
const maxEdits = 100

const fields = Sentences.editFields

const EditInput = Schema.Struct({
  old: WellFormed.check(Schema.isMinLength(1)).annotate({ description: fields.old, examples: ["const limit = 10"] }),
  new: WellFormed.annotate({ description: fields.new, examples: ["const limit = 20"] }),
  replaceAll: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.replaceAll }))
})

/** What a model sends. */
export const Input = Schema.Struct({
  path: Path,
  edits: Schema.Array(EditInput)
    .check(Schema.isMinLength(1), Schema.isMaxLength(maxEdits))
    .annotate({ description: fields.edits })
})

/** What was done, edit by edit. */
export const Output = Schema.Struct({
  path: Schema.String,
  bytes: Schema.Int,
  edits: Schema.Array(
    Schema.Struct({
      matched: Schema.Literals(["exact", "trailing-whitespace", "quotes", "indentation"]),
      /** The first of them, as they were numbered before this edit. */
      lines: Schema.Array(Schema.Int),
      replacements: Schema.Int
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
    description: Sentences.editDescription,
    input: Input,
    output: Output,
    execute: Effect.fn("Edit.execute")(function* ({ edits, path }, context) {
      yield* assertDifferent(edits)
      const target = yield* locate(files, permission, path, context)
      yield* permission.assert(yield* changeRequest(files, [target]), context)
      return yield* files.change([target], "OwnChanges", ([current]) => plan(files, target, current, edits))
    }, Effect.catchTags(failures)),
    toModelOutput: ({ output }) => [ToolContent.text(Sentences.edited(output))]
  })
  return Tool.annotate(tool, {
    title: "Edit",
    determinism: "side_effectful",
    asksFirst: true,
    operations: ["read", "write"],
    capabilities: ["filesystem.read", "filesystem.write"],
    risk: "medium",
    version: "1.0.0"
  })
})

const assertDifferent = (edits: ReadonlyArray<Edit>) => {
  const index = edits.findIndex((edit) => edit.old === edit.new)
  if (index === -1) return Effect.void
  return invalidArgument(`edits[${index}].new`, Sentences.nothingToDo(index + 1), Sentences.nothingToDoHint)
}

const plan = Effect.fnUntraced(function* (
  files: LocationFiles.Interface,
  target: LocationFiles.Target,
  current: LocationFiles.Current | undefined,
  edits: ReadonlyArray<Edit>
) {
  if (current?.exists !== true) return yield* noSuchFile(files, target)
  let file = yield* Effect.mapError(Effect.fromResult(TextFile.decode(yield* current.read)), notUtf8(target))
  const applied: Array<Applied> = []
  for (const [index, edit] of edits.entries()) {
    const edited = yield* Effect.mapError(
      Effect.fromResult(applyEdit(file, edit, LocationFiles.maxBytes)),
      misfit(target, index)
    )
    file = edited.file
    applied.push(edited.applied)
    // Searching a large file takes milliseconds; others get their turn in between.
    yield* Effect.yieldNow
  }
  const bytes = TextFile.encode(file)
  const result = { path: target.resource, bytes: bytes.length, edits: applied.map(reported) }
  return { changes: [LocationFiles.put(target, bytes)], result }
})

/** Opening says best what is missing and which names are like it. If that succeeds, the file appeared just now. */
const noSuchFile = (files: LocationFiles.Interface, target: LocationFiles.Target) =>
  Effect.flatMap(Effect.scoped(files.open(target)), () => new LocationFiles.ChangedError({ path: target.path }))

/** Enough to find the places again. */
const maxReportedLines = 20

const reported = ({ lines, rule }: Applied) => ({
  matched: rule,
  lines: lines.slice(0, maxReportedLines),
  replacements: lines.length
})
