/** Settles the calls of an answer, each for itself, and closes the turn however they end. */
import type { Materialization } from "@haft/core/Materialization"
import * as Progress from "@haft/core/Progress"
import * as SideEffect from "@haft/core/SideEffect"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Event } from "../Event.ts"
import type * as History from "../History.ts"
import * as Message from "../Message.ts"
import { type Settling, endOf } from "./ends.ts"
import type { Answer, Run } from "./run.ts"
import * as Sentences from "./sentences.ts"

/** How the calls of a turn ended by themselves, and whether a person wants no more of them. */
interface Board {
  readonly settlings: Map<ToolCall.ID, Settling>
  readonly refused: Map<ToolCall.ID, Message.Reason>
  isStopped: boolean
}

/** What a run does about a turn that is closed. */
export interface Closed {
  readonly conclusion: "answered" | "empty" | "length" | "refused" | "repeated" | "stopped" | undefined
  /** The calls that ended in an operational error or a defect. */
  readonly troubles: ReadonlyArray<Trouble>
}

/** A call that ended neither in a settlement nor because somebody stopped it. */
export interface Trouble {
  readonly call: Message.Call
  readonly cause: Extract<Settling, { readonly _tag: "Failure" }>["cause"]
}

/** If it is interrupted, it first closes the turn. */
export const settleAll = Effect.fnUntraced(function* (
  run: Run,
  turn: Materialization,
  answer: Answer
): Effect.fn.Return<Closed, History.StorageError | History.ConflictError> {
  const { conversation, emit, restore, store } = run
  if (answer.calls.length === 0) return { conclusion: silentConclusionOf(answer.message), troubles: [] }
  const board: Board = { settlings: new Map(), refused: refusals(run, answer), isStopped: false }
  const settling = Effect.forEach(answer.calls, (call) => settle(run, turn, answer, board, call), {
    concurrency: run.limits.executing,
    discard: true
  })
  const exit = yield* Effect.exit(restore(settling))
  const ends = yield* Effect.forEach(answer.calls, ({ id }) => {
    const reason = board.refused.get(id)
    return reason === undefined
      ? endOf(store, conversation.identityOf(answer.message, id), board.settlings.get(id))
      : Effect.succeed(Message.synthetic({ callID: id, reason, effect: SideEffect.notStarted }))
  })
  yield* conversation.append(Message.closing(ends))
  for (const [index, call] of answer.calls.entries()) {
    const end = ends[index]
    if (end?._tag === "Synthetic") emit(Event.CallUnsettled({ call, end }))
  }
  if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
  return closedOf(answer, board)
})

/** Without calls there is nothing to go on with. */
const silentConclusionOf = (message: Message.Assistant): Closed["conclusion"] => {
  if (message.stop === "refused" || message.stop === "length") return message.stop
  return Message.textOf(message) === "" ? "empty" : "answered"
}

const closedOf = ({ calls, message }: Answer, { isStopped, refused, settlings }: Board): Closed => ({
  conclusion: conclusionOf(message, isStopped, refused),
  troubles: calls.flatMap((call) => troubleOf(call, settlings.get(call.id)))
})

const conclusionOf = ({ stop }: Message.Assistant, isStopped: boolean, refused: Board["refused"]) => {
  if (isStopped) return "stopped"
  if (stop === "refused") return "refused"
  return [...refused.values()].includes("Repeated") ? "repeated" : undefined
}

const troubleOf = (call: Message.Call, settling: Settling | undefined): ReadonlyArray<Trouble> =>
  settling === undefined || Exit.isSuccess(settling) || Cause.hasInterruptsOnly(settling.cause)
    ? []
    : [{ call, cause: settling.cause }]

/** Decided before anything runs, so that it does not depend on which call is faster. */
const refusals = (run: Run, answer: Answer): Map<ToolCall.ID, Message.Reason> => {
  const { limits, tally } = run
  const { calls, message, refused } = answer
  const counts = run.repeats.count(calls)
  const room = Math.min(limits.executing + limits.queued, limits.calls - tally.calls)
  const isCutOff = message.stop === "length" || message.stop === "refused"
  return new Map(
    calls.flatMap(({ id, name }, index): ReadonlyArray<readonly [ToolCall.ID, Message.Reason]> => {
      const count = counts[index] ?? 1
      if (count >= limits.repeatsReported) warnOfRepeat(run, id, name, count)
      if (isCutOff) return [[id, "CutOff"]]
      if (count >= limits.repeatsStopped) return [[id, "Repeated"]]
      const reason = refused.get(id) ?? (index >= room ? "TooManyCalls" : undefined)
      return reason === undefined ? [] : [[id, reason]]
    })
  )
}

const warnOfRepeat = ({ emit }: Run, callID: ToolCall.ID, name: string, count: number): void =>
  emit(Event.Warning({ code: "CallRepeated", message: Sentences.warnings.CallRepeated(name, count), callID }))

/** Never fails: what becomes of one call is nothing to the calls beside it. */
const settle = Effect.fnUntraced(function* (
  run: Run,
  turn: Materialization,
  { message }: Answer,
  board: Board,
  call: Message.Call
) {
  if (board.isStopped && !board.refused.has(call.id)) board.refused.set(call.id, "Stopped")
  if (board.refused.has(call.id)) return
  const { emit, permission, request, tally } = run
  const { agent, sessionID } = request
  const interruption = Deferred.makeUnsafe<never>()
  tally.calls++
  emit(Event.CallStarted({ call, interrupt: Effect.asVoid(Deferred.interrupt(interruption)) }))
  const settling = turn
    .settle({ sessionID, agent, assistantMessageID: message.id, call })
    .pipe(
      Effect.provideService(Progress.Service, progressOf(run, call)),
      Effect.raceFirst(Deferred.await(interruption))
    )
  const exit = yield* Effect.exit(settling)
  board.settlings.set(call.id, exit)
  if (Exit.isSuccess(exit)) emit(Event.CallSettled({ call, settlement: exit.value }))
  const stops = permission?.stops({ sessionID, assistantMessageID: message.id }) ?? Effect.succeed(false)
  if (yield* stops) board.isStopped = true
})

const progressOf = ({ emit }: Run, { id }: Message.Call): Progress.Interface => ({
  report: (update) => Effect.sync(() => emit(Event.CallProgress({ callID: id, update })))
})
