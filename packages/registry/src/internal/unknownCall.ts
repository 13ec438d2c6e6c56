/** The answer to a call of a tool that was left out of a turn. It leaves no record, because it never came to a registry. */
import type { Request } from "@haft/core/Materialization"
import * as Settlement from "@haft/core/Settlement"
import * as SideEffect from "@haft/core/SideEffect"
import * as ToolName from "@haft/core/ToolName"
import * as Effect from "effect/Effect"
import * as Sentences from "./sentences.ts"

export const rejectUnknown = (
  { agent, assistantMessageID, call, sessionID }: Request,
  offered: ReadonlyArray<ToolName.ToolName>
): Effect.Effect<Settlement.Settlement> =>
  Effect.clockWith((clock) => {
    const now = clock.currentTimeMillisUnsafe()
    return Effect.succeed(
      Settlement.rejected({
        context: { sessionID, agent, assistantMessageID, toolCallID: call.id },
        name: Sentences.shownName(call.name),
        effect: SideEffect.notStarted,
        warnings: [],
        timing: { startedAt: now, endedAt: now },
        managed: [],
        rejection: { _tag: "UnknownTool" },
        message: Sentences.unresolved("UnknownTool", call.name, ToolName.closest(call.name, offered))
      })
    )
  })
