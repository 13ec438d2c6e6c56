import { assert, describe, it } from "@effect/vitest"
import { Tool, ToolFailure, Tools } from "@haft/core"
import { Audit, CommitLedger, Front, Gateway, TwoPhase } from "@haft/gateway"
import * as Registry from "@haft/registry/testing"
import type { Outcome } from "@haft/wire"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { layerCatalog, request } from "./support/governing.ts"

const Reservation = Schema.Struct({ reservation: Schema.Int })

/** A world in which flights are booked in two phases. */
const world = () => {
  const state = { reserved: 0, committed: new Array<number>(), rolledBack: new Array<number>(), failing: 0 }
  const tool = <I extends Tool.Codec, O extends Tool.Codec>(
    input: I,
    output: O,
    execute: (input: I["Type"]) => Effect.Effect<O["Type"], ToolFailure.ToolFailure>
  ) =>
    Tool.annotate(Tool.make({ description: "One phase", input, output, execute }), {
      determinism: "side_effectful",
      operations: ["write"]
    })
  const tools = {
    book_prepare: tool(Schema.Struct({ text: Schema.String }), Reservation, () =>
      Effect.sync(() => ({ reservation: ++state.reserved }))
    ),
    book_commit: tool(Reservation, Schema.String, ({ reservation }) =>
      Effect.suspend(() => {
        if (state.failing-- > 0) return Effect.fail(ToolFailure.precondition({ message: "not yet" }))
        state.committed.push(reservation)
        return Effect.succeed("booked")
      })
    ),
    book_rollback: tool(Reservation, Schema.Null, ({ reservation }) =>
      Effect.sync(() => (state.rolledBack.push(reservation), null))
    )
  }
  return { state, tools }
}

const phases = {
  book: {
    prepare: { toolName: "book_prepare" },
    commit: { toolName: "book_commit" },
    rollback: { toolName: "book_rollback" }
  }
}

const layer = TwoPhase.layer(phases).pipe(
  Layer.provide(Gateway.layerMemory()),
  Layer.provideMerge(CommitLedger.layerMemory),
  Layer.provideMerge(layerCatalog),
  Layer.provideMerge(Registry.layer)
)

const running = <A, E>(
  tools: Readonly<Record<string, Tool.Any>>,
  test: (gateway: Gateway.Interface, ledger: CommitLedger.Interface) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    yield* Effect.flatMap(Tools.Service, (registered) => registered.register(tools))
    return yield* test(yield* Gateway.Service, yield* CommitLedger.Service)
  }).pipe(Effect.scoped, Effect.provide(layer))

const book = (more: Parameters<typeof request>[0] = {}) => request({ toolName: "book", deadlineUnixMs: 1000, ...more })

const commit = (token: string, more: Parameters<typeof request>[0] = {}) =>
  request({ toolName: "book", fn: "commit", input: { commit_token: token }, ...more })

const tokenOf = ({ leaf }: Outcome.Outcome): string => {
  assert(leaf._tag === "Prepared")
  return leaf.commitToken
}

const stateOf = ({ leaf }: Outcome.Outcome): unknown =>
  leaf._tag === "Failure.Precondition" ? leaf.details?.["token_state"] : leaf._tag

