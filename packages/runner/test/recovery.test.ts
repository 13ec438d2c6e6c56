import { assert, describe, it } from "@effect/vitest"
import { Session, Settlement, SettlementStore, SideEffect, ToolCall } from "@haft/core"
import { History, Message, Model, ScriptedModel } from "@haft/runner"
import { Deferred, Effect, Fiber, Ref, Stream } from "effect"
import * as Database from "./support/database.ts"
import * as Running from "./support/running.ts"

const { call, say } = ScriptedModel

const finish = [Model.Part.Finish({ stop: "calls", usage: Message.noUsage })]

const message = Session.MessageID.make("message")

const begun = (id: string, effectPossible: boolean): SettlementStore.Begun => ({
  context: {
    sessionID: Running.sessionID,
    agent: Running.agent,
    assistantMessageID: message,
    toolCallID: ToolCall.ID.make(id)
  },
  name: "act",
  registrationDigest: "digest",
  inputFingerprint: "fingerprint",
  determinism: "side_effectful",
  effectPossible,
  begunAt: 0
})

const settled = ({ context, name }: SettlementStore.Begun): SettlementStore.Ended => ({
  _tag: "Settled",
  settlement: Settlement.succeeded({
    context,
    name,
    effect: SideEffect.committed([]),
    warnings: [],
    timing: { startedAt: 0, endedAt: 1 },
    managed: [],
    output: { structured: "kept", content: [] }
  })
})

/** What a process leaves that dies while it settles the four calls of an answer. */
const dying = Effect.gen(function* () {
  const history = yield* History.Service
  const store = yield* SettlementStore.Service
  const ids = ["finished", "acting", "looking", "waiting"]
  yield* history.append(Running.sessionID, 0, Message.user("Hello"))
  const parts = ids.map((id) => ({ _tag: "Call" as const, id: ToolCall.ID.make(id), name: "act", input: "{}" }))
  const answer = Message.assistant({ id: message, parts, stop: "calls", usage: Message.noUsage })
  yield* history.append(Running.sessionID, 1, answer)
  yield* store.begin(begun("finished", true))
  yield* store.complete(begun("finished", true).context, settled(begun("finished", true)))
  yield* store.begin(begun("acting", true))
  yield* store.begin(begun("looking", false))
})

/** A registry with a tool that counts its runs. */
const counting = Effect.gen(function* () {
  const runs = yield* Ref.make(0)
  yield* Running.register({
    act: Running.tool(() =>
      Effect.as(
        Ref.update(runs, (count) => count + 1),
        "acted"
      )
    )
  })
  return Ref.get(runs)
})

describe("the run after one that died", () => {
  it.live("closes the open turn by what is on record, reports it, and runs nothing again", () =>
    Effect.gen(function* () {
      const filename = yield* Database.temporary
      yield* Effect.provide(dying, Database.stores(filename))
      yield* Effect.gen(function* () {
        const runs = yield* counting
        const events = yield* Running.events()
        const [recovered] = events
        assert(recovered?._tag === "Recovered")
        assert.deepStrictEqual(
          recovered.calls.map(({ call, end }) => [call.id, end._tag === "Settled" ? "Settled" : end.reason]),
          [
            ["finished", "Settled"],
            ["acting", "Unfinished"],
            ["looking", "Interrupted"],
            ["waiting", "NotRun"]
          ].map(([id, end]) => [ToolCall.ID.make(id ?? ""), end ?? ""])
        )
        assert.strictEqual(yield* runs, 0)
        const results = Running.resultsIn(yield* Running.lastAsked)
        assert.strictEqual(results[0], "kept")
        assert.match(results[1] ?? "", /program stopped while the call ran\. It may or may not/)
        assert.match(results[2] ?? "", /interrupted\. It has changed nothing/)
        assert.match(results[3] ?? "", /did not run/)
        const store = yield* SettlementStore.Service
        assert.deepStrictEqual(yield* store.unfinished, [])
      }).pipe(Effect.provide(Database.layer(filename, [[], say("Done")])))
    })
  )

  it.live("recovers once: the next finds nothing to do", () =>
    Effect.gen(function* () {
      const filename = yield* Database.temporary
      yield* Effect.provide(dying, Database.stores(filename))
      const script = [[], say("Done")]
      const first = yield* Effect.provide(Running.events(), Database.layer(filename, script))
      assert.strictEqual(first[0]?._tag, "Recovered")
      const second = yield* Effect.provide(Running.events(), Database.layer(filename, script))
      assert.deepStrictEqual(Running.tagsOf(second), ["Ended"])
    })
  )

  it.live("says everything again to the model, from the database alone", () =>
    Effect.gen(function* () {
      const filename = yield* Database.temporary
      const script: ScriptedModel.Script = [[...say("I act"), call("act", {}, "one")], say("Done"), say("Again")]
      const first = Effect.gen(function* () {
        yield* counting
        yield* Running.conclusion({ prompt: "Hello" })
        return yield* Running.lastAsked
      })
      const second = Effect.gen(function* () {
        yield* Running.conclusion({ prompt: "And now?" })
        return yield* Running.lastAsked
      })
      const before = yield* Effect.provide(first, Database.layer(filename, script))
      const after = yield* Effect.provide(second, Database.layer(filename, script))
      assert.deepStrictEqual(after?.messages.slice(0, before?.messages.length), before?.messages)
      assert.deepStrictEqual(Running.resultsIn(after), ["acted"])
    })
  )
})

describe("two processes on one session", () => {
  it.live("do not disturb each other while a call runs: the second is told that the session is busy", () =>
    Effect.gen(function* () {
      const filename = yield* Database.temporary
      const started = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const script: ScriptedModel.Script = [[call("act", {})], say("Done")]
      const first = Effect.gen(function* () {
        yield* Running.register({
          act: Running.tool(() =>
            Deferred.succeed(started, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as("acted"))
          )
        })
        return yield* Running.conclusion({ prompt: "Hello" })
      })
      const running = yield* Effect.forkChild(Effect.provide(first, Database.layer(filename, script)))
      yield* Deferred.await(started)
      const second = Effect.provide(Running.conclusion({ prompt: "Me too" }), Database.layer(filename, script))
      assert.strictEqual((yield* Effect.flip(second))._tag, "Runner.SessionBusy")
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(running)).reason, "answered")
    })
  )

  it.live("cannot both write: the one that comes late fails, and has run nothing", () =>
    Effect.gen(function* () {
      const filename = yield* Database.temporary
      const asked = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const slow = Stream.unwrap(
        Deferred.succeed(asked, undefined).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.as(Stream.fromIterable([call("act", {})]))
        )
      )
      const late = Effect.gen(function* () {
        const runs = yield* counting
        const error = yield* Effect.flip(Running.conclusion({ prompt: "Hello", limits: { attempts: 1 } }))
        return { error: error._tag, runs: yield* runs }
      })
      const ended = Stream.concat(slow, Stream.fromIterable(finish))
      const running = yield* Effect.forkChild(Effect.provide(late, Database.layer(filename, [ended])))
      yield* Deferred.await(asked)
      yield* Effect.provide(Running.conclusion({ prompt: "Me first" }), Database.layer(filename, [say("Done")]))
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(running), { error: "History.ConflictError", runs: 0 })
    })
  )
})
