/**
 * Who uses a registration, so that its owner can wait for them before it takes away what they need. A call uses it from
 * before it resolves its tool until it is settled and its executor is gone.
 */
import type { Materialization } from "@haft/core/Materialization"
import type * as Runtime from "@haft/core/runtime"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Offer } from "./effective.ts"
import type { Entry } from "./overlay.ts"

/** Counts users. Has no way to the executors that it is for. */
export class Hold {
  private calls = 0
  private executions = 0
  private waiting: Deferred.Deferred<void> | undefined
  private readonly revoked = Deferred.makeUnsafe<never>()

  /** An execution is part of a call, and may outlast it. */
  get users(): number {
    return Math.max(this.calls, this.executions)
  }

  /** Done as soon as nobody uses it. */
  readonly idle: Effect.Effect<void> = Effect.suspend(() => {
    if (this.users === 0) return Effect.void
    this.waiting ??= Deferred.makeUnsafe()
    return Deferred.await(this.waiting)
  })

  /** Interrupts every execution, now and from now on. Their calls end in an operational error, and no caller is interrupted. */
  readonly revoke: Effect.Effect<void> = Effect.asVoid(Effect.suspend(() => Deferred.interrupt(this.revoked)))

  settling<A, E>(settle: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.calls++),
      () => settle,
      () => this.left(() => this.calls--)
    )
  }

  executing<A, E>(execute: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.executions++),
      () => Effect.raceFirst(Deferred.await(this.revoked), execute),
      () => this.left(() => this.executions--)
    )
  }

  private left(leave: () => void): Effect.Effect<void> {
    return Effect.sync(() => {
      leave()
      if (this.users > 0 || this.waiting === undefined) return
      Deferred.doneUnsafe(this.waiting, Effect.void)
      this.waiting = undefined
    })
  }
}

/** The hold of whatever is registered inside. */
export const Holding = Context.Reference<Hold | undefined>("@haft/registry/internal/holds", {
  defaultValue: () => undefined
})

/** A definition is made for one registration alone, and a turn knows its registrations by it. */
const holds = new WeakMap<ToolDefinition, Hold>()

export const toEntry = (runtime: Runtime.Runtime, hold: Hold | undefined): Entry => {
  if (hold === undefined) return { runtime }
  holds.set(runtime.definition, hold)
  const execute: Runtime.Runtime["execute"] = (input, context) =>
    hold.executing(Effect.suspend(() => runtime.execute(input, context)))
  return { runtime: { ...runtime, execute } }
}

/** For tools that nobody holds it is the very same effect. */
export const held =
  ({ byName }: Offer, settle: Materialization["settle"]): Materialization["settle"] =>
  (request) => {
    const definition = byName.get(request.call.name)
    const hold = definition === undefined ? undefined : holds.get(definition)
    return hold === undefined ? settle(request) : hold.settling(settle(request))
  }
