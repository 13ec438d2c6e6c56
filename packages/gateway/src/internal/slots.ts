/** Limits how many calls of one build run at once, where its manifest does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { Build } from "../Catalog.ts"

export class Slots {
  private readonly byBuild = new Map<string, Semaphore.Semaphore>()

  /** `full` stands in if the time ran out before there was room. Waiting counts. */
  within<A>(build: Build, restMs: number, effect: Effect.Effect<A>, full: Effect.Effect<A>): Effect.Effect<A> {
    const limit = build.manifest?.limits.concurrency_max
    if (limit === undefined) return effect
    const semaphore = this.of(build, limit)
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Effect.timeoutOption(semaphore.take(1), restMs)), (taken) =>
        Option.isNone(taken) ? full : Effect.ensuring(restore(effect), semaphore.release(1))
      )
    )
  }

  private of({ digest, toolId, version }: Build, limit: number): Semaphore.Semaphore {
    const name = JSON.stringify([toolId, version, digest])
    const semaphore = this.byBuild.get(name) ?? Semaphore.makeUnsafe(limit)
    this.byBuild.set(name, semaphore)
    return semaphore
  }
}
