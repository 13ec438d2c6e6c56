import { assert, describe, it } from "@effect/vitest"
import { SettlementStore, Tool, ToolFailure } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import * as Observability from "@haft/registry/Observability"
import * as Testing from "@haft/registry/testing"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Metric, Option, Ref, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { observe } from "../src/internal/observe.ts"
import { executing, offering } from "./support/tools.ts"
import * as Watch from "./support/watch.ts"

const Watched = Layer.provideMerge(Testing.layer, Watch.layer)

const ids = {
  "haft.session.id": "session",
  "haft.message.id": "message",
  "haft.call.id": "call",
  "haft.agent": "agent"
}

const echo = Tool.make({
  description: "Echo",
  input: Schema.Struct({ text: Schema.String }),
  output: Schema.String,
  execute: ({ text }) => Effect.succeed(text)
})

/** The only settlement so far, as a tracer got it. */
const onlySpan = Effect.map(Watch.settlements, (spans) => {
  assert.strictEqual(spans.length, 1)
  const [span] = spans
  assert(span?.status._tag === "Ended")
  return { span, attributes: Object.fromEntries(span.attributes), exit: span.status.exit }
})

const lines = Effect.map(Watch.Watch, ({ lines }) =>
  lines.map(({ annotations, level, message }) => ({ level, message, annotations }))
)

describe("a settlement", () => {
  it.effect("is one span, with ids, names and counts", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ echo })
      yield* turn.settle(Testing.request("echo", { text: "hello" }))
      assert.deepStrictEqual((yield* onlySpan).attributes, {
        ...ids,
        "haft.tool.name": "echo",
        "haft.outcome": "Succeeded",
        "haft.effect": "None",
        "haft.warnings": 0,
        "haft.managed": 0
      })
    }).pipe(Effect.provide(Watched))
  )

  it.effect("is the parent of what its executor traces, and has the caller's span for a parent", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.withSpan(Effect.succeed(""), "inner")) })
      yield* Effect.withSpan(turn.settle(Testing.request("tool", {})), "outer")
      const { spans } = yield* Watch.Watch
      const parentOf = (name: string) =>
        Option.getOrThrow(Option.fromUndefinedOr(spans.find((span) => span.name === name))).parent.pipe(
          Option.map((parent) => (parent._tag === "Span" ? parent.name : parent._tag)),
          Option.getOrUndefined
        )
      assert.strictEqual(parentOf("inner"), "Materialization.settle")
      assert.strictEqual(parentOf("Materialization.settle"), "outer")
    }).pipe(Effect.provide(Watched))
  )

  it.effect("is one line in the log, with the same ids, names and counts", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ echo })
      yield* turn.settle(Testing.request("echo", { text: "hello" }))
      const { attributes } = yield* onlySpan
      assert.deepStrictEqual(yield* lines, [{ level: "DEBUG", message: "a call was settled", annotations: attributes }])
    }).pipe(Effect.provide(Watched))
  )

  it.effect("that is repeated is seen each time, however often the tool ran", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ echo })
      yield* turn.settle(Testing.request("echo", { text: "hello" }))
      yield* turn.settle(Testing.request("echo", { text: "hello" }))
      assert.strictEqual((yield* Watch.settlements).length, 2)
      assert.deepStrictEqual(yield* Watch.statesOf("haft.settlements"), {
        "echo Succeeded": { count: 2, incremental: true }
      })
    }).pipe(Effect.provide(Watched))
  )

  it.effect("takes the time between its call and its end", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.as(Effect.sleep("20 millis"), "")) })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), { startImmediately: true })
      yield* TestClock.adjust("20 millis")
      yield* Fiber.join(fiber)
      const { "tool Succeeded ms": duration, ...others } = yield* Watch.statesOf("haft.settlement.duration")
      assert.deepInclude(duration, { count: 1, sum: 20, min: 20, max: 20 })
      assert.deepStrictEqual(others, {})
    }).pipe(Effect.provide(Watched))
  )
})

interface Ending {
  readonly title: string
  readonly tool: Tool.Any
  readonly input?: unknown
  readonly timeoutMs?: number
  /** Without the ids and the name. */
  readonly attributes: Readonly<Record<string, unknown>>
  readonly level: "DEBUG" | "WARN" | "ERROR"
}

