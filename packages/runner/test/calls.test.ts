import { assert, describe, it } from "@effect/vitest"
import { ToolRegistry } from "@haft/registry"
import { Message, Model, ScriptedModel } from "@haft/runner"
import { Deferred, Effect, Ref, Stream } from "effect"
import * as Running from "./support/running.ts"

const { call, say } = ScriptedModel

/** A tool that counts how often it ran. */
const counting = Effect.map(Ref.make(0), (runs) => ({
  runs: Ref.get(runs),
  tool: Running.tool((value) =>
    Effect.as(
      Ref.update(runs, (count) => count + 1),
      JSON.stringify(value) ?? "nothing"
    )
  )
}))

const idsIn = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> =>
  messages.flatMap((message) => (message._tag === "Assistant" ? Message.callsOf(message).map(({ id }) => id) : []))

/** Runs the one prompt with a tool that counts. */
const counted = Effect.gen(function* () {
  const { runs, tool } = yield* counting
  yield* Running.register({ act: tool })
  const events = yield* Running.events({ prompt: "Hello" })
  const warnings = events.flatMap((event) => (event._tag === "Warning" ? [event.code] : []))
  const messages = yield* Running.history
  return { runs: yield* runs, warnings, ids: idsIn(messages), ends: Running.reasonsIn(messages) }
})

describe("the ids of calls", () => {
  it.effect("are kept as the provider made them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* counted).ids, ["toolu_01-A", "call_2"])
    }).pipe(Effect.provide(Running.layer([[call("act", {}, "toolu_01-A"), call("act", 1, "call_2")], say("Done")])))
  )

  it.effect("are made up where there are none or none that providers take back, and the calls run", () =>
    Effect.gen(function* () {
      const { ends, ids, runs, warnings } = yield* counted
      assert.strictEqual(runs, 4)
      assert.strictEqual(new Set(ids).size, 4)
      for (const id of ids) assert.match(id, /^call_[0-9a-f-]{36}$/)
      assert.deepStrictEqual(
        warnings.filter((code) => code === "CallIdReplaced"),
        Array.from({ length: 4 }, () => "CallIdReplaced")
      )
      assert.deepStrictEqual(ends, ["Settled", "Settled", "Settled", "Settled"])
    }).pipe(
      Effect.provide(
        Running.layer([
          ["", "", "with space", "x".repeat(65)].map((id, index) => call("act", { value: index }, id)),
          say("Done")
        ])
      )
    )
  )

  it.effect("that come twice for the same call count once, so that a stuttering stream acts once", () =>
    Effect.gen(function* () {
      const { ids, runs, warnings } = yield* counted
      assert.strictEqual(runs, 1)
      assert.deepStrictEqual(ids, ["one"])
      assert.deepStrictEqual(warnings, ["CallDropped"])
    }).pipe(
      Effect.provide(Running.layer([[call("act", { value: 1 }, "one"), call("act", { value: 1 }, "one")], say("Done")]))
    )
  )

  it.effect("that come twice for different calls let the first run and tell the model about the second", () =>
    Effect.gen(function* () {
      const { ends, ids, runs } = yield* counted
      assert.strictEqual(runs, 1)
      assert.strictEqual(new Set(ids).size, 2)
      assert.deepStrictEqual(ends, ["Settled", "DuplicateCall"])
      assert.match(Running.resultsIn(yield* Running.lastAsked)[1] ?? "", /same id, so this one did not run/)
    }).pipe(
      Effect.provide(Running.layer([[call("act", { value: 1 }, "one"), call("act", { value: 2 }, "one")], say("Done")]))
    )
  )

  it.effect("that a server uses anew in every answer become unique in the session", () =>
    Effect.gen(function* () {
      const { ids, runs } = yield* counted
      assert.strictEqual(runs, 2)
      assert.strictEqual(ids[0], "call_0")
      assert.strictEqual(new Set(ids).size, 2)
    }).pipe(
      Effect.provide(
        Running.layer([[call("act", { value: 1 }, "call_0")], [call("act", { value: 2 }, "call_0")], say("Done")])
      )
    )
  )
})

