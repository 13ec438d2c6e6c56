import { assert, describe, it } from "@effect/vitest"
import { type SettlementStore, Tool, ToolFailure } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { History, Message, Model, Runner, ScriptedModel } from "@haft/runner"
import { Deferred, Effect, Layer, Logger, Ref, Schema, Stream } from "effect"
import { bodyOf, providers } from "./support/bodies.ts"
import * as Database from "./support/database.ts"
import * as Running from "./support/running.ts"

const Small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Everything that a model has ever been seen to send. */
const Call = Schema.Struct({
  name: Schema.Literals(["act", "act", "fails", "dies", "broken", "hangs", "nonsense", "", "rm -rf /", "é".repeat(90)]),
  id: Schema.Literals(["", "a", "b", "call_0", "no id", "x".repeat(70)]),
  input: Schema.Literals(["{}", '{"value":1}', '{"value":"\\ud800"}', '{"value":', "[]", "", "nul\u0000"])
})

const Answer = Schema.Struct({
  text: Schema.Literals(["", " \n", "Hello", "half \ud83d", "多字节"]),
  hasThought: Schema.Boolean,
  calls: Schema.Array(Call).check(Schema.isMaxLength(4)),
  stop: Schema.Literals(["calls", "calls", "calls", "ended", "length", "refused", "none"])
})
type Answer = typeof Answer.Type

/** More writes than any run makes. */
const never = 1_000

const Attempt = Schema.Struct({
  prompt: Schema.Literals(["", "Do it", "half \udc00"]),
  /** After so many events nobody reads any more. */
  leavesAfter: Small(30),
  /** The write of the history that fails, as the last thing that a dying process does. */
  failsAt: Schema.Literals([never, 0, 1, 2, 3, 4, 5, never]),
  onTrouble: Schema.Literals(["stop", "surface"])
})
type Attempt = typeof Attempt.Type

const Plan = {
  answers: Schema.Array(Answer).check(Schema.isMinLength(1), Schema.isMaxLength(6)),
  attempts: Schema.Array(Attempt).check(Schema.isMinLength(1), Schema.isMaxLength(5))
}

const partsOf = ({ calls, hasThought, stop, text }: Answer): ReadonlyArray<Model.Part> => [
  ...(hasThought
    ? [Model.Part.Reasoning({ text: "hm", replay: { type: "thinking", thinking: "hm", signature: "s" } })]
    : []),
  ...(text === "" ? [] : [Model.Part.TextDelta({ text })]),
  ...calls.map(({ id, input, name }) => Model.Part.Call({ id, name, input })),
  ...(stop === "none" ? [] : [Model.Part.Finish({ stop, usage: Message.noUsage })])
]

/** Streams, so that nothing is added to them. */
const scriptOf = (answers: ReadonlyArray<Answer>): ScriptedModel.Script =>
  answers.map((answer) => Stream.fromIterable(partsOf(answer)))

/** The tools of a process, which note every run of a call. A call that hangs tells whoever is waiting. */
const toolsOf = (runs: Ref.Ref<ReadonlyArray<string>>, hung: Deferred.Deferred<void>) => {
  const noting = (then: Effect.Effect<string, ToolFailure.ToolFailure>) =>
    Running.tool((_, { assistantMessageID, toolCallID }) =>
      Effect.andThen(
        Ref.update(runs, (before) => [...before, `${assistantMessageID} ${toolCallID}`]),
        then
      )
    )
  return {
    act: noting(Effect.succeed("acted")),
    fails: noting(Effect.fail(ToolFailure.precondition({ message: "half \ud800" }))),
    dies: noting(Effect.die("bug")),
    hangs: noting(Effect.andThen(Deferred.succeed(hung, undefined), Effect.never)),
    broken: Tool.make({
      description: "Returns what it must not",
      input: Schema.Struct({}),
      output: Schema.String.check(Schema.isMaxLength(1)),
      execute: () => Effect.succeed("too long")
    })
  }
}

/** The same history, except that from one write on it fails. */
const failingAt = (history: History.Interface, write: number): Effect.Effect<History.Interface> =>
  Effect.map(Ref.make(0), (writes) => ({
    read: history.read,
    append: (...args) =>
      Effect.flatMap(
        Ref.getAndUpdate(writes, (count) => count + 1),
        (count) =>
          count >= write && write < 8
            ? Effect.fail(new History.StorageError({ operation: "append" }))
            : history.append(...args)
      )
  }))

const Registry = ToolRegistry.layer.pipe(
  Layer.provide([ApplicationTools.layer, OutputBounds.layer()]),
  Layer.provide(OutputStores.layerMemory())
)

