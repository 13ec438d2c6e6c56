/** One session while it runs: its history, and the same as a model is to read it. */
import type * as Session from "@haft/core/Session"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CallResult from "../CallResult.ts"
import type * as History from "../History.ts"
import * as Message from "../Message.ts"
import * as Model from "../Model.ts"

/** Where it is kept. */
export interface Stores {
  readonly history: History.Interface
  readonly store: SettlementStore.Interface
}

/** Settlements that are looked up at once when a session is opened again. */
const lookups = 32

export class Conversation {
  /** Ids of calls, of which none may occur twice. */
  readonly callIDs: Set<string>
  private readonly stores: Stores
  private readonly sessionID: Session.ID
  private readonly messages: Array<Message.Message>
  /** Results are looked up once in a run: a settlement never changes. */
  private readonly results = new Map<ToolCall.ID, CallResult.CallResult>()

  constructor(stores: Stores, sessionID: Session.ID, messages: ReadonlyArray<Message.Message>) {
    this.stores = stores
    this.sessionID = sessionID
    this.messages = [...messages]
    this.callIDs = new Set(
      messages.flatMap((message) => (message._tag === "Assistant" ? Message.callsOf(message).map(({ id }) => id) : []))
    )
  }

  get last(): Message.Message | undefined {
    return this.messages.at(-1)
  }

  /** The answer whose calls have no end on record. */
  get open(): Message.Assistant | undefined {
    return this.last?._tag === "Assistant" && Message.callsOf(this.last).length > 0 ? this.last : undefined
  }

  append(message: Message.Message): Effect.Effect<void, History.StorageError | History.ConflictError> {
    return Effect.map(this.stores.history.append(this.sessionID, this.messages.length, message), () => {
      this.messages.push(message)
    })
  }

  identityOf(answer: Message.Assistant, toolCallID: ToolCall.ID): ToolCall.Identity {
    return { sessionID: this.sessionID, assistantMessageID: answer.id, toolCallID }
  }

  /** As a model is to read it. Every call has one result behind its answer, whatever a history says or leaves out. */
  get request(): Effect.Effect<ReadonlyArray<Model.RequestMessage>, SettlementStore.StorageError> {
    return Effect.map(
      Effect.forEach(this.messages, (message, index) => this.requestMessages(message, this.messages[index + 1])),
      (messages) => messages.flat()
    )
  }

  private requestMessages(
    message: Message.Message,
    next: Message.Message | undefined
  ): Effect.Effect<ReadonlyArray<Model.RequestMessage>, SettlementStore.StorageError> {
    if (message._tag === "User") return Effect.succeed([Model.RequestMessage.User({ content: message.content })])
    if (message._tag === "Closing") return Effect.succeed([])
    const calls = Message.callsOf(message)
    const answer = Model.RequestMessage.Assistant({ parts: message.parts })
    if (calls.length === 0) return Effect.succeed([answer])
    const ends = new Map((next?._tag === "Closing" ? next.ends : []).map((end) => [end.callID, end]))
    return Effect.map(
      Effect.forEach(calls, (call) => this.result(message, call, ends.get(call.id)), { concurrency: lookups }),
      (results) => [answer, Model.RequestMessage.Results({ results })]
    )
  }

  private result(answer: Message.Assistant, call: Message.Call, end: Message.End | undefined) {
    const known = this.results.get(call.id)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.tap(this.look(answer, call, end), (result) => Effect.sync(() => this.results.set(call.id, result)))
  }

  private look(answer: Message.Assistant, call: Message.Call, end: Message.End | undefined) {
    if (end === undefined) return Effect.succeed(CallResult.lost(call))
    if (end._tag === "Synthetic") return Effect.succeed(CallResult.synthetic(call, end))
    return Effect.map(this.stores.store.find(this.identityOf(answer, call.id)), (found) => {
      const record = Option.getOrUndefined(found)
      return record?._tag === "Ended" && record.ended._tag === "Settled"
        ? CallResult.settled(call, record.ended.settlement)
        : CallResult.lost(call)
    })
  }
}
