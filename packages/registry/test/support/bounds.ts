/** Bounding settlements that nobody made, on a store that a test can look into. */
import type { Settlement, Tool, ToolDefinition } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer } from "effect"
import * as KeptOutputs from "./keptOutputs.ts"
import { executing, offering } from "./tools.ts"

export const layer = Layer.provideMerge(OutputBounds.layer(), KeptOutputs.layer)

/** In a turn of its own, which offers these tools. */
export const bound = Effect.fnUntraced(function* <S extends Settlement.Settlement>(
  settlement: S,
  limits?: Partial<OutputBounds.Limits>,
  tools: ReadonlyArray<ToolDefinition.ToolDefinition> = []
) {
  const bounds = yield* OutputBounds.Service
  const boundary = bounds.forTurn(new Map(tools.map((tool) => [tool.name, tool])), limits)
  return yield* boundary.bound(settlement)
})

/** The type and the text of everything that is kept, oldest first. */
export const keptTexts = Effect.gen(function* () {
  const { outputs } = yield* KeptOutputs.Outputs
  return (yield* outputs).map(({ bytes, mimeType }) => [mimeType, Buffer.from(bytes).toString()])
})

/** A tool as a turn offers it. */
export const offered = (name: string, annotations?: Tool.Annotations) =>
  Effect.map(offering({ [name]: executing(Effect.succeed(""), annotations) }), ({ definitions }) => definitions).pipe(
    Effect.scoped,
    Effect.provide(Testing.layer)
  )