describe("two phases", () => {
  it.effect("M19: what is prepared is committed once, and a second commit is refused", () => {
    const { state, tools } = world()
    return running(tools, (gateway) =>
      Effect.gen(function* () {
        const prepared = yield* gateway.call(book())
        assert.deepInclude(prepared.leaf, { _tag: "Prepared", output: { reservation: 1 }, commitDeadline: 1000 })
        assert.deepStrictEqual([prepared.effect._tag, state.committed], ["None", []])
        const token = tokenOf(prepared)
        const first = yield* gateway.call(commit(token))
        assert.deepStrictEqual([first.leaf._tag, state.committed], ["Success.Effect", [1]])
        assert.strictEqual(stateOf(yield* gateway.call(commit(token))), "committed")
        assert.deepStrictEqual(state.committed, [1])
        yield* TestClock.adjust(5000)
        assert.deepStrictEqual(state.rolledBack, [])
      })
    )
  })

  it.effect("M19: preparing again with the same key gives the same token and one reservation", () => {
    const { state, tools } = world()
    return running(tools, (gateway) =>
      Effect.gen(function* () {
        const keyed = book({ idempotencyKey: "k" })
        const [first, second] = yield* Effect.all([gateway.call(keyed), gateway.call(keyed)], { concurrency: 2 })
        const third = yield* gateway.call(keyed)
        assert.deepStrictEqual([tokenOf(second), tokenOf(third)], [tokenOf(first), tokenOf(first)])
        assert.strictEqual(state.reserved, 1)
        assert.notStrictEqual(tokenOf(yield* gateway.call(book())), tokenOf(first))
      })
    )
  })

  it.effect("M20: what nobody commits is rolled back once at the deadline, and then cannot be committed", () => {
    const { state, tools } = world()
    return running(tools, (gateway) =>
      Effect.gen(function* () {
        const token = tokenOf(yield* gateway.call(book()))
        yield* TestClock.adjust(999)
        assert.deepStrictEqual(state.rolledBack, [])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(state.rolledBack, [1])
        yield* TestClock.adjust(1)
        assert.strictEqual(stateOf(yield* gateway.call(commit(token))), "rolled_back")
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual([state.rolledBack, state.committed], [[1], []])
      })
    )
  })

  it.effect("M20: what is committed stays so when the process ends", () => {
    const { state, tools } = world()
    return Effect.gen(function* () {
      yield* running(tools, (gateway) =>
        Effect.gen(function* () {
          yield* gateway.call(commit(tokenOf(yield* gateway.call(book()))))
        })
      )
      assert.deepStrictEqual([state.committed, state.rolledBack], [[1], []])
    })
  })

  it.effect("M20: shutdown before the deadline rolls back what is prepared, once", () => {
    const { state, tools } = world()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const registry = yield* Layer.buildWithScope(
        Layer.mergeAll(CommitLedger.layerMemory, Layer.provideMerge(layerCatalog, Registry.layer)),
        scope
      )
      yield* Effect.flatMap(Tools.Service, (registered) => registered.register(tools)).pipe(
        Effect.provide(registry),
        Scope.provide(scope)
      )
      const inner = yield* Scope.make()
      const front = TwoPhase.layer(phases).pipe(Layer.provide(Gateway.layerMemory()))
      const built = yield* Layer.buildWithScope(front, inner).pipe(Effect.provide(registry))
      yield* Effect.flatMap(Gateway.Service, (gateway) => gateway.call(book())).pipe(Effect.provide(built))
      assert.deepStrictEqual(state.rolledBack, [])
      yield* Scope.close(inner, Exit.void)
      assert.deepStrictEqual(state.rolledBack, [1])
      yield* TestClock.adjust(5000)
      assert.deepStrictEqual(state.rolledBack, [1])
      yield* Scope.close(scope, Exit.void)
    })
  })

  it.effect("what a process that died has prepared is rolled back at its deadline by the next", () => {
    const { state, tools } = world()
    const left = Layer.effectDiscard(
      Effect.flatMap(CommitLedger.Service, (ledger) =>
        ledger.prepare({
          commitToken: "left",
          prepareId: "left",
          toolId: "book",
          tenantId: null,
          actor: "a",
          prepared: { reservation: 7 },
          preparedAt: 0,
          deadline: 500,
          state: "Prepared"
        })
      )
    ).pipe(Layer.provideMerge(CommitLedger.layerMemory))
    const restarted = TwoPhase.layer(phases).pipe(
      Layer.provide(Gateway.layerMemory()),
      Layer.provideMerge(left),
      Layer.provideMerge(layerCatalog),
      Layer.provideMerge(Registry.layer)
    )
    return Effect.gen(function* () {
      yield* Effect.flatMap(Tools.Service, (registered) => registered.register(tools))
      yield* TestClock.adjust(499)
      assert.deepStrictEqual(state.rolledBack, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(state.rolledBack, [7])
    }).pipe(Effect.scoped, Effect.provide(restarted))
  })

  it.effect("M21: of a commit and a rollback at the same instant exactly one wins", () => {
    const { state, tools } = world()
    return running(tools, (gateway, ledger) =>
      Effect.gen(function* () {
        for (const at of [1000, 2000, 3000, 4000]) {
          const token = tokenOf(yield* gateway.call(book({ deadlineUnixMs: at })))
          const fiber = yield* Effect.forkChild(
            Effect.andThen(Effect.sleep(at % 2000 === 0 ? 999.5 : 1000), gateway.call(commit(token)))
          )
          yield* TestClock.adjust(1000)
          const committed = yield* Fiber.join(fiber)
          const row = Option.getOrThrow(yield* ledger.find(token))
          const won = committed.leaf._tag === "Success.Effect"
          assert.strictEqual(row.state, won ? "Committed" : "RolledBack")
        }
        assert.strictEqual(state.committed.length + state.rolledBack.length, 4)
        assert.strictEqual(new Set([...state.committed, ...state.rolledBack]).size, 4)
      })
    )
  })

  it.effect("what cannot be noted is rolled back at once", () => {
    const { state, tools } = world()
    return running(tools, (gateway, ledger) =>
      Effect.gen(function* () {
        Object.assign(ledger, { prepare: () => Effect.fail(new CommitLedger.StorageError({ operation: "prepare" })) })
        assert.strictEqual((yield* gateway.call(book())).leaf._tag, "Operational.RetentionFailed")
        assert.deepStrictEqual([state.reserved, state.rolledBack], [1, [1]])
      })
    )
  })

  it.effect("what was prepared for somebody who left meanwhile is rolled back at its deadline", () => {
    const { state, tools } = world()
    return running(tools, (gateway, ledger) =>
      Effect.gen(function* () {
        const [writing, written] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const { prepare } = ledger
        Object.assign(ledger, {
          prepare: (row: CommitLedger.Row) =>
            Deferred.succeed(writing, undefined).pipe(
              Effect.andThen(Deferred.await(written)),
              Effect.andThen(prepare(row))
            )
        })
        const fiber = yield* Effect.forkChild(gateway.call(book()))
        yield* Deferred.await(writing)
        const left = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
        yield* Deferred.succeed(written, undefined)
        yield* Fiber.join(left)
        assert.deepStrictEqual([state.reserved, state.rolledBack], [1, []])
        yield* TestClock.adjust(1000)
        assert.deepStrictEqual(state.rolledBack, [1])
      })
    )
  })

  it.effect("a commit that did nothing can be tried again", () => {
    const { state, tools } = world()
    return running(tools, (gateway) =>
      Effect.gen(function* () {
        const token = tokenOf(yield* gateway.call(book()))
        state.failing = 1
        assert.strictEqual((yield* gateway.call(commit(token))).leaf._tag, "Failure.Precondition")
        assert.strictEqual((yield* gateway.call(commit(token))).leaf._tag, "Success.Effect")
        assert.deepStrictEqual(state.committed, [1])
      })
    )
  })

  it.effect("a token is of use to nobody but who prepared it, and a made-up one to nobody", () => {
    const { state, tools } = world()
    return running(tools, (gateway) =>
      Effect.gen(function* () {
        const token = tokenOf(yield* gateway.call(book()))
        const foreign = [
          commit(token, { tenantId: "tenant-2" }),
          commit(token, { actor: "agent-2" }),
          commit("cmt_made_up"),
          commit(token, { input: {} })
        ]
        for (const each of foreign) assert.strictEqual(stateOf(yield* gateway.call(each)), "unknown")
        assert.deepStrictEqual(state.committed, [])
      })
    )
  })

  it.effect("a dry run of a commit commits nothing, and leaves the token as it is", () => {
    const { state, tools } = world()
    return running(tools, (gateway) =>
      Effect.gen(function* () {
        const token = tokenOf(yield* gateway.call(book()))
        const dry = yield* gateway.call(commit(token, { dryRun: true }))
        assert.deepStrictEqual([dry.leaf._tag, dry.dryRun, state.committed], ["Success.Read", true, []])
        assert.strictEqual((yield* gateway.call(commit(token))).leaf._tag, "Success.Effect")
        assert.strictEqual(stateOf(yield* gateway.call(commit(token, { dryRun: true }))), "committed")
        assert.deepStrictEqual(state.committed, [1])
      })
    )
  })

  it.effect("the tools of a phase cannot be called by themselves, and every refusal is on the account", () => {
    const { state, tools } = world()
    return Effect.gen(function* () {
      yield* Effect.flatMap(Tools.Service, (registered) => registered.register(tools))
      const gateway = yield* Gateway.Service
      const input = { reservation: 7 }
      for (const toolName of ["book_commit", "book_rollback", "book_prepare"]) {
        const { leaf } = yield* gateway.call(request({ toolName, input }))
        assert.strictEqual(leaf._tag, "Rejected.UnknownTool")
      }
      assert.strictEqual(stateOf(yield* gateway.call(commit("cmt_made_up"))), "unknown")
      assert.deepStrictEqual([state.reserved, state.committed, state.rolledBack], [0, [], []])
      const { counts } = yield* Audit.Service
      assert.deepStrictEqual(yield* counts, { requested: 4, settled: 0, skipped: 4 })
    }).pipe(
      Effect.scoped,
      Effect.provide(
        TwoPhase.layer(phases).pipe(
          Layer.provideMerge(Gateway.layerMemory()),
          Layer.provideMerge(CommitLedger.layerMemory),
          Layer.provideMerge(layerCatalog),
          Layer.provideMerge(Registry.layer)
        )
      )
    )
  })

  it.effect("a deadline that is too far away is nearer, and so is the rollback", () => {
    const { state, tools } = world()
    return running(tools, (gateway) =>
      Effect.gen(function* () {
        const { leaf } = yield* gateway.call(book({ deadlineUnixMs: 4_102_444_800_000 }))
        assert.deepInclude(leaf, { commitDeadline: Gateway.defaultMaxCallTimeoutMs })
        yield* TestClock.adjust(Gateway.defaultMaxCallTimeoutMs)
        assert.deepStrictEqual(state.rolledBack, [1])
      })
    )
  })

  it.effect("uicp shows both phases in its words", () => {
    const { tools } = world()
    const envelope = (more: object) => ({
      call_id: "a8f124c2-918f-59f1-9e47-b7bc59d34893",
      tool_id: "book",
      tool_version: "*",
      fn: "invoke",
      input: { text: "x" },
      context: { actor_id: "a", timezone: "UTC", env: "dev", trace_id: "4bf92f35-77b3-4da6-a3ce-929d0e0e4736" },
      constraints: { timeout_ms: 500, deadline_unix_ms: 1000, idempotency_key: "0123456789abcdef" },
      ...more
    })
    return running(tools, (gateway) =>
      Effect.gen(function* () {
        const front = Front.uicp(gateway)
        const first = yield* front(envelope({}))
        assert(first._tag === "Envelope")
        assert.strictEqual(first.envelope.status, "success_prep")
        const input = { commit_token: first.envelope.commit_token }
        assert.deepNestedInclude(yield* front(envelope({ fn: "commit", input })), { "envelope.status": "success" })
        const again = yield* front(envelope({ fn: "commit", input }))
        assert.deepNestedInclude(again, {
          "envelope.status": "terminal_error",
          "envelope.error.code": "P-PRECOND-FAILED",
          "envelope.error.details.token_state": "committed"
        })
      })
    )
  })
})
