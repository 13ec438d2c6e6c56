/** Closes the turn that an earlier run left open: its process died, or its history could not be written. */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Recovery from "@haft/registry/Recovery"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Event } from "../Event.ts"
import * as Message from "../Message.ts"
import { SessionBusy } from "../RunError.ts"
import { recorded } from "./ends.ts"
import type { Run } from "./run.ts"

/** Runs nothing. What never began did not run, and what began and did not end is unfinished. */
export const recover = Effect.fnUntraced(function* (run: Run) {
  const { conversation, emit } = run
  const answer = conversation.open
  if (answer === undefined) return
  const first = yield* lookUp(run, answer)
  const isAbandoned = first.some(({ record }) => record?._tag === "Unfinished")
  if (isAbandoned) yield* Effect.provideService(Recovery.recover, SettlementStore.Service, run.store)
  const found = isAbandoned ? yield* lookUp(run, answer) : first
  // Somebody is alive who will end it, and the turn with it.
  if (found.some(({ record }) => record?._tag === "Running"))
    return yield* new SessionBusy({ sessionID: run.request.sessionID })
  const calls = found.map(({ call, record }) => ({ call, end: endOf(call, record) }))
  yield* conversation.append(Message.closing(calls.map(({ end }) => end)))
  emit(Event.Recovered({ calls }))
})

const lookUp = ({ conversation, restore, store }: Run, answer: Message.Assistant) =>
  Effect.forEach(Message.callsOf(answer), (call) =>
    Effect.map(restore(store.find(conversation.identityOf(answer, call.id))), (record) => ({
      call,
      record: Option.getOrUndefined(record)
    }))
  )

const endOf = ({ id }: Message.Call, record: SettlementStore.CallRecord | undefined): Message.End =>
  record === undefined
    ? Message.synthetic({ callID: id, reason: "NotRun", effect: { _tag: "NotStarted" } })
    : recorded(id)(record)