/** One process: it runs until it is done, fails, hangs or is left, and gives what it asked its model. */
const attempt = Effect.fnUntraced(function* (
  answers: ReadonlyArray<Answer>,
  { failsAt, leavesAfter, onTrouble, prompt }: Attempt,
  runs: Ref.Ref<ReadonlyArray<string>>
) {
  const hung = yield* Deferred.make<void>()
  const history = Layer.effect(
    History.Service,
    Effect.flatMap(History.Service, (history) => failingAt(history, failsAt))
  )
  const process = Layer.mergeAll(
    Registry,
    Layer.provideMerge(Runner.layer, Layer.merge(ScriptedModel.layer(scriptOf(answers)), history))
  )
  return yield* Effect.gen(function* () {
    yield* Running.register(toolsOf(runs, hung))
    const said = prompt === "" ? {} : { prompt }
    yield* Running.run({ ...said, onTrouble, system: "s", limits: { attempts: 1 } }).pipe(
      Stream.take(leavesAfter),
      Stream.interruptWhen(Deferred.await(hung)),
      Stream.runDrain,
      Effect.exit
    )
    return yield* Effect.flatMap(ScriptedModel.Service, ({ asked }) => asked)
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(process)))
})

const faultsOf = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> => {
  const ids = messages
    .flatMap((message) => (message._tag === "Assistant" ? Message.callsOf(message) : []))
    .map(({ id }) => id)
  return [
    ...(new Set(ids).size === ids.length ? [] : ["a call id occurs twice"]),
    ...messages.flatMap((message, index) => {
      const next = messages[index + 1]
      const calls = message._tag === "Assistant" ? Message.callsOf(message).map(({ id }) => id) : []
      const ends = next?._tag === "Closing" ? next.ends.map(({ callID }) => callID) : []
      return calls.join() === ends.join() ? [] : [`message ${index} has calls without one end each`]
    })
  ]
}

/** The last attempt is left alone, and repairs what the others left. */
const undisturbed: Attempt = { prompt: "Do it", leavesAfter: 1_000, failsAt: never, onTrouble: "surface" }

type Stores = History.Service | SettlementStore.Service

/** What all plans of a property came to, so that a property that reaches nothing is noticed. */
class Witness {
  requests = 0
  readonly ends = new Map<string, number>()

  count(messages: ReadonlyArray<Message.Message>): void {
    for (const end of Running.reasonsIn(messages)) this.ends.set(end, (this.ends.get(end) ?? 0) + 1)
  }
}

/** Runs all attempts one after the other on the same stores, and holds everything that came of it to the rules. */
const check = Effect.fnUntraced(function* <E>(
  plan: { readonly answers: ReadonlyArray<Answer>; readonly attempts: ReadonlyArray<Attempt> },
  stores: Layer.Layer<Stores, E>,
  witness: Witness
) {
  const runs = yield* Ref.make<ReadonlyArray<string>>([])
  for (const one of [...plan.attempts, undisturbed]) {
    const asked = yield* Effect.provide(attempt(plan.answers, one, runs), stores)
    // What no failed write cut short is in order at once, without the next process.
    if (one.failsAt === never) assert.deepStrictEqual(faultsOf(yield* Effect.provide(Running.history, stores)), [])
    for (const request of asked) {
      witness.requests++
      for (const { faults, layer, name } of providers) {
        assert.deepStrictEqual(faults(yield* bodyOf(layer, request)), [], name)
      }
    }
  }
  const messages = yield* Effect.provide(Running.history, stores)
  witness.count(messages)
  assert.deepStrictEqual(faultsOf(messages), [])
  const ran = yield* Ref.get(runs)
  assert.strictEqual(new Set(ran).size, ran.length, "a call ran twice")
})

/** A memory that outlives the processes that use it. */
const remembered = Effect.map(
  Layer.build(Layer.merge(History.layerMemory, SettlementStores.layerMemory)),
  Layer.succeedContext
)

const quiet = Logger.layer([])

describe("histories under random interruption, failure and restart", () => {
  const inMemory = new Witness()

  it.live.prop(
    "are valid by the rules of every provider, and no call in them ran twice",
    Plan,
    (plan) =>
      remembered.pipe(
        Effect.flatMap((stores) => check(plan, stores, inMemory)),
        Effect.scoped,
        Effect.provide(quiet)
      ),
    { arbitrary: { runs: 100, seed: "memory" }, timeout: 240_000 }
  )

  it("have been seen with every kind of end", () => {
    assert.isAbove(inMemory.requests, 150)
    const kinds = ["Settled", "Interrupted", "Died", "Operational", "NotRun", "CutOff", "DuplicateCall"]
    assert.includeMembers([...inMemory.ends.keys()], kinds)
  })

  const onDisk = new Witness()

  it.live.prop(
    "are so on SQLite too, where every attempt opens the file again",
    Plan,
    (plan) =>
      Database.temporary.pipe(
        Effect.flatMap((filename) => check(plan, Database.stores(filename), onDisk)),
        Effect.scoped,
        Effect.provide(quiet)
      ),
    { arbitrary: { runs: 8, seed: "disk" }, timeout: 240_000 }
  )

  it("have been seen on SQLite with results and without", () => {
    assert.isAbove(onDisk.requests, 10)
    assert.includeMembers([...onDisk.ends.keys()], ["Settled"])
    assert.isAbove(onDisk.ends.size, 1)
  })
})
