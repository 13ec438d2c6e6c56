/** Calls of the file tools as a model would make them. */
import { ApplyPatch, Edit, type LocationFiles, Read, Write } from "@haft/builtins"
import type { Permission, Tool, ToolContent, ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect } from "effect"
import type { Place } from "./place.ts"

export type Name = "read" | "write" | "edit" | "apply_patch"

type Making = Effect.Effect<Tool.Any, never, LocationFiles.Service | Permission.Service>

const tools: Readonly<Record<Name, Making>> = {
  read: Read.make,
  write: Write.make,
  edit: Edit.make,
  apply_patch: ApplyPatch.make
}

const made = ({ context }: Place, name: Name): Effect.Effect<Tool.Any> => Effect.provideContext(tools[name], context)

/** What a model reads of a call that succeeded. */
export const textOf = Effect.fnUntraced(function* (place: Place, name: Name, input: unknown) {
  const { output } = yield* Testing.call(yield* made(place, name), input, { name })
  return output.content.map(shown).join("\n")
})

const shown = (part: ToolContent.ToolContent): string =>
  part._tag === "Text" ? part.text : `<${part.mimeType}, ${part.data.length} bytes>`

/** The structured value of a call that succeeded. */
export const valueOf = Effect.fnUntraced(function* (place: Place, name: Name, input: unknown) {
  const { output } = yield* Testing.call(yield* made(place, name), input, { name })
  return output.structured
})

/** The failure of a call that failed; anything else dies. */
export const failureOf = Effect.fnUntraced(function* (place: Place, name: Name, input: unknown) {
  const error = yield* Effect.flip(Testing.call(yield* made(place, name), input, { name }))
  if (error._tag === "ToolFailure") return error
  return yield* Effect.die(error)
})

/** What a model reads of a call that failed. */
export const complaintOf = (place: Place, name: Name, input: unknown) =>
  Effect.map(failureOf(place, name, input), complaint)

const complaint = ({ hint, message, reason }: ToolFailure.ToolFailure): string =>
  [`${reason._tag}: ${message}`, ...(hint === undefined ? [] : [hint])].join("\n")

/** How a call ended, with what it signalled. */
export const observe = Effect.fnUntraced(function* (place: Place, name: Name, input: unknown) {
  return yield* Testing.observe(yield* made(place, name), input, { name })
})