const settled = { "haft.warnings": 0, "haft.managed": 0 }

const endings: ReadonlyArray<Ending> = [
  {
    title: "a success",
    tool: executing(Effect.succeed("")),
    attributes: { ...settled, "haft.outcome": "Succeeded", "haft.effect": "None" },
    level: "DEBUG"
  },
  {
    title: "a failure of the tool",
    tool: executing(Effect.fail(ToolFailure.notFound({ message: "no" }))),
    attributes: {
      ...settled,
      "haft.outcome": "Failed",
      "haft.effect": "None",
      "haft.failure.kind": "NotFound"
    },
    level: "DEBUG"
  },
  {
    title: "a deadline that passes",
    tool: executing(Effect.never),
    timeoutMs: 10,
    attributes: {
      ...settled,
      "haft.outcome": "Failed",
      "haft.effect": "Unknown",
      "haft.failure.kind": "TimedOut"
    },
    level: "DEBUG"
  },
  {
    title: "arguments that do not fit",
    tool: echo,
    input: { text: 1, more: 2 },
    attributes: {
      ...settled,
      "haft.outcome": "Rejected",
      "haft.effect": "NotStarted",
      "haft.rejection": "InvalidInput",
      "haft.violations": 2
    },
    level: "DEBUG"
  },
  {
    title: "more that does not fit than a model is told",
    tool: echo,
    input: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, index])),
    attributes: {
      ...settled,
      "haft.outcome": "Rejected",
      "haft.effect": "NotStarted",
      "haft.rejection": "InvalidInput",
      "haft.violations": 101
    },
    level: "DEBUG"
  },
  {
    title: "an output that does not fit",
    tool: Tool.make({
      description: "Lie",
      input: Schema.Struct({}),
      output: Schema.Int,
      execute: () => Effect.succeed(0.5)
    }),
    attributes: { "haft.outcome": "InvalidOutput" },
    level: "WARN"
  },
  {
    title: "a tool that interrupts itself",
    tool: executing(Effect.interrupt),
    attributes: { "haft.outcome": "Materialization.SelfInterrupted", "haft.effect": "Unknown" },
    level: "WARN"
  },
  {
    title: "a defect",
    tool: executing(Effect.die(new Error("bug"))),
    attributes: { "haft.outcome": "Died" },
    level: "ERROR"
  }
]

