/** What a built-in tool wants to change in a file, as a diff for the person who is asked. */
import * as Edit from "@haft/builtins/Edit"
import * as LocationFiles from "@haft/builtins/LocationFiles"
import * as Write from "@haft/builtins/Write"
import type * as Approvals from "@haft/policy/Approvals"
import { structuredPatch } from "diff"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Larger files are compared by nobody. */
const maxBytes = 1_000_000

/** Finding the shortest diff of texts with little in common takes long, and nobody can read it. */
const maxEditLength = 2000

/** Lines around a change. */
const context = 3

/**
 * None if it cannot be foreseen; what was sent is to be shown then. The file is read for the person at this machine, who
 * may read it, and its text goes nowhere else.
 */
export const changePreview = Effect.fnUntraced(function* ({ input, tool }: Approvals.Pending) {
  const change = changeOf(tool, input)
  if (change === undefined) return Option.none()
  const before = yield* textOf(change.path)
  return Option.flatMap(before, (text) => {
    const after = change.apply(text)
    return after === undefined ? Option.none() : Option.some(diffOf(text, after))
  })
})

interface Change {
  readonly path: string
  readonly apply: (text: string) => string | undefined
}

const changeOf = (tool: string | undefined, input: unknown): Change | undefined => {
  if (tool === "write" && Schema.is(Write.Input)(input)) return { path: input.path, apply: () => input.content }
  if (tool !== "edit" || !Schema.is(Edit.Input)(input)) return undefined
  return { path: input.path, apply: (text) => input.edits.reduce(edited, text) }
}

/** Only what stands there exactly, and once unless all are meant. */
const edited = (text: string | undefined, edit: (typeof Edit.Input.Type)["edits"][number]): string | undefined => {
  const parts = text?.split(edit.old) ?? []
  return parts.length === 2 || (parts.length > 2 && edit.replaceAll === true) ? parts.join(edit.new) : undefined
}

/** Of a file that is not there, nothing. */
const textOf = Effect.fnUntraced(
  function* (path: string) {
    const files = yield* LocationFiles.Service
    const target = yield* files.resolve(path)
    if (target._tag === "External") return Option.none<string>()
    const file = yield* files.open(target)
    if (file._tag !== "File" || file.size > maxBytes) return Option.none<string>()
    return decoded(yield* file.read(0, file.size))
  },
  Effect.scoped,
  Effect.catch((error) =>
    Effect.succeed(error._tag === "LocationFiles.NotFoundError" ? Option.some("") : Option.none<string>())
  )
)

const decoded = Option.liftThrowable((bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes))

const diffOf = (before: string, after: string): ReadonlyArray<string> => {
  const patch = structuredPatch("", "", before, after, undefined, undefined, { context, maxEditLength })
  if (patch === undefined) return [...marked("-", before), ...marked("+", after)]
  return patch.hunks.flatMap(({ lines, newStart }) => [`@@ line ${newStart} @@`].concat(lines))
}

const marked = (mark: string, text: string): ReadonlyArray<string> => text.split("\n").map((line) => mark + line)
