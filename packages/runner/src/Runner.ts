/**
 * The agent loop: asks a model, settles the calls in its answer, tells it how they ended, and asks again, until it has
 * nothing more to call. Whatever interrupts, fails or kills a run, its history can be replayed: every call in it has
 * exactly one end, and none runs twice.
 */
import * as Permission from "@haft/core/Permission"
import type * as Session from "@haft/core/Session"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as ModelCompatibility from "@haft/registry/ModelCompatibility"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Conclusion } from "./Conclusion.ts"
import { Event } from "./Event.ts"
import * as History from "./History.ts"
import { ask } from "./internal/asking.ts"
import { isBlank } from "./internal/blank.ts"
import { Conversation } from "./internal/conversation.ts"
import * as internal from "./internal/limits.ts"
import { recover } from "./internal/recovering.ts"
import { Repeats } from "./internal/repeats.ts"
import type * as Internal from "./internal/run.ts"
import * as Sentences from "./internal/sentences.ts"
import { settleAll, type Trouble } from "./internal/settling.ts"
import * as Message from "./Message.ts"
import * as Model from "./Model.ts"
import { BlankPrompt, CallFailed, type RunError, SessionBusy } from "./RunError.ts"

/** What a run is asked to do. */
export type Request = Internal.Request

/** How much a run may do. Each is at least 1, and may be infinite. */
export type Limits = internal.Limits
/** Of a run that says nothing else. */
export const defaultLimits: Limits = internal.defaults

export interface Interface {
  /**
   * Runs while somebody reads the stream; to stop reading interrupts the run, and waits until its history is in order. A
   * turn that an earlier run left open is closed first. A session is run by one at a time.
   */
  readonly run: (request: Request) => Stream.Stream<Event, RunError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/runner/Runner") {}

/** A `Permission` that is there when the layer is built is asked after each call whether a person ended the turn. */
export const layer: Layer.Layer<Service, never, History.Service | Model.Service | SettlementStore.Service> =
  Layer.effect(
    Service,
    Effect.gen(function* () {
      const services = {
        history: yield* History.Service,
        model: yield* Model.Service,
        store: yield* SettlementStore.Service,
        permission: Option.getOrUndefined(yield* Effect.serviceOption(Permission.Service))
      }
      const busy = new Set<Session.ID>()
      return {
        run: (request) =>
          Stream.callback<Event, RunError>((queue) =>
            alone(busy, request.sessionID, perform(services, request, emitTo(queue))).pipe(
              Effect.withSpan("Runner.run", { attributes: { "haft.session.id": request.sessionID } }),
              Effect.andThen(Queue.end(queue))
            )
          )
      }
    })
  )

/** The run to its end, for whoever does not watch. */
export const conclude = <E, R>(events: Stream.Stream<Event, E, R>): Effect.Effect<Conclusion, E, R> =>
  Effect.flatMap(Stream.runLast(events), (last) =>
    Option.isSome(last) && last.value._tag === "Ended"
      ? Effect.succeed(last.value.conclusion)
      : Effect.die(new Error("the events are not those of a whole run"))
  )

type Services = Pick<Internal.Run, "model" | "permission" | "store"> & { readonly history: History.Interface }

/** Can be interrupted wherever the stages say so. */
const perform = (services: Services, request: Request, emit: Internal.Run["emit"]) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { history, model, permission, store } = services
      const { sessionID } = request
      const limits = internal.chosen(request.limits)
      const conversation = new Conversation({ history, store }, sessionID, yield* restore(history.read(sessionID)))
      const tally = new internal.Tally(limits)
      const repeats = new Repeats()
      const leftOut = new Set<string>()
      const run = { request, model, store, permission, limits, tally, repeats, conversation, leftOut, emit, restore }
      emit(Event.Ended({ conclusion: yield* converse(run) }))
    })
  )

/** The loop. */
const converse = Effect.fnUntraced(function* (run: Internal.Run): Effect.fn.Return<Conclusion, RunError> {
  const { conversation, emit, tally } = run
  yield* recover(run)
  yield* hear(run)
  if (conversation.last === undefined || conversation.last._tag === "Assistant") return tally.conclude("idle")
  for (;;) {
    const reached = tally.reached
    if (reached !== undefined) return tally.conclude(reached)
    emit(Event.TurnStarted({ turn: tally.steps + 1 }))
    const turn = yield* offer(run)
    const answer = yield* ask(run, turn.definitions)
    const { conclusion, troubles } = yield* settleAll(run, turn, answer)
    emit(Event.TurnEnded({ turn: tally.steps, usage: answer.message.usage }))
    for (const trouble of troubles) yield* face(run, trouble)
    if (conclusion !== undefined) return tally.conclude(conclusion, Message.textOf(answer.message))
  }
})

/** Puts the prompt on record. Blank parts say nothing, and providers refuse them. */
const hear = Effect.fnUntraced(function* ({ conversation, request }: Internal.Run) {
  if (request.prompt === undefined) return
  const content = Message.user(request.prompt).content.filter((part) => !isBlank(part))
  if (content.length === 0) return yield* new BlankPrompt()
  yield* conversation.append(Message.user(content))
})

/** What the model may call in this turn, in its dialect. */
const offer = Effect.fnUntraced(function* ({ emit, leftOut, model, request, restore }: Internal.Run) {
  const { onIncompatible = "leaveOut", tools } = request
  const turn = yield* Effect.fromResult(
    ModelCompatibility.adapt(yield* restore(tools), model.profile, { onIncompatible })
  )
  for (const { message, tool } of turn.omitted) {
    if (!leftOut.has(tool)) emit(Event.Warning({ code: "ToolLeftOut", message: `${tool}: ${message}` }))
    leftOut.add(tool)
  }
  return turn
})

/** A defect outweighs everything beside it. */
const face = ({ emit, request }: Internal.Run, { call, cause }: Trouble): Effect.Effect<void, CallFailed> => {
  const error = Cause.findError(cause)
  const isKnown = Result.isSuccess(error) && !Cause.hasDies(cause)
  if (request.onTrouble === "surface") {
    const message = Sentences.warnings.CallTrouble(isKnown ? error.success._tag : "Died")
    return Effect.sync(() => emit(Event.Warning({ code: "CallTrouble", message, callID: call.id })))
  }
  return isKnown ? Effect.fail(CallFailed.of(call, error.success)) : Effect.failCause(diesIn(cause))
}

const diesIn = (cause: Trouble["cause"]): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter(Cause.isDieReason))

/** Two runs of one session would answer each other's calls. */
const alone = <A, E>(busy: Set<Session.ID>, sessionID: Session.ID, effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.suspend(() => {
      if (busy.has(sessionID)) return Effect.fail(new SessionBusy({ sessionID }))
      busy.add(sessionID)
      return Effect.void
    }),
    () => effect,
    () => Effect.sync(() => busy.delete(sessionID))
  )

/** A reader that is this far behind misses reports of progress, and nothing else. */
const maxBacklog = 1_000

const emitTo =
  (queue: Queue.Queue<Event, RunError | Cause.Done>) =>
  (event: Event): void => {
    if (event._tag === "CallProgress" && Queue.sizeUnsafe(queue) >= maxBacklog) return
    Queue.offerUnsafe(queue, event)
  }
