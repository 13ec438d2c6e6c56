/** The active registrations of one placement. Immutable: every change gives a new one, and nobody sees half of one. */
import type * as Runtime from "@haft/core/runtime"
import type * as Tool from "@haft/core/Tool"
import type * as ToolDefinition from "@haft/core/ToolDefinition"
import type { ToolName } from "@haft/core/ToolName"

/** One tool under one name in one registration. Its definition is made for it alone and so is its identity. */
export interface Entry {
  readonly runtime: Runtime.Runtime
}

/** By name, the active entries, newest last. A name without any is not in the map. */
export type Overlay = ReadonlyMap<string, ReadonlyArray<Entry>>

export const empty: Overlay = new Map()

export const push = (overlay: Overlay, entries: ReadonlyArray<Entry>): Overlay => {
  const next = new Map(overlay)
  for (const entry of entries) next.set(nameOf(entry), [...(next.get(nameOf(entry)) ?? []), entry])
  return next
}

/** Removes exactly these entries, wherever they stand. */
export const remove = (overlay: Overlay, entries: ReadonlyArray<Entry>): Overlay => {
  const next = new Map(overlay)
  for (const entry of entries) {
    const rest = (next.get(nameOf(entry)) ?? []).filter((other) => other !== entry)
    if (rest.length === 0) next.delete(nameOf(entry))
    else next.set(nameOf(entry), rest)
  }
  return next
}

/** The newest active entry of a name. */
export const winner = (overlay: Overlay, name: string): Entry | undefined => overlay.get(name)?.at(-1)

export const definitionOf = (entry: Entry): ToolDefinition.ToolDefinition => entry.runtime.definition

/** What says nothing about itself may change something each time. */
export const determinismOf = ({
  annotations
}: ToolDefinition.ToolDefinition): NonNullable<Tool.Annotations["determinism"]> =>
  annotations.determinism ?? "side_effectful"

const nameOf = (entry: Entry): ToolName => definitionOf(entry).name