describe("the end of a call", () => {
  const ended = Effect.fnUntraced(function* ({ input = {}, timeoutMs, tool }: Ending) {
    const turn = yield* offering({ tool }, timeoutMs === undefined ? {} : { timeoutMs })
    const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", input)), { startImmediately: true })
    yield* TestClock.adjust("10 millis")
    return yield* Fiber.await(fiber)
  })

  it.effect.each(endings)("is told apart in span, log and counter: $title", (ending) =>
    Effect.gen(function* () {
      yield* ended(ending)
      const attributes = { ...ids, "haft.tool.name": "tool", ...ending.attributes }
      assert.deepStrictEqual((yield* onlySpan).attributes, attributes)
      assert.deepStrictEqual(
        (yield* lines).map(({ annotations, level }) => ({ annotations, level })),
        [{ annotations: attributes, level: ending.level }]
      )
      assert.deepStrictEqual(yield* Watch.statesOf("haft.settlements"), {
        [`tool ${ending.attributes["haft.outcome"]}`]: { count: 1, incremental: true }
      })
    }).pipe(Effect.provide(Watched))
  )

  it.effect.each(endings)("leaves nothing in flight: $title", (ending) =>
    Effect.gen(function* () {
      yield* ended(ending)
      assert.deepStrictEqual(yield* Watch.statesOf("haft.settlements.in_flight"), { tool: { value: 0 } })
    }).pipe(Effect.provide(Watched))
  )

  it.effect.each(endings)("is an error of the span only if it is ours: $title", (ending) =>
    Effect.gen(function* () {
      yield* ended(ending)
      assert.strictEqual(Exit.isFailure((yield* onlySpan).exit), ending.level !== "DEBUG")
    }).pipe(Effect.provide(Watched))
  )

  it.effect("by interruption is counted, and leaves nothing in flight", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const turn = yield* offering({
        tool: executing(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
      })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})))
      yield* Deferred.await(started)
      assert.deepStrictEqual(yield* Watch.statesOf("haft.settlements.in_flight"), { tool: { value: 1 } })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* Watch.statesOf("haft.settlements.in_flight"), { tool: { value: 0 } })
      assert.deepStrictEqual(yield* Watch.statesOf("haft.settlements"), {
        "tool Interrupted": { count: 1, incremental: true }
      })
      const { attributes, exit } = yield* onlySpan
      assert.strictEqual(attributes["haft.outcome"], "Interrupted")
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(
        (yield* lines).map(({ level, message }) => [level, message]),
        [["DEBUG", "a call was interrupted"]]
      )
    }).pipe(Effect.provide(Watched))
  )

  it.effect("that waits for its turn is in flight until it is interrupted", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.never) }, { concurrency: 1 })
      const [executed, waiting] = yield* Effect.forEach(["1", "2"], (id) =>
        Effect.forkChild(turn.settle(Testing.request("tool", {}, { id })), { startImmediately: true })
      )
      assert(executed !== undefined && waiting !== undefined)
      const inFlight = Watch.statesOf("haft.settlements.in_flight")
      assert.deepStrictEqual(yield* inFlight, { tool: { value: 2 } })
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual(yield* inFlight, { tool: { value: 1 } })
      yield* Fiber.interrupt(executed)
      assert.deepStrictEqual(yield* inFlight, { tool: { value: 0 } })
    }).pipe(Effect.provide(Watched))
  )

  it.effect("by a store that is down has the code of that", () =>
    Effect.gen(function* () {
      const { before } = yield* Testing.Probe
      yield* Ref.set(before, Testing.failing("begin"))
      const turn = yield* offering({ tool: executing(Effect.succeed("")) })
      yield* Effect.flip(turn.settle(Testing.request("tool", {})))
      assert.strictEqual((yield* onlySpan).attributes["haft.outcome"], "SettlementStore.StorageError")
      assert.deepStrictEqual(yield* Watch.statesOf("haft.settlements.in_flight"), { tool: { value: 0 } })
    }).pipe(Effect.provide(Layer.provideMerge(Testing.layer, Watch.layer)))
  )

  it.effect("with more output than a model reads says how much is kept elsewhere", () =>
    Effect.gen(function* () {
      const turn = yield* offering({
        tool: executing(Effect.succeed("long".repeat(OutputBounds.defaults.bytes)))
      })
      yield* turn.settle(Testing.request("tool", {}))
      assert.strictEqual((yield* onlySpan).attributes["haft.managed"], 1)
    }).pipe(Effect.provide(Watched))
  )
})

describe("names that a model makes up", () => {
  it.effect("are all reported as one", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ echo })
      const invented = ["ech0", "rm -rf /", "x".repeat(10_000)]
      yield* Effect.forEach(invented, (name, index) => turn.settle(Testing.request(name, {}, { id: `${index}` })))
      assert.deepStrictEqual(yield* Watch.statesOf("haft.settlements"), {
        "unknown Rejected": { count: 3, incremental: true }
      })
      assert.deepStrictEqual(
        (yield* Watch.settlements).map(({ attributes }) => attributes.get("haft.tool.name")),
        ["unknown", "unknown", "unknown"]
      )
    }).pipe(Effect.provide(Watched))
  )

  it.effect("are told from those of tools that are gone", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const turn = yield* offering({ echo }).pipe(Scope.provide(scope))
      yield* Scope.close(scope, Exit.void)
      yield* turn.settle(Testing.request("echo", { text: "" }))
      assert.deepInclude((yield* onlySpan).attributes, { "haft.tool.name": "echo", "haft.rejection": "StaleCall" })
    }).pipe(Effect.provide(Watched))
  )
})

