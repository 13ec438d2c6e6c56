import { assert, describe, it } from "@effect/vitest"
import { Progress, SettlementStore, Tool, ToolContent, ToolFailure } from "@haft/core"
import { ModelCompatibility } from "@haft/registry"
import { History, Message, Model, ScriptedModel } from "@haft/runner"
import { Deferred, Effect, Option, Ref, Schema } from "effect"
import * as Running from "./support/running.ts"

const { call, say } = ScriptedModel

const shortNames: ModelCompatibility.Profile = { ...ModelCompatibility.openaiCompatible, limits: { name: 20 } }

describe("a run", () => {
  it.effect("asks, settles the calls, tells the model how they ended, and asks again until it calls nothing more", () =>
    Effect.gen(function* () {
      yield* Running.register({ echo: Running.echo })
      const events = yield* Running.events({ prompt: "Hello", system: "Be brief." })
      assert.deepStrictEqual(Running.tagsOf(events), [
        "TurnStarted",
        "TextDelta",
        "TextDelta",
        "Answered",
        "CallStarted",
        "CallSettled",
        "CallStarted",
        "CallSettled",
        "TurnEnded",
        "TurnStarted",
        "TextDelta",
        "Answered",
        "TurnEnded",
        "Ended"
      ])
      const asked = yield* Running.lastAsked
      assert.strictEqual(asked?.system, "Be brief.")
      assert.deepStrictEqual(Running.resultsIn(asked), ["1", "2"])
      assert.deepStrictEqual(
        (yield* Running.history).map(({ _tag }) => _tag),
        ["User", "Assistant", "Closing", "Assistant"]
      )
    }).pipe(
      Effect.provide(
        Running.layer([
          [...say("Let me"), call("echo", { value: 1 }, "a"), call("echo", { value: 2 }, "b")],
          say("Done")
        ])
      )
    )
  )

  it.effect("concludes with what the model said, and with what it took", () =>
    Effect.gen(function* () {
      yield* Running.register({ echo: Running.echo })
      const usage = { input: 10, output: 5, cached: 2 }
      assert.deepStrictEqual(yield* Running.conclusion({ prompt: "Hello" }), {
        reason: "answered",
        text: "Good bye",
        steps: 2,
        calls: 1,
        usage
      })
    }).pipe(
      Effect.provide(
        Running.layer([
          [call("echo", {})],
          [...say("Good bye"), Model.Part.Finish({ stop: "ended", usage: { input: 10, output: 5, cached: 2 } })]
        ])
      )
    )
  )

  it.effect("gives results in the order of the calls, whichever ends first", () =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      yield* Running.register({
        slow: Running.tool(() => Effect.as(Deferred.await(first), "slow")),
        fast: Running.tool(() => Effect.as(Deferred.succeed(first, undefined), "fast"))
      })
      yield* Running.conclusion({ prompt: "Hello" })
      assert.deepStrictEqual(Running.resultsIn(yield* Running.lastAsked), ["slow", "fast"])
    }).pipe(Effect.provide(Running.layer([[call("slow", {}), call("fast", {})], say("Done")])))
  )

  it.effect("keeps no result in its history: what the model reads comes from the settlement store", () =>
    Effect.gen(function* () {
      yield* Running.register({ secretive: Running.tool(() => Effect.succeed("only in the store")) })
      yield* Running.conclusion({ prompt: "Hello" })
      const messages = yield* Running.history
      assert.notInclude(JSON.stringify(messages), "only in the store")
      assert.deepStrictEqual(Running.resultsIn(yield* Running.lastAsked), ["only in the store"])
      const [, answer] = messages
      assert(answer?._tag === "Assistant")
      const [made] = Message.callsOf(answer)
      assert(made !== undefined)
      const store = yield* SettlementStore.Service
      const identity = { sessionID: Running.sessionID, assistantMessageID: answer.id, toolCallID: made.id }
      const record = yield* store.find(identity)
      assert.isTrue(Option.isSome(record) && record.value._tag === "Ended")
    }).pipe(Effect.provide(Running.layer([[call("secretive", {})], say("Done")])))
  )

  it.effect("makes the answer durable before the first of its calls begins", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<string>>([])
      const history = yield* History.Service
      yield* Running.register({
        look: Running.tool(() =>
          Effect.flatMap(Effect.orDie(history.read(Running.sessionID)), (messages) =>
            Effect.as(
              Ref.set(
                seen,
                messages.map(({ _tag }) => _tag)
              ),
              "looked"
            )
          )
        )
      })
      yield* Running.conclusion({ prompt: "Hello" })
      assert.deepStrictEqual(yield* Ref.get(seen), ["User", "Assistant"])
    }).pipe(Effect.provide(Running.layer([[call("look", {})], say("Done")])))
  )

  it.effect("shows a model failures, rejections, repairs and media as they are, and never nothing", () =>
    Effect.gen(function* () {
      const picture = Tool.make({
        description: "Shows a picture",
        input: Schema.Struct({}),
        output: Schema.String,
        execute: () => Effect.succeed("x"),
        toModelOutput: () => [
          ToolContent.text("  "),
          ToolContent.media({ mimeType: "image/png", data: Uint8Array.of(1) })
        ]
      })
      const count = Tool.make({
        description: "Counts",
        input: Schema.Struct({ to: Schema.Int }),
        output: Schema.Struct({ to: Schema.Int }),
        execute: (input) => Effect.succeed(input)
      })
      yield* Running.register({
        picture,
        count,
        blank: Running.tool(() => Effect.succeed(" \n")),
        fails: Running.tool(() =>
          Effect.fail(
            ToolFailure.notFound({ message: "No such file.", hint: "Try b.", field: "path", partial: { read: 3 } })
          )
        )
      })
      yield* Running.conclusion({ prompt: "Hello" })
      const asked = yield* Running.lastAsked
      const results = Running.resultsIn(asked)
      assert.strictEqual(results[0], "image/png")
      assert.strictEqual(results[1], "[The tool returned no text.]")
      assert.strictEqual(results[2], 'No such file.\nTry b.\nArgument: path\nOutput until then:\n{"read":3}')
      assert.match(results[3] ?? "", /^\{"to":3\}\n/)
      assert.match(results[4] ?? "", /^There is no tool called "nonsense"/)
      const message = asked?.messages.find(({ _tag }) => _tag === "Results")
      assert(message?._tag === "Results")
      assert.deepStrictEqual(
        message.results.map(({ isError }) => isError),
        [false, false, true, false, true]
      )
    }).pipe(
      Effect.provide(
        Running.layer([
          [
            ...["picture", "blank", "fails"].map((name) => call(name, {})),
            call("count", { to: "3" }),
            call("nonsense", {})
          ],
          say("Done")
        ])
      )
    )
  )

  it.effect("goes on without a prompt where the session stands, and says so if that is nowhere", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Running.conclusion()).reason, "idle")
      const history = yield* History.Service
      yield* history.append(Running.sessionID, 0, Message.user("asked before"))
      assert.strictEqual((yield* Running.conclusion()).text, "Answer")
      assert.strictEqual((yield* Running.conclusion()).reason, "idle")
    }).pipe(Effect.provide(Running.layer([say("Answer")])))
  )

  it.effect("refuses a blank prompt, and writes nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Running.conclusion({ prompt: " \n" }))
      assert.strictEqual(error._tag, "Runner.BlankPrompt")
      assert.match(error.message, /^The prompt is blank/)
      assert.deepStrictEqual(yield* Running.history, [])
      const parts = [ToolContent.text(""), ToolContent.media({ mimeType: "image/png", data: Uint8Array.of(1) })]
      yield* Running.conclusion({ prompt: parts })
      assert.deepStrictEqual((yield* Running.history)[0], Message.user(parts.slice(1)))
    }).pipe(Effect.provide(Running.layer([say("A picture")])))
  )

  it.effect("keeps nothing of an answer that says nothing", () =>
    Effect.gen(function* () {
      const events = yield* Running.events({ prompt: "Hello" })
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "Warning" ? [event.code] : [])),
        ["EmptyAnswer"]
      )
      assert.deepStrictEqual((yield* Running.history).length, 1)
    }).pipe(Effect.provide(Running.layer([[Model.Part.TextDelta({ text: " " })]])))
  )

  it.effect("passes on what a running tool reports", () =>
    Effect.gen(function* () {
      yield* Running.register({
        works: Running.tool(() =>
          Effect.gen(function* () {
            const progress = yield* Progress.Service
            yield* progress.report({ completed: 1, total: 2 })
            return "done"
          })
        )
      })
      const events = yield* Running.events({ prompt: "Hello" })
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "CallProgress" ? [[String(event.callID), event.update]] : [])),
        [["one", { completed: 1, total: 2 }]]
      )
    }).pipe(Effect.provide(Running.layer([[call("works", {}, "one")], say("Done")])))
  )

  it.effect("leaves out a tool that the model cannot be shown, says so, and rejects a call of it for good", () =>
    Effect.gen(function* () {
      yield* Running.register({ ["a".repeat(64)]: Running.echo, short: Running.echo })
      const events = yield* Running.events({ prompt: "Hello" })
      const codes = events.flatMap((event) => (event._tag === "Warning" ? [event.code] : []))
      assert.strictEqual(codes.filter((code) => code === "ToolLeftOut").length, 1, "once, and not in every turn")
      const asked = yield* Running.lastAsked
      assert.deepStrictEqual(
        asked?.tools.map(({ name }) => String(name)),
        ["short"]
      )
      assert.match(Running.resultsIn(asked)[0] ?? "", /not a result of the tool.*There is no tool called/)
      assert.deepStrictEqual(Running.reasonsIn(yield* Running.history), ["Rejected"])
      const stopping = Running.conclusion({ prompt: "Again", onIncompatible: "stop" })
      assert.strictEqual((yield* Effect.flip(stopping))._tag, "ModelCompatibilityError")
    }).pipe(Effect.provide(Running.layer([[call("a".repeat(64), {})], say("Done")], { profile: shortNames })))
  )
})
