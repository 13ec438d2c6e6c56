/** A place to register tools: one overlay in a `Ref`, and a feed of what changes in it. Both placements are this. */
import * as Runtime from "@haft/core/runtime"
import type * as Tool from "@haft/core/Tool"
import type { ToolName } from "@haft/core/ToolName"
import type * as Tools from "@haft/core/Tools"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { type Hold, Holding, toEntry } from "./holds.ts"
import * as Overlay from "./overlay.ts"

/** What one registration, or the end of one, did to a placement. */
export interface Change {
  readonly names: ReadonlyArray<ToolName>
  readonly before: Overlay.Overlay
  readonly after: Overlay.Overlay
}

export interface Placement extends Tools.Interface {
  readonly overlay: Ref.Ref<Overlay.Overlay>
  /** Told in the same step as each change, so that they see what else was the case then. */
  readonly listeners: Set<(change: Change) => void>
}

export const make: Effect.Effect<Placement> = Effect.gen(function* () {
  const overlay = yield* Ref.make(Overlay.empty)
  const listeners = new Set<(change: Change) => void>()
  const update = (entries: ReadonlyArray<Overlay.Entry>, change: typeof Overlay.push) =>
    Effect.sync(() => {
      const before = Ref.getUnsafe(overlay)
      const after = change(before, entries)
      MutableRef.set(overlay.ref, after)
      const names = entries.map((entry) => Overlay.definitionOf(entry).name)
      for (const listener of listeners) listener({ names, before, after })
    })
  const register = Effect.fn("Placement.register")(function* (tools: Readonly<Record<string, Tool.Any>>) {
    const entries = yield* Effect.fromResult(toEntries(tools, yield* Holding))
    yield* Effect.acquireRelease(update(entries, Overlay.push), () => update(entries, Overlay.remove))
  })
  return { register, overlay, listeners }
})

/** All entries or the first refusal. Opening a tool copies nothing of the record, so it may change afterwards. */
const toEntries = (
  tools: Readonly<Record<string, Tool.Any>>,
  hold: Hold | undefined
): Result.Result<ReadonlyArray<Overlay.Entry>, Tool.RegistrationError> => {
  const entries: Array<Overlay.Entry> = []
  for (const [name, tool] of Object.entries(tools)) {
    const opened = Runtime.open(name, tool)
    if (Result.isFailure(opened)) return Result.fail(opened.failure)
    entries.push(toEntry(opened.success, hold))
  }
  return Result.succeed(entries)
}
