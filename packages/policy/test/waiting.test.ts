import { assert, describe, it } from "@effect/vitest"
import type { Permission } from "@haft/core"
import { Approvals, Permissions, PolicyStore } from "@haft/policy"
import { Deferred, Effect, Exit, Fiber, Layer, Queue, Ref, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Asking from "./support/asking.ts"
import { asked, denied, kept, reply, saved } from "./support/asking.ts"

describe("a request that nobody answers", () => {
  it.effect("is refused when its time is over, and no answer counts after that", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const { fiber, pending } = yield* asked(heard)
      yield* TestClock.adjust("119 seconds")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        yield* Fiber.join(fiber),
        denied(
          { by: "policy", permission: "edit" },
          "Nobody answered the question for permission within 2 minutes. Go on without it, or ask the user to be there."
        )
      )
      assert.strictEqual(yield* Asking.nextEnded(heard), "expired")
      const late = yield* Effect.flip(reply(pending, Approvals.once))
      assert.deepStrictEqual(late, new Approvals.EndedError({ id: pending.id, as: "expired" }))
      assert.deepStrictEqual((yield* kept).approvals, [])
    }).pipe(Effect.provide(Asking.layer({ timeLimit: "2 minutes" })))
  )

  it.effect("waits ten minutes unless the host says otherwise", () =>
    Effect.gen(function* () {
      const { fiber, pending } = yield* asked(yield* Asking.listen)
      assert.strictEqual(pending.expiresAt - pending.askedAt, 600_000)
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(fiber), { by: "policy" })
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("is withdrawn when its call is interrupted, which is an interruption and nothing else", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const { fiber, pending } = yield* asked(heard)
      assert.lengthOf((yield* kept).approvals, 1)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Exit.hasInterrupts(exit))
      assert.strictEqual(yield* Asking.nextEnded(heard), "withdrawn")
      assert.deepStrictEqual((yield* kept).approvals, [])
      const late = yield* Effect.flip(reply(pending, Approvals.always))
      assert.deepStrictEqual(late, new Approvals.EndedError({ id: pending.id, as: "withdrawn" }))
      assert.deepStrictEqual(yield* saved, [])
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("is declined when the Location closes, and whatever is asked later is declined at once", () =>
    Effect.gen(function* () {
      const store = yield* Layer.build(PolicyStore.layerMemory)
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(Permissions.layer({ location: Asking.location }), scope).pipe(
        Effect.provideContext(store)
      )
      const check = Effect.gen(function* () {
        const approvals = yield* Approvals.Service
        const listener = yield* Effect.forkChild(Stream.runCollect(approvals.changes), { startImmediately: true })
        const waiting = yield* Effect.forkChild(Asking.outcome(), { startImmediately: true })
        const expected = denied(
          { by: "policy", permission: "edit" },
          "The project was closed before anybody answered the question for permission."
        )
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(yield* Fiber.join(waiting), expected)
        assert.deepStrictEqual(
          (yield* Fiber.join(listener)).map((change) => (change._tag === "Ended" ? change.as : change._tag)),
          ["Asked", "closed"]
        )
        assert.deepStrictEqual(yield* Asking.outcome(), expected)
        assert.deepStrictEqual(yield* Stream.runCollect(approvals.changes), [])
        assert.deepStrictEqual((yield* kept).approvals, [])
      })
      yield* check.pipe(Effect.provideContext(services), Effect.provideContext(store))
    })
  )

  it.effect("is declined also if the Location closes in the moment before it is shown", () =>
    Effect.gen(function* () {
      const [adding, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Layer.effect(
        PolicyStore.Service,
        Effect.map(PolicyStore.Service, (store) => ({
          ...store,
          add: (approval) =>
            Deferred.succeed(adding, undefined).pipe(
              Effect.andThen(Deferred.await(go)),
              Effect.andThen(store.add(approval))
            )
        }))
      )
      const check = Effect.gen(function* () {
        const scope = yield* Scope.make()
        const options = { location: Asking.location, unattended: "wait" } as const
        const services = yield* Layer.buildWithScope(Permissions.layer(options), scope)
        const waiting = yield* Effect.forkChild(Effect.provideContext(Asking.outcome(), services))
        yield* Deferred.await(adding)
        yield* Scope.close(scope, Exit.void)
        yield* Deferred.succeed(go, undefined)
        assert.deepInclude(yield* Fiber.join(waiting), {
          message: "The project was closed before anybody answered the question for permission."
        })
        assert.deepStrictEqual((yield* kept).approvals, [])
      })
      yield* Effect.provide(check, slow.pipe(Layer.provide(PolicyStore.layerMemory)))
    })
  )

  it.effect("is refused without a word about the user if the host can ask nobody, with what would help", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const abandoned = Effect.fnUntraced(function* (change: Partial<Permission.Request>) {
        const { fiber, pending } = yield* asked(heard, change)
        yield* reply(pending, Approvals.unattended("A rule would do."))
        return yield* Fiber.join(fiber)
      })
      assert.deepStrictEqual(
        yield* abandoned({}),
        denied(
          { by: "policy", permission: "edit" },
          "This needs a permission, and nobody is there to be asked. Go on without it, or tell the user which rule to add. A rule would do."
        )
      )
      assert.deepStrictEqual(
        yield* abandoned({ action: "shell_unisolated", resources: ["ls"], save: [] }),
        denied(
          { by: "policy", permission: "shell_unisolated" },
          "This needs the permission of a person each time, and nobody is there to be asked. Go on without it, or tell the user."
        )
      )
      assert.deepStrictEqual((yield* kept).approvals, [])
    }).pipe(Effect.scoped, Effect.provide(Asking.layer()))
  )

  it.effect("is refused at once while nobody listens, unless the host wants it to wait", () =>
    Effect.gen(function* () {
      const unheard = denied(
        { by: "policy", permission: "edit" },
        "This needs a permission, and nobody is there to be asked. Go on without it, or tell the user which rule to add."
      )
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* Asking.outcome(), unheard)
        yield* Effect.scoped(Asking.listen)
        assert.deepStrictEqual(yield* Asking.outcome(), unheard)
        assert.deepStrictEqual((yield* kept).approvals, [])
      }).pipe(Effect.provide(Asking.layer()))
      yield* Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(Asking.outcome(), { startImmediately: true })
        const heard = yield* Asking.listen
        yield* reply(yield* Asking.nextAsked(heard), Approvals.once)
        assert.strictEqual(yield* Fiber.join(waiting), "granted")
      }).pipe(Effect.provide(Asking.layer({ unattended: "wait" })))
    })
  )
})

