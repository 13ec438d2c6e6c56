/** Ids that this package makes up. */
import * as Session from "@haft/core/Session"
import * as ToolCall from "@haft/core/ToolCall"
import * as SecureRandom from "effect/crypto/SecureRandom"

export const messageID = (): Session.MessageID => Session.MessageID.make(`msg_${SecureRandom.uuidV4Unsafe()}`)

export const callID = (): ToolCall.ID => ToolCall.ID.make(`call_${SecureRandom.uuidV4Unsafe()}`)

/** What all providers take back: OpenAI the length, Anthropic the characters. */
const grammar = /^[A-Za-z0-9_-]{1,64}$/

export const isKeepable = (id: string): id is ToolCall.ID => grammar.test(id)