describe("a host that watches less", () => {
  const seen = Effect.gen(function* () {
    const { lines, spans } = yield* Watch.Watch
    const metrics = yield* Metric.snapshot
    return {
      spans: spans.filter(({ name }) => name === "Materialization.settle").length,
      lines: lines.length,
      metrics: metrics.length
    }
  })
  const settling = (level: Observability.Level) =>
    Effect.gen(function* () {
      const turn = yield* Effect.provideService(offering({ echo }), Observability.Level, level)
      yield* turn.settle(Testing.request("echo", { text: "" }))
      return yield* seen
    }).pipe(Effect.provide(Watched))

  it.effect("sees spans, lines and metrics unless it says otherwise", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settling("full"), { spans: 1, lines: 1, metrics: 3 })
    })
  )

  it.effect("can have metrics alone", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settling("metrics"), { spans: 0, lines: 0, metrics: 3 })
    })
  )

  it.effect("can have nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settling("none"), { spans: 0, lines: 0, metrics: 0 })
    })
  )

  it.effect("decides for a turn when it makes the turn, and not for each call", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ echo })
      const settle = turn.settle(Testing.request("echo", { text: "" }))
      yield* Effect.provideService(settle, Observability.Level, "none")
      assert.deepStrictEqual(yield* seen, { spans: 1, lines: 1, metrics: 3 })
    }).pipe(Effect.provide(Watched))
  )

  it("pays nothing for what it does not watch: the function is the same", () => {
    const settle = () => Effect.interrupt
    const offer = { definitions: [], byName: new Map() }
    assert.strictEqual(observe("none", offer, settle), settle)
    assert.notStrictEqual(observe("metrics", offer, settle), settle)
  })
})

describe("a secret", () => {
  const secret = "s3cr3t-canary"

  /** Everything that was seen, as text, the way exporters and loggers write it. */
  const everything = Effect.gen(function* () {
    const { lines, spans } = yield* Watch.Watch
    const traced = spans.map(({ attributes, events, links, name, status }) => [
      name,
      [...attributes],
      events.map(([event, , fields]) => [event, fields]),
      links,
      status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : status._tag,
      status._tag === "Ended" && Exit.isSuccess(status.exit) ? status.exit.value : undefined
    ])
    return JSON.stringify([traced, lines]) + (yield* Metric.dump)
  })

  const leaky = new Error(secret, { cause: new Error(secret) })
  const failure = ToolFailure.upstream({
    message: secret,
    hint: secret,
    cause: secret,
    details: { secret },
    partial: secret
  })
  const places: ReadonlyArray<readonly [place: string, tool: Tool.Any, input: unknown, name?: string]> = [
    ["the input and the output", echo, { text: secret }],
    ["an input that does not fit", echo, { [secret]: secret }],
    ["a failure", executing(Effect.fail(failure)), {}],
    ["a defect", executing(Effect.die(leaky)), {}],
    ["a defect beside a failure", executing(Effect.ensuring(Effect.fail(failure), Effect.die(leaky))), {}],
    ["a name", echo, {}, secret]
  ]

  it.effect.each(places)("in %s is in no span, event, metric or log line", ([, tool, input, name = "tool"]) =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool })
      const exit = yield* Effect.exit(turn.settle(Testing.request(name, input)))
      assert.include(Exit.isSuccess(exit) ? JSON.stringify(exit.value) : Cause.pretty(exit.cause), secret)
      const text = yield* everything
      assert.notInclude(text, secret)
      assert.include(text, "haft.outcome")
    }).pipe(Effect.provide(Watched))
  )

  it.effect("in what a store fails with is in none either", () =>
    Effect.gen(function* () {
      const { before } = yield* Testing.Probe
      const error = new SettlementStore.StorageError({ operation: "begin", cause: leaky })
      yield* Ref.set(before, (operation) => (operation === "begin" ? Effect.fail(error) : Effect.void))
      const turn = yield* offering({ tool: executing(Effect.succeed("")) })
      assert.strictEqual(yield* Effect.flip(turn.settle(Testing.request("tool", {}))), error)
      assert.notInclude(yield* everything, secret)
    }).pipe(Effect.provide(Layer.provideMerge(Testing.layer, Watch.layer)))
  )

  it.effect("that a tool itself writes on its span is seen, so that the others would be", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.as(Effect.logInfo(secret), "")) })
      yield* turn.settle(Testing.request("tool", {}))
      assert.include(yield* everything, secret)
    }).pipe(Effect.provide(Watched))
  )
})
