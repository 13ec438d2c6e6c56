/** Runs an executor with everything around it that a tool may use, for as long as it may. */
import * as EffectSignal from "@haft/core/EffectSignal"
import type { InvalidOutput } from "@haft/core/InvalidOutput"
import * as Invocation from "@haft/core/Invocation"
import type * as Runtime from "@haft/core/runtime"
import type { ToolFailure } from "@haft/core/ToolFailure"
import type { ToolOutput } from "@haft/core/ToolOutput"
import type { ToolName } from "@haft/core/ToolName"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { type Call, digestOf } from "./call.ts"
import { definitionOf, determinismOf, type Entry } from "./overlay.ts"
import type { Admission } from "./admission.ts"
import type { Deadline } from "./deadline.ts"
import { exitOf, successOf } from "./eager.ts"
import { endInTime, startNow } from "./inTime.ts"
import type { Journey } from "./journey.ts"
import type { Signals } from "./signals.ts"

type Stages = Effect.Effect<ToolOutput, ToolFailure | InvalidOutput>

/** How an execution ended by itself, or the deadline that it did not end by. */
export type Executed = Exit.Exit<ToolOutput, ToolFailure | InvalidOutput> | Deadline

/** Execute, encode, project: with the references of this call, and for as long as it was admitted. Never fails. */
export const run = (
  journey: Journey,
  entry: Entry,
  input: Runtime.Decoded,
  signals: Signals,
  { release }: Admission
): Effect.Effect<Executed> => {
  const stages = stagesOf(entry, input, journey.call, signals)
  if (journey.deadline !== undefined) return within(journey, stages, journey.deadline, release)
  const ended = Effect.exit(journey.restore(stages))
  return release === undefined ? ended : Effect.ensuring(ended, Effect.sync(release))
}

const stagesOf = (entry: Entry, input: Runtime.Decoded, call: Call, signals: Signals): Stages =>
  Effect.suspend(() => {
    signals.enter()
    const executing = entry.runtime.execute(input, call.context)
    // What is over already has no use for references.
    const executed = successOf(executing)
    return executed === undefined
      ? presentLater(entry, input, exitOf(executing) ?? withReferences(executing, call, entry, signals))
      : present(entry, input, executed.value)
  })

/** Encode and project. No function is made where the codec answers at once, as most do. */
const present = ({ runtime }: Entry, input: Runtime.Decoded, returned: Runtime.Returned): Stages => {
  const encoding = runtime.encode(returned)
  const encoded = successOf(encoding)
  return encoded === undefined
    ? projectLater(runtime, input, encoding)
    : Effect.succeed(runtime.project(input, encoded.value))
}

const presentLater = (
  entry: Entry,
  input: Runtime.Decoded,
  executed: Effect.Effect<Runtime.Returned, ToolFailure>
): Stages => Effect.flatMapEager(executed, (returned) => present(entry, input, returned))

const projectLater = (
  { project }: Runtime.Runtime,
  input: Runtime.Decoded,
  encoding: Effect.Effect<Runtime.Encoded, InvalidOutput>
): Stages => Effect.mapEager(encoding, (encoded) => project(input, encoded))

/** The references of one execution. `Progress` is the caller's own, so that whoever listens to a call hears it. */
const withReferences = <A, E>(effect: Effect.Effect<A, E>, call: Call, entry: Entry, signals: Signals) =>
  Effect.updateContext(effect, (context: Context.Context<never>) =>
    Context.add(
      Context.add(context, EffectSignal.Service, signals),
      Invocation.Service,
      Option.some(new Executing(call, entry))
    )
  )

/** Says what is executing when somebody asks. */
class Executing implements Invocation.Interface {
  private readonly call: Call
  private readonly entry: Entry

  constructor(call: Call, entry: Entry) {
    this.call = call
    this.entry = entry
  }

  get name(): ToolName {
    return definitionOf(this.entry).name
  }

  get registrationDigest(): string {
    return digestOf(definitionOf(this.entry))
  }

  get input(): Schema.JsonObject {
    return this.call.decoded
  }

  get inputFingerprint(): string {
    return this.call.decodedFingerprint
  }

  get determinism(): Invocation.Interface["determinism"] {
    return determinismOf(definitionOf(this.entry))
  }
}

/**
 * Ends in time, whatever the executor does: at the deadline it is interrupted and left to its finalizers, and the call
 * does not wait for them. Only a loop that never yields cannot be left, because it holds the thread. Its place is free
 * when it is gone.
 */
const within = Effect.fnUntraced(function* (
  { restore }: Journey,
  stages: Stages,
  deadline: Deadline,
  release: Admission["release"]
): Effect.fn.Return<Executed> {
  // Who interrupts a call while its beginning is recorded does not want it to run.
  const wanted = yield* Effect.exit(restore(Effect.void))
  if (Exit.isFailure(wanted) || deadline.hasPassed) {
    release?.()
    return Exit.isFailure(wanted) ? Exit.failCause(wanted.cause) : deadline
  }
  const fiber = yield* Effect.forkDetach(stages, startNow)
  if (release !== undefined) fiber.addObserver(release)
  return Option.getOrElse(yield* endInTime(restore, fiber, deadline), () => deadline)
})