describe("calls that cannot run", () => {
  it.effect("because their name is made up, nonsense or endless are rejected, each for itself", () =>
    Effect.gen(function* () {
      const { ends, runs } = yield* counted
      assert.strictEqual(runs, 1)
      assert.deepStrictEqual(ends, ["Settled", "Settled", "Settled", "Settled"])
      assert.strictEqual(
        Running.resultsIn(yield* Running.lastAsked).filter((text) => text.includes("no tool")).length,
        3
      )
    }).pipe(
      Effect.provide(
        Running.layer([
          [call("", {}), call("rm -rf /", {}), call("n".repeat(100_000), {}), call("act", {})],
          say("Done")
        ])
      )
    )
  )

  it.effect("because their tool is hidden from the turn are rejected like any other name", () =>
    Effect.gen(function* () {
      const { runs, tool } = yield* counting
      yield* Running.register({ act: tool })
      const registry = yield* ToolRegistry.Service
      const tools = registry.materialize({ rules: [{ action: "act", resource: "*", effect: "deny" }] })
      yield* Running.conclusion({ prompt: "Hello", tools })
      assert.strictEqual(yield* runs, 0)
      assert.match(Running.resultsIn(yield* Running.lastAsked)[0] ?? "", /There is no tool called/)
    }).pipe(Effect.provide(Running.layer([[call("act", {})], say("Done")])))
  )

  it.effect("because their arguments are no JSON are rejected, and the others run", () =>
    Effect.gen(function* () {
      const { ends, runs } = yield* counted
      assert.strictEqual(runs, 1)
      assert.deepStrictEqual(ends, ["Settled", "Settled"])
    }).pipe(Effect.provide(Running.layer([[call("act", '{"value": '), call("act", {})], say("Done")])))
  )

  it.effect("because the answer was cut off do not run, and the model is asked for a shorter one", () =>
    Effect.gen(function* () {
      const { ends, runs } = yield* counted
      assert.strictEqual(runs, 0)
      assert.deepStrictEqual(ends, ["CutOff"])
      assert.match(Running.resultsIn(yield* Running.lastAsked)[0] ?? "", /cut off.*shorter/)
    }).pipe(
      Effect.provide(
        Running.layer([[call("act", {}), Model.Part.Finish({ stop: "length", usage: Message.noUsage })], say("Done")])
      )
    )
  )

  it.effect("because the provider refused the answer do not run, and the run ends", () =>
    Effect.gen(function* () {
      const { tool } = yield* counting
      yield* Running.register({ act: tool })
      assert.strictEqual((yield* Running.conclusion({ prompt: "Hello" })).reason, "refused")
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["CutOff"])
    }).pipe(
      Effect.provide(Running.layer([[call("act", {}), Model.Part.Finish({ stop: "refused", usage: Message.noUsage })]]))
    )
  )
})

describe("limits", () => {
  const forever: ScriptedModel.Script = Array.from({ length: 200 }, (_, index) => [
    call("act", { value: index }),
    Model.Part.Finish({ stop: "calls", usage: { input: 10, output: 1, cached: 0 } })
  ])

  it.effect("on turns, calls and tokens end a run with a history that goes on", () =>
    Effect.gen(function* () {
      const { tool } = yield* counting
      yield* Running.register({ act: tool })
      const steps = yield* Running.conclusion({ prompt: "Hello", limits: { steps: 3 } })
      assert.deepStrictEqual([steps.reason, steps.steps, steps.calls], ["steps", 3, 3])
      const calls = yield* Running.conclusion({ limits: { calls: 2 } })
      assert.deepStrictEqual([calls.reason, calls.calls], ["calls", 2])
      const tokens = yield* Running.conclusion({ limits: { tokens: 40 } })
      assert.deepStrictEqual([tokens.reason, tokens.usage.input + tokens.usage.output], ["tokens", 44])
      assert.deepStrictEqual(new Set(Running.reasonsIn(yield* Running.history)), new Set(["Settled"]))
    }).pipe(Effect.provide(Running.layer(forever)))
  )

  it.effect("are there without anybody setting them", () =>
    Effect.gen(function* () {
      const { tool } = yield* counting
      yield* Running.register({ act: tool })
      assert.strictEqual((yield* Running.conclusion({ prompt: "Hello" })).steps, 100)
    }).pipe(Effect.provide(Running.layer(forever)))
  )

  it.effect("that nobody can mean are a mistake of the host's", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Running.conclusion({ prompt: "Hello", limits: { executing: 0 } }))
      assert.isTrue(exit._tag === "Failure" && String(exit.cause).includes("executing must be at least 1"))
    }).pipe(Effect.provide(Running.layer([])))
  )

  it.effect("on calls within an answer let the first ones run and tell the model about the others", () =>
    Effect.gen(function* () {
      const { runs, tool } = yield* counting
      yield* Running.register({ act: tool })
      const conclusion = yield* Running.conclusion({ prompt: "Hello", limits: { calls: 2 } })
      assert.deepStrictEqual([conclusion.reason, yield* runs], ["calls", 2])
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["Settled", "Settled", "TooManyCalls"])
    }).pipe(Effect.provide(Running.layer([[1, 2, 3].map((value) => call("act", { value }))])))
  )

  it.effect("let so many calls execute at once and so many wait, and no more", () =>
    Effect.gen(function* () {
      const running = yield* Ref.make({ now: 0, most: 0, all: 0 })
      const gate = yield* Deferred.make<void>()
      const enter = Ref.updateAndGet(running, ({ all, most, now }) => ({
        now: now + 1,
        most: Math.max(most, now + 1),
        all: all + 1
      }))
      yield* Running.register({
        act: Running.tool(() =>
          Effect.gen(function* () {
            const { now } = yield* enter
            if (now === 4) yield* Deferred.succeed(gate, undefined)
            yield* Deferred.await(gate)
            yield* Effect.yieldNow
            yield* Ref.update(running, (state) => ({ ...state, now: state.now - 1 }))
            return "done"
          })
        )
      })
      yield* Running.conclusion({ prompt: "Hello", limits: { executing: 4, queued: 6 } })
      assert.deepStrictEqual(yield* Ref.get(running), { now: 0, most: 4, all: 10 })
      const ends = Running.reasonsIn(yield* Running.history)
      assert.strictEqual(ends.filter((end) => end === "TooManyCalls").length, 2)
    }).pipe(
      Effect.provide(Running.layer([Array.from({ length: 12 }, (_, value) => call("act", { value })), say("Done")]))
    )
  )
})