describe("an answer", () => {
  it.effect("to an id that never was, or that belongs to another session or Location, is to an unknown request", () =>
    Effect.gen(function* () {
      const { fiber, pending } = yield* asked(yield* Asking.listen)
      const unknown = new Approvals.UnknownError({ id: pending.id })
      const invented = { id: "apr_0", context: pending.context }
      assert.deepStrictEqual(
        yield* Effect.flip(reply(invented, Approvals.once)),
        new Approvals.UnknownError({ id: "apr_0" })
      )
      const foreign = { id: pending.id, context: Asking.context("call", "another") }
      assert.deepStrictEqual(yield* Effect.flip(reply(foreign, Approvals.once)), unknown)
      const elsewhere = reply(pending, Approvals.once).pipe(Effect.provide(Layer.fresh(Asking.layer())))
      assert.deepStrictEqual(yield* Effect.flip(elsewhere), unknown)
      yield* reply(pending, Approvals.once)
      assert.strictEqual(yield* Fiber.join(fiber), "granted")
      assert.deepStrictEqual(yield* Effect.flip(reply(foreign, Approvals.once)), unknown)
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("is told to everybody who listens, first what waits already and then each change", () =>
    Effect.gen(function* () {
      const first = yield* Asking.listen
      const { pending } = yield* asked(first)
      const second = yield* Asking.listen
      assert.deepStrictEqual(yield* Asking.nextAsked(second), pending)
      yield* reply(pending, Approvals.once)
      assert.deepStrictEqual(
        [yield* Asking.nextEnded(first), yield* Asking.nextEnded(second)],
        ["answered", "answered"]
      )
      assert.strictEqual(yield* Queue.size(yield* Asking.listen), 0)
    }).pipe(Effect.provide(Asking.layer()))
  )
})

/** The store in memory, which breaks when a test says so. */
const layerBroken = Effect.gen(function* () {
  const broken = yield* Ref.make<PolicyStore.StorageError["operation"] | undefined>(undefined)
  const layer = Layer.effect(
    PolicyStore.Service,
    Effect.map(PolicyStore.Service, (store) => {
      const unless = <A, E>(operation: PolicyStore.StorageError["operation"], effect: Effect.Effect<A, E>) =>
        Effect.flatMap(Ref.get(broken), (now): Effect.Effect<A, E | PolicyStore.StorageError> =>
          now === operation ? new PolicyStore.StorageError({ operation }) : effect
        )
      return PolicyStore.Service.of({
        ...store,
        read: (location) => unless("read", store.read(location)),
        add: (approval) => unless("add", store.add(approval)),
        decide: (key, decision, save) => unless("decide", store.decide(key, decision, save)),
        take: (key) => unless("take", store.take(key))
      })
    })
  ).pipe(Layer.provide(PolicyStore.layerMemory))
  return {
    breakAt: (operation: PolicyStore.StorageError["operation"] | undefined) => Ref.set(broken, operation),
    layer: Permissions.layer({ location: Asking.location }).pipe(Layer.provideMerge(layer))
  }
})

describe("a store that fails", () => {
  const unrecorded = denied(
    { by: "policy", permission: "edit" },
    "The question for permission could not be written down, so it was not asked. Try again later."
  )

  it.effect("refuses a request that it cannot look up or keep, and asks nobody", () =>
    Effect.gen(function* () {
      const { breakAt, layer } = yield* layerBroken
      const check = Effect.gen(function* () {
        const heard = yield* Asking.listen
        for (const operation of ["read", "add"] as const) {
          yield* breakAt(operation)
          assert.deepStrictEqual(yield* Asking.outcome(), unrecorded)
        }
        assert.strictEqual(yield* Queue.size(heard), 0)
        yield* breakAt(undefined)
        assert.strictEqual((yield* asked(heard)).pending.isWaiting, true)
      })
      yield* Effect.provide(check, layer)
    })
  )

  it.effect("leaves a request open whose answer it cannot keep, and the next answer counts", () =>
    Effect.gen(function* () {
      const { breakAt, layer } = yield* layerBroken
      const check = Effect.gen(function* () {
        const { fiber, pending } = yield* asked(yield* Asking.listen)
        yield* breakAt("decide")
        const error = yield* Effect.flip(reply(pending, Approvals.always))
        assert.strictEqual(error._tag, "PolicyStore.StorageError")
        assert.strictEqual(fiber.pollUnsafe(), undefined)
        assert.deepStrictEqual(yield* saved, [])
        yield* breakAt(undefined)
        yield* reply(pending, Approvals.once)
        assert.strictEqual(yield* Fiber.join(fiber), "granted")
      })
      yield* Effect.provide(check, layer)
    })
  )

  it.effect("refuses what was approved if it cannot be spent", () =>
    Effect.gen(function* () {
      const { breakAt, layer } = yield* layerBroken
      const check = Effect.gen(function* () {
        const { fiber, pending } = yield* asked(yield* Asking.listen)
        yield* breakAt("take")
        yield* reply(pending, Approvals.once)
        assert.deepStrictEqual(yield* Fiber.join(fiber), unrecorded)
      })
      yield* Effect.provide(check, layer)
    })
  )
})

describe("two answers at the same moment", () => {
  it.effect("are never both right: in 200 races one counts and the other learns that it came second", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const won = yield* Ref.make<ReadonlyArray<string>>([])
      for (let round = 0; round < 200; round++) {
        const { fiber, pending } = yield* asked(heard, {}, Asking.context(`call-${round}`))
        const go = yield* Deferred.make<void>()
        const race = (answer: Approvals.Reply) =>
          Deferred.await(go).pipe(
            Effect.andThen(reply(pending, answer)),
            Effect.match({ onSuccess: () => answer._tag, onFailure: (error) => error })
          )
        const order = round % 2 === 0 ? [Approvals.once, Approvals.reject()] : [Approvals.reject(), Approvals.once]
        const racers = yield* Effect.forEach(order, (answer) => Effect.forkChild(race(answer)))
        yield* Deferred.succeed(go, undefined)
        const results = yield* Effect.forEach(racers, Fiber.join)
        const [winner, ...others] = results.filter((result) => typeof result === "string")
        assert.deepStrictEqual(others, [])
        assert.deepInclude(results, new Approvals.EndedError({ id: pending.id, as: "answered" }))
        const outcome = yield* Fiber.join(fiber)
        assert.strictEqual(outcome === "granted" ? "Once" : "Reject", winner)
        yield* Ref.update(won, (all) => [...all, winner ?? ""])
      }
      assert.sameMembers([...new Set(yield* Ref.get(won))], ["Once", "Reject"])
    }).pipe(Effect.provide(Asking.layer()))
  )
})
