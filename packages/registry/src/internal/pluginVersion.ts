/** One installed version of a plugin: what it has registered, who still calls it, and the way to its end. */
import * as Installation from "@haft/plugin-api/Installation"
import type { Manifest } from "@haft/plugin-api/Plugin"
import type { PluginFailure } from "@haft/plugin-api/PluginFailure"
import type * as Tools from "@haft/core/Tools"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { atMost, nativelyAtMost } from "./atMost.ts"
import { Hold, Holding } from "./holds.ts"
import * as Sentences from "./pluginSentences.ts"
import * as Stage from "./pluginStage.ts"

export interface Version {
  readonly manifest: Manifest
  /**
   * Its tools go at once. Its Scope closes when its last call has ended, or after the grace time, when those that still run
   * are interrupted. Gives what could not be cleaned up, in sentences.
   */
  readonly retire: (grace: Duration.Duration) => Effect.Effect<ReadonlyArray<string>>
  /** For a host that is closing itself: the same without grace. */
  readonly abandon: Effect.Effect<void>
}

/** Long enough for a database to say goodbye. What takes longer is a leak. */
const closingTime = Duration.seconds(5)

/** Gives a version that is installed, or leaves nothing behind. */
export const open = Effect.fnUntraced(function* (
  plugin: unknown,
  handed: Installation.Handed,
  limit: Duration.Duration
): Effect.fn.Return<Version, PluginFailure> {
  const scope = yield* Scope.make()
  const registrations = yield* Scope.fork(scope)
  const hold = new Hold()
  const stage = Stage.make(holding(hold, handed.tools))
  const tools = Installation.ownedBy(registrations, stage)
  const withdraw = Scope.close(registrations, Exit.void)
  const close = Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true })
  const installing = Scope.provide(Installation.install(plugin, { ...handed, tools }), scope)
  const installed = yield* Effect.onError(inTime(Effect.tap(installing, lifting(stage)), limit), () =>
    Effect.andThen(withdraw, close)
  )
  const { fibers, manifest } = installed
  return {
    manifest,
    retire: Effect.fnUntraced(function* (grace) {
      yield* withdraw
      const late = Option.isNone(yield* atMost(grace, hold.idle)) ? hold.users : 0
      if (late > 0) yield* Effect.andThen(hold.revoke, atMost(closingTime, hold.idle))
      const closed = yield* atMost(closingTime, Fiber.await(yield* close))
      return [
        ...(late > 0 ? [Sentences.interruptedCalls(late, Duration.format(grace))] : []),
        ...faultsOf(closed),
        ...leaksOf(yield* fibers)
      ]
    }),
    abandon: Effect.gen(function* () {
      yield* withdraw
      yield* Effect.andThen(hold.revoke, nativelyAtMost(closingTime, hold.idle))
      yield* nativelyAtMost(closingTime, Fiber.await(yield* close))
    })
  }
})

const holding = (hold: Hold, tools: Tools.Interface): Tools.Interface => ({
  register: (record) => Effect.provideService(tools.register(record), Holding, hold)
})

/** Nothing that was checked before is refused now, unless the host's own `Tools` refuses it. */
const lifting =
  ({ lift }: Stage.Stage) =>
  ({ manifest }: Installation.Installed): Effect.Effect<void, PluginFailure> =>
    Effect.mapError(lift, (error) => Installation.badRegistration(manifest.id, error))

/** Ends in time whatever the effect does: what does not stop is left to itself. A bug in it is a failure of its plugin. */
export const inTime = Effect.fnUntraced(function* <A>(
  effect: Effect.Effect<A, PluginFailure>,
  limit: Duration.Duration
): Effect.fn.Return<A, PluginFailure> {
  const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
  const stop = Effect.sync(() => fiber.interruptUnsafe())
  const ended = yield* Effect.onInterrupt(atMost(limit, Fiber.await(fiber)), () => stop)
  if (Option.isNone(ended)) {
    yield* stop
    return yield* Sentences.timedOut(Duration.format(limit))
  }
  const exit = ended.value
  if (Exit.isSuccess(exit)) return exit.value
  return yield* Option.getOrElse(Cause.findErrorOption(exit.cause), () => Sentences.died(Cause.squash(exit.cause)))
})

const faultsOf = (closed: Option.Option<Exit.Exit<void>>): ReadonlyArray<string> => {
  if (Option.isNone(closed)) return [Sentences.unclosed(Duration.format(closingTime))]
  return Exit.isFailure(closed.value) ? [Sentences.diedClosing(Cause.squash(closed.value.cause))] : []
}

const leaksOf = (fibers: number): ReadonlyArray<string> => (fibers > 0 ? [Sentences.leakedFibers(fibers)] : [])
