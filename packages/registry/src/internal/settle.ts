/** Settles one call, from the name that a model wrote to the record that a store keeps. */
import type { InvalidInput } from "@haft/core/InvalidInput"
import type * as Materialization from "@haft/core/Materialization"
import type * as Runtime from "@haft/core/runtime"
import type { Settlement } from "@haft/core/Settlement"
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as SideEffect from "@haft/core/SideEffect"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { admit, type Admission } from "./admission.ts"
import { Call } from "./call.ts"
import { deadlineOf } from "./deadline.ts"
import { conclude, find, mayRepeat, recall } from "./earlier.ts"
import { attempt, exitOf, successOf } from "./eager.ts"
import { end } from "./end.ts"
import * as Execution from "./execution.ts"
import * as InFlight from "./inFlight.ts"
import type { Journey, Known, Settled } from "./journey.ts"
import { definitionOf, type Entry } from "./overlay.ts"
import * as Settlements from "./settlements.ts"
import { Signals } from "./signals.ts"
import type { Turn } from "./turn.ts"

/** Can be interrupted only while it looks, waits, decodes and executes. What has begun is always brought to its end. */
export const settle = (turn: Turn, request: Materialization.Request): Settled =>
  Effect.clockWith((clock) => {
    const call = new Call(request, clock.currentTimeMillisUnsafe())
    const deadline = deadlineOf(turn, request, clock)
    return Effect.flatMapEager(find(turn, call, deadline), (known) =>
      Effect.uninterruptibleMask((restore) =>
        pipeline({ turn, request, call, clock, deadline, restore, proceed: pipeline }, known)
      )
    )
  })

/** The stages, in order. Every way out leaves one record at most, and exactly one once the call has begun. */
const pipeline = Effect.fnUntraced(function* (
  journey: Journey,
  known: Known
): Effect.fn.Return<Settlement, Materialization.SettleError> {
  const { call, request, restore, turn } = journey
  if (Option.isSome(known) && !mayRepeat(journey, known.value)) return yield* recall(journey, known.value)

  const entry = resolve(turn, request.call.name)
  if (typeof entry === "string") return yield* conclude(journey, Settlements.unresolved(journey, entry))

  const decoding = decode(journey, entry)
  const input = exitOf(decoding) ?? (yield* Effect.exit(restore(decoding)))
  if (Exit.isFailure(input)) return yield* refuse(journey, input.cause)

  const admitting = admit(journey, entry)
  const admission = Effect.isEffect(admitting) ? yield* admitting : admitting
  const { missed } = admission
  if (missed !== undefined) return yield* conclude(journey, Settlements.expired(journey, missed, SideEffect.notStarted))
  if (admission.release !== undefined && resolve(turn, request.call.name) !== entry) {
    return yield* land(journey, admission, conclude(journey, Settlements.unresolved(journey, "StaleCall")))
  }

  const begun = yield* attempt(begin, journey, entry)
  if (Exit.isFailure(begun)) return yield* land(journey, admission, Effect.failCause(begun.cause))
  if (Option.isSome(begun.value)) return yield* land(journey, admission, recall(journey, begun.value.value))
  InFlight.fly(turn.flights, call)

  const signals = new Signals(definitionOf(entry).annotations, turn.store, call.identity)
  const executed = yield* Execution.run(journey, entry, input.value, signals, admission)
  const settled = yield* attempt(end, journey, signals, executed)
  InFlight.arrive(turn.flights, call, settled)
  return Exit.isSuccess(settled) ? settled.value : yield* settled
})

/** Compared by identity: a registration that came, went or was revealed since the turn was offered is another one. */
const resolve = (turn: Turn, name: string): Entry | "UnknownTool" | "StaleCall" => {
  const offered = turn.offer.byName.get(name)
  if (offered === undefined) return "UnknownTool"
  const entry = turn.effective.find(name)
  return entry !== undefined && definitionOf(entry) === offered ? entry : "StaleCall"
}

type Decoding<E> = Effect.Effect<Runtime.Decoded, E>

/** As sent if that is valid, which costs nothing more in nearly all calls; otherwise as repaired. */
const decode = (journey: Journey, entry: Entry): Decoding<InvalidInput> => {
  const decoding = entry.runtime.decode(journey.call.input, journey.turn.repair)
  return successOf(decoding) ?? repair(journey, entry, decoding)
}

const repair = ({ call, turn }: Journey, { runtime }: Entry, decoding: Decoding<void>): Decoding<InvalidInput> =>
  Effect.catchEager(decoding, () =>
    Effect.mapEager(runtime.repair(call.input, turn.repair), ({ input, repaired }) => {
      call.repaired(repaired)
      return input
    })
  )

/** Arguments that do not fit are the model's to mend. A codec that is broken, or was interrupted, is not. */
const refuse = (journey: Journey, cause: Cause.Cause<InvalidInput>): Settled => {
  const error = Cause.findError(cause)
  if (Result.isFailure(error)) return Effect.failCause(error.failure)
  return conclude(journey, Settlements.invalid(journey, error.success))
}

/** In flight from here on. */
const begin = ({ call, request, turn }: Journey, entry: Entry) => {
  call.resolved(definitionOf(entry))
  InFlight.depart(turn.flights, call)
  return turn.calls.begin(call, request.repeat === true ? repeating : undefined)
}

const repeating: SettlementStore.BeginOptions = { repeat: true }

/** The store did not let the call begin: it failed, or it knows the call already. */
const land = (journey: Journey, admission: Admission, instead: Settled): Settled => {
  InFlight.cancel(journey.turn.flights, journey.call)
  admission.release?.()
  return instead
}
