/** A map by call identity that makes no key of its own: one text for each look would cost more than the look. */
import type * as ToolCall from "@haft/core/ToolCall"

export class CallMap<V> {
  private readonly sessions = new Map<string, Map<string, Map<string, V>>>()
  /** The message that was looked at last. Calls come in messages, so the next look is nearly always there too. */
  private sessionID: string | undefined
  private messageID: string | undefined
  private message: Map<string, V> | undefined

  get(identity: ToolCall.Identity): V | undefined {
    return this.messageOf(identity)?.get(identity.toolCallID)
  }

  set(identity: ToolCall.Identity, value: V): void {
    const message = this.messageOf(identity) ?? this.addMessage(identity)
    message.set(identity.toolCallID, value)
  }

  private messageOf({ assistantMessageID, sessionID }: ToolCall.Identity): Map<string, V> | undefined {
    if (this.messageID === assistantMessageID && this.sessionID === sessionID) return this.message
    return this.look(sessionID, assistantMessageID, this.sessions.get(sessionID)?.get(assistantMessageID))
  }

  private addMessage({ assistantMessageID, sessionID }: ToolCall.Identity): Map<string, V> {
    const message = new Map<string, V>()
    const session = this.sessions.get(sessionID)
    if (session === undefined) this.sessions.set(sessionID, new Map([[assistantMessageID, message]]))
    else session.set(assistantMessageID, message)
    return this.look(sessionID, assistantMessageID, message)
  }

  private look<M extends Map<string, V> | undefined>(sessionID: string, messageID: string, message: M): M {
    this.sessionID = sessionID
    this.messageID = messageID
    this.message = message
    return message
  }
}
