/** Settlements of calls that nobody made, for tests of what happens to them afterwards. */
import { type Materialization, Settlement, SideEffect, type ToolContent, type ToolFailure } from "@haft/core"
import * as Testing from "@haft/registry/testing"
import type { Schema } from "effect"

const request: Materialization.Request = Testing.request("tool", {})

const shared = {
  context: {
    sessionID: request.sessionID,
    agent: request.agent,
    assistantMessageID: request.assistantMessageID,
    toolCallID: request.call.id
  },
  name: "tool",
  effect: SideEffect.none,
  warnings: [],
  timing: { startedAt: 0, endedAt: 0 },
  managed: []
}

export const succeeded = (structured: Schema.Json, content: ReadonlyArray<ToolContent.ToolContent> = []) =>
  Settlement.succeeded({ ...shared, output: { structured, content } })

export const failed = (failure: ToolFailure.ToolFailure) => Settlement.failed({ ...shared, failure })

export const rejected = (rejection: Settlement.Rejection, message: string) =>
  Settlement.rejected({ ...shared, rejection, message })
