import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, PlatformError } from "effect"
import { earlySync } from "../src/internal/earlySync.ts"

const failure = PlatformError.systemError({ _tag: "WriteZero", module: "FileSystem", method: "sync" })

/** A file whose syncs a test counts, ends and fails. */
class HeldFile {
  readonly held: Array<Deferred.Deferred<void, PlatformError.PlatformError>> = []
  readonly sync = Effect.suspend(() => {
    const next = Deferred.makeUnsafe<void, PlatformError.PlatformError>()
    this.held.push(next)
    return Deferred.await(next)
  })

  end(exit: Exit.Exit<void, PlatformError.PlatformError>): void {
    for (const one of this.held) Deferred.doneUnsafe(one, exit)
  }
}

describe("a sync that begins early", () => {
  it.effect("is the only one under way, and is followed by the next when it is done", () =>
    Effect.gen(function* () {
      const file = new HeldFile()
      const syncing = earlySync(file.sync)
      yield* syncing.begin
      yield* syncing.begin
      assert.strictEqual(file.held.length, 1)
      file.end(Exit.void)
      yield* Effect.yieldNow
      yield* syncing.begin
      assert.strictEqual(file.held.length, 2)
    })
  )

  it.effect("is enough if nothing was written after it had begun", () =>
    Effect.gen(function* () {
      const file = new HeldFile()
      const syncing = earlySync(file.sync)
      yield* syncing.begin
      const finishing = yield* Effect.forkChild(syncing.finish, { startImmediately: true })
      assert.isUndefined(finishing.pollUnsafe())
      file.end(Exit.void)
      yield* Fiber.join(finishing)
      assert.strictEqual(file.held.length, 1)
    })
  )

  it.effect("does not stand for what was written after it had begun: that is synced too, and both are waited for", () =>
    Effect.gen(function* () {
      const file = new HeldFile()
      const syncing = earlySync(file.sync)
      yield* syncing.begin
      yield* syncing.begin
      const finishing = yield* Effect.forkChild(syncing.finish, { startImmediately: true })
      const [early, last] = file.held
      assert.isDefined(early)
      assert.isDefined(last)
      yield* Deferred.succeed(last, undefined)
      yield* Effect.yieldNow
      assert.isUndefined(finishing.pollUnsafe())
      yield* Deferred.succeed(early, undefined)
      yield* Fiber.join(finishing)
    })
  )

  it.effect.each(["begin", "finish"] as const)("tells of its failure whoever asks next, also to %s", (next) =>
    Effect.gen(function* () {
      const file = new HeldFile()
      const syncing = earlySync(file.sync)
      yield* syncing.begin
      file.end(Exit.fail(failure))
      yield* Effect.yieldNow
      assert.strictEqual(yield* Effect.flip(syncing[next]), failure)
    })
  )
})
