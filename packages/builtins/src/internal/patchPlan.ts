/** Turns a patch and the files as they are into changes, or says why one of them is impossible. */
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import { notUtf8 } from "./editFailures.ts"
import { type Change, type Current, put, remove } from "./fileChanges.ts"
import * as Errors from "./fileErrors.ts"
import type { Rule } from "./matching.ts"
import { applyHunks, type HunkMisfit } from "./patchHunks.ts"
import type { FilePatch } from "./patchSyntax.ts"
import { missingHint } from "./changeSentences.ts"
import * as Sentences from "./patchSentences.ts"
import type { Target } from "./targets.ts"
import * as TextFile from "./textFile.ts"

/** One file of a patch, and what its paths stand for. */
export interface Resolved {
  readonly file: FilePatch
  readonly target: Target
  readonly moveTo: Target | undefined
}

interface Report {
  readonly action: "added" | "updated" | "deleted" | "moved"
  readonly path: string
  readonly from?: string
  readonly matched: ReadonlyArray<Rule>
}

export const planPatch = Effect.fnUntraced(function* (
  resolved: ReadonlyArray<Resolved>,
  current: ReadonlyArray<Current>
) {
  const held = new Map(current.map((one) => [one.target, one]))
  const planned = yield* Effect.forEach(resolved, (one) => planFile(one, held))
  return {
    changes: planned.flatMap(({ changes }) => changes),
    result: { files: planned.map(({ report }) => report) }
  }
})

interface PlannedFile {
  readonly changes: ReadonlyArray<Change>
  readonly report: Report
}

type Planning = Effect.Effect<PlannedFile, Errors.FileError | ToolFailure.ToolFailure>

const planFile = ({ file, moveTo, target }: Resolved, held: ReadonlyMap<Target, Current>): Planning => {
  switch (file._tag) {
    case "Add":
      return add(target, file.lines, held)
    case "Delete":
      return Effect.as(existing(target, held), {
        changes: [remove(target)],
        report: { action: "deleted", path: target.resource, matched: [] }
      })
    case "Update":
      return update(file, target, moveTo, held)
  }
}

const add = (target: Target, lines: ReadonlyArray<string>, held: ReadonlyMap<Target, Current>): Planning =>
  Effect.map(vacant(target, held), () => ({
    changes: [put(target, new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")))],
    report: { action: "added", path: target.resource, matched: [] }
  }))

const update = Effect.fnUntraced(function* (
  { hunks }: Extract<FilePatch, { readonly _tag: "Update" }>,
  target: Target,
  moveTo: Target | undefined,
  held: ReadonlyMap<Target, Current>
): Effect.fn.Return<PlannedFile, Errors.FileError | ToolFailure.ToolFailure> {
  const { read } = yield* existing(target, held)
  const bytes = yield* read
  if (moveTo !== undefined) yield* vacant(moveTo, held)
  if (hunks.length === 0) return moved(target, moveTo, bytes, [])
  const file = yield* Effect.mapError(Effect.fromResult(TextFile.decode(bytes)), notUtf8(target))
  const patched = yield* Effect.mapError(Effect.fromResult(applyHunks(file, hunks)), misfit(target))
  return moved(target, moveTo, TextFile.encode(patched.file), patched.rules)
})

const moved = (
  target: Target,
  moveTo: Target | undefined,
  bytes: Uint8Array,
  matched: ReadonlyArray<Rule>
): PlannedFile => {
  if (moveTo === undefined) {
    return { changes: [put(target, bytes)], report: { action: "updated", path: target.resource, matched } }
  }
  return {
    changes: [put(moveTo, bytes, target), remove(target)],
    report: { action: "moved", path: moveTo.resource, from: target.resource, matched }
  }
}

const existing = (target: Target, held: ReadonlyMap<Target, Current>): Effect.Effect<Current, Errors.FileError> => {
  const current = held.get(target)
  return current?.exists === true ? Effect.succeed(current) : Effect.fail(Errors.notFound(target.path))
}

const vacant = (
  { path, ...target }: Target,
  held: ReadonlyMap<Target, Current>
): Effect.Effect<void, Errors.FileError> => {
  const isTaken = [...held.values()].some((one) => one.exists && one.target.resource === target.resource)
  return isTaken ? Effect.fail(new Errors.WrongKindError({ path, expected: "Nothing", found: "File" })) : Effect.void
}

const misfit =
  ({ path }: Target) =>
  ({ fault, hunk }: HunkMisfit): ToolFailure.ToolFailure => {
    switch (fault._tag) {
      case "NoHeading":
        return ToolFailure.notFound({
          message: Sentences.noHeading(path, hunk.line, hunk.heading ?? ""),
          hint: Sentences.noHeadingHint,
          field: "patch"
        })
      case "Missing":
        return ToolFailure.notFound({
          message: Sentences.hunkMissing(path, hunk.line),
          hint: missingHint(fault.nearest),
          field: "patch"
        })
      case "Ambiguous":
        return ToolFailure.precondition({
          message: Sentences.hunkAmbiguous(path, hunk.line, fault.lines),
          hint: Sentences.hunkAmbiguousHint,
          field: "patch",
          condition: "unique"
        })
    }
  }
