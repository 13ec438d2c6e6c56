import { assert } from "@effect/vitest"
import { Agent, Session, Tool, ToolFailure, Tools } from "@haft/core"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { History, Message, Runner, ScriptedModel } from "@haft/runner"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { law } from "./law.ts"

const sessionID = Session.ID.make("session")

const { call, say } = ScriptedModel

/** One call for each way in which a call can end, and one that never does. */
const names = ["succeeds", "fails", "dies", "leaves", "invented", "hangs"]

const layer = Runner.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      ScriptedModel.layer([names.map((name) => call(name, {}, name)), say("Done")]),
      History.layerMemory,
      Testing.layer
    )
  )
)

const tool = (effect: Effect.Effect<string, ToolFailure.ToolFailure>) =>
  Tool.make({ description: "Test", input: Schema.Struct({}), output: Schema.String, execute: () => effect })

/** Runs until the last call hangs, interrupts, and goes on. */
const session = Effect.gen(function* () {
  const hung = yield* Deferred.make<void>()
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  const runner = yield* Runner.Service
  yield* tools.register({
    succeeds: tool(Effect.succeed("done")),
    fails: tool(Effect.fail(ToolFailure.precondition({ message: "not now" }))),
    dies: tool(Effect.die("a bug")),
    leaves: tool(Effect.interrupt),
    hangs: tool(Effect.andThen(Deferred.succeed(hung, undefined), Effect.never))
  })
  const request = { sessionID, agent: Agent.ID.make("agent"), tools: registry.materialize() }
  const fiber = yield* Effect.forkChild(Stream.runDrain(runner.run({ ...request, prompt: "Go" })))
  yield* Deferred.await(hung)
  yield* Fiber.interrupt(fiber)
  yield* Stream.runDrain(runner.run(request))
  const history = yield* History.Service
  return yield* history.read(sessionID)
})

law("every-call-has-one-end", "also if it has no result, and the run was interrupted", () =>
  Effect.gen(function* () {
    const messages = yield* Effect.provide(session, layer)
    assert.deepStrictEqual(
      messages.map(({ _tag }) => _tag),
      ["User", "Assistant", "Closing", "Assistant"]
    )
    const [, answer, closing] = messages
    assert(answer?._tag === "Assistant" && closing?._tag === "Closing")
    const calls = Message.callsOf(answer).map(({ id }) => String(id))
    assert.deepStrictEqual(calls, names)
    assert.deepStrictEqual(
      closing.ends.map((end) => [String(end.callID), end._tag === "Settled" ? end._tag : end.reason]),
      [
        ["succeeds", "Settled"],
        ["fails", "Settled"],
        ["dies", "Died"],
        ["leaves", "Operational"],
        ["invented", "Settled"],
        ["hangs", "Interrupted"]
      ]
    )
  })
)
