/** A map by call identity that makes no key of its own: one text for each look would cost more than the look. */
import type * as ToolCall from "@haft/core/ToolCall"

export class CallMap<V> {
  private readonly sessions = new Map<string, Map<string, Map<string, V>>>()

  get({ assistantMessageID, sessionID, toolCallID }: ToolCall.Identity): V | undefined {
    return this.sessions.get(sessionID)?.get(assistantMessageID)?.get(toolCallID)
  }

  set({ assistantMessageID, sessionID, toolCallID }: ToolCall.Identity, value: V): void {
    inside(inside(this.sessions, sessionID), assistantMessageID).set(toolCallID, value)
  }
}

const inside = <V>(outer: Map<string, Map<string, V>>, key: string): Map<string, V> => {
  const inner = outer.get(key) ?? new Map<string, V>()
  if (inner.size === 0) outer.set(key, inner)
  return inner
}