describe("a call that is made again and again", () => {
  const same = (spelling: string) => [call("act", spelling), call("act", { value: spelling })]

  it.effect("is reported, then not run, and ends the run", () =>
    Effect.gen(function* () {
      const { runs, tool } = yield* counting
      yield* Running.register({ act: tool })
      const events = yield* Running.events({ prompt: "Hello" })
      const repeated = events.flatMap((event) =>
        event._tag === "Warning" && event.code === "CallRepeated" ? [event] : []
      )
      assert.strictEqual(repeated.length, 4)
      assert.strictEqual(yield* runs, 5)
      const last = events.at(-1)
      assert.isTrue(last?._tag === "Ended" && last.conclusion.reason === "repeated")
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), [
        ...Array.from({ length: 5 }, () => "Settled"),
        "Repeated"
      ])
    }).pipe(Effect.provide(Running.layer(Array.from({ length: 9 }, () => [call("act", { value: 1 })]))))
  )

  it.effect("is the same also in other words and among others, and is another one with other arguments", () =>
    Effect.gen(function* () {
      const { tool } = yield* counting
      yield* Running.register({ act: tool })
      const { reason, steps } = yield* Running.conclusion({ prompt: "Hello", limits: { repeatsStopped: 3 } })
      assert.deepStrictEqual([reason, steps], ["repeated", 4])
    }).pipe(
      Effect.provide(
        Running.layer([
          [call("act", { value: 1 })],
          same('{"value": {"a": 1, "b": 2}}'),
          same('{ "value" : {"b":2,"a":1} }'),
          same('{"value":{"a":1.0,"b":2}}'),
          say("Done")
        ])
      )
    )
  )

  it.effect("is not stopped where the host allows it", () =>
    Effect.gen(function* () {
      const { runs, tool } = yield* counting
      yield* Running.register({ act: tool })
      const limits = { repeatsStopped: Number.POSITIVE_INFINITY }
      assert.strictEqual((yield* Running.conclusion({ prompt: "Hello", limits })).reason, "answered")
      assert.strictEqual(yield* runs, 20)
    }).pipe(
      Effect.provide(Running.layer([...Array.from({ length: 20 }, () => [call("act", { value: 1 })]), say("Done")]))
    )
  )
})

describe("one call", () => {
  it.effect("can be interrupted without its siblings, and the model is told", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      yield* Running.register({
        hang: Running.tool(() => Effect.andThen(Deferred.succeed(started, undefined), Effect.never)),
        act: Running.tool(() => Effect.as(Deferred.await(started), "acted"))
      })
      yield* Stream.runForEach(Running.run({ prompt: "Hello" }), (event) =>
        event._tag === "CallStarted" && event.call.name === "hang"
          ? Effect.asVoid(Effect.forkChild(Effect.andThen(Deferred.await(started), event.interrupt)))
          : Effect.void
      )
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["Interrupted", "Settled"])
      const [text] = Running.resultsIn(yield* Running.lastAsked)
      assert.match(text ?? "", /^\[This is not a result of the tool\.\] The call was interrupted\. It may or may not/)
    }).pipe(Effect.provide(Running.layer([[call("hang", {}), call("act", {})], say("Done")])))
  )
})
