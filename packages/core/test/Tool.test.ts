import { assert, describe, it } from "@effect/vitest"
import { Tool, ToolContent, ToolFailure, ToolName } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import * as Testing from "@haft/core/testing"
import { Cause, Deferred, Effect, Exit, Fiber, Result, Schema, SchemaGetter } from "effect"
import { vi } from "vitest"

const NoInput = Schema.Struct({})

const toolOf = <Input extends Tool.Codec>(input: Input) =>
  Tool.make({ description: "Test", input, output: Schema.String, execute: () => Effect.succeed("done") })

const definitionOf = (tool: Tool.Any) => Result.getOrThrow(Runtime.open("tool", tool)).definition

const refusalOf = (tool: Tool.Any, name = "tool") => {
  const opened = Runtime.open(name, tool)
  assert(Result.isFailure(opened))
  return opened.failure
}

describe("a tool value", () => {
  it("is frozen and has nothing to read, not even a prototype", () => {
    const tool = toolOf(NoInput)
    assert.isTrue(Object.isFrozen(tool))
    assert.deepStrictEqual(Reflect.ownKeys(tool), [])
    assert.isNull(Object.getPrototypeOf(tool))
  })

  it("is refused when it is a spread, a clone, a proxy or an heir of one", () => {
    const tool = toolOf(NoInput)
    const copies = [{ ...tool }, structuredClone(tool), new Proxy(tool, {}), Object.create(tool)]
    for (const copy of copies) assert.strictEqual(refusalOf(copy).reason, "CopiedTool")
    assert.isTrue(Result.isSuccess(Runtime.open("tool", tool)))
  })

  it("is refused when it is something else altogether", () => {
    const values = [null, undefined, "tool", 1, [], () => {}, { execute: () => Effect.void }, new Map()]
    // @ts-expect-error none of these is a tool, and a JavaScript caller can still pass them
    for (const value of values) assert.strictEqual(refusalOf(value).reason, "NotATool")
  })

  it("is recognised and refused when another copy of the package made it", async () => {
    vi.resetModules()
    const copy = await import("@haft/core")
    assert.notStrictEqual(copy.Tool.make, Tool.make)
    const foreign: Tool.Any = copy.Tool.make({
      description: "Foreign",
      input: NoInput,
      output: Schema.String,
      execute: () => Effect.succeed("")
    })
    assert.deepStrictEqual(refusalOf(foreign).reason, "ForeignTool")
  })
})

describe("the definition", () => {
  it("describes the JSON that is decoded and encoded, with unknown keys forbidden", () => {
    const tool = Tool.make({
      description: "Search",
      input: Schema.Struct({
        query: Schema.String.annotate({ description: "What to look for" }),
        since: Schema.optionalKey(Schema.Date),
        limit: Schema.optional(Schema.Int)
      }),
      output: Schema.Struct({ found: Schema.Array(Schema.String) }),
      execute: () => Effect.succeed({ found: [] })
    })
    assert.deepStrictEqual(definitionOf(tool), {
      name: ToolName.ToolName.make("tool"),
      description: "Search",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "What to look for" },
          since: { type: "string" },
          limit: {
            anyOf: [
              { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
              { type: "null" }
            ]
          }
        },
        required: ["query"],
        additionalProperties: false
      },
      outputSchema: {
        type: "object",
        properties: { found: { type: "array", items: { type: "string" } } },
        required: ["found"],
        additionalProperties: false
      },
      annotations: {}
    })
  })

  it("has an object at the root for a class, a union of objects and a recursive schema", () => {
    class Input extends Schema.Class<Input>("test/Input")({ path: Schema.String }) {}
    const Either = Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })])
    assert.strictEqual(definitionOf(toolOf(Input)).inputSchema["type"], "object")
    assert.strictEqual(definitionOf(toolOf(Either)).inputSchema["type"], "object")
    assert.hasAllKeys(definitionOf(toolOf(Tree)).inputSchema, [
      "type",
      "properties",
      "required",
      "additionalProperties",
      "$defs"
    ])
  })

  it("carries the author's descriptions, also of dates, of keys and of what is in a list", () => {
    const Entry = Schema.Struct({ at: Schema.Date.annotate({ description: "When" }) })
    const Input = Schema.Struct({
      on: Schema.Date.annotate({ description: "The day" }),
      name: Schema.String.pipe(Schema.annotateKey({ description: "A key" })),
      both: Schema.String.annotate({ description: "The value" }).pipe(Schema.annotateKey({ description: "The key" })),
      entries: Schema.Array(Entry),
      size: Schema.FiniteFromString.annotate({ description: "In bytes" }).check(Schema.isGreaterThan(0))
    })
    const { properties } = definitionOf(toolOf(Input)).inputSchema
    assert.deepNestedInclude(properties, {
      "on.description": "The day",
      name: { type: "string", description: "A key" },
      both: { type: "string", description: "The value" },
      "entries.items.properties.at.description": "When",
      "size.description": "In bytes"
    })
  })

  it("of a tool without arguments admits the empty object and nothing else", () => {
    assert.deepStrictEqual(definitionOf(toolOf(NoInput)).inputSchema, { type: "object", additionalProperties: false })
  })

  it("is frozen to the bottom", () => {
    const { inputSchema } = definitionOf(toolOf(Schema.Struct({ a: Schema.String })))
    assert.isFrozen(inputSchema)
    assert.isFrozen(inputSchema["properties"])
  })
})

interface Tree {
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

const Endless: Schema.Codec<unknown> = Schema.suspend(() => Endless)

describe("a tool that cannot be advertised", () => {
  const refused: ReadonlyArray<readonly [string, Tool.Codec, Tool.RegistrationError["reason"], string]> = [
    [
      "a string as input",
      Schema.String,
      "InputNotObject",
      "The input's JSON Schema is not an object at its root. Use Schema.Struct, a class or a union of these."
    ],
    [
      "a list as input",
      Schema.Array(Schema.String),
      "InputNotObject",
      "The input's JSON Schema is not an object at its root. Use Schema.Struct, a class or a union of these."
    ],
    [
      "an object or a string as input",
      Schema.Union([Schema.Struct({ a: Schema.String }), Schema.String]),
      "InputNotObject",
      "The input's JSON Schema is not an object at its root. Use Schema.Struct, a class or a union of these."
    ],
    [
      "Schema.Number, however deep",
      Schema.Struct({ a: Schema.Array(Schema.Struct({ b: Schema.Number })) }),
      "UnsafeNumber",
      'Schema.Number at a[0].b admits the texts "NaN" and "Infinity". Use Schema.Finite or Schema.Int.'
    ],
    [
      "a value that has no JSON form",
      Schema.Struct({ map: Schema.instanceOf(Map) }),
      "NotJson",
      "The schema at map has no JSON form. Use one that encodes to JSON, or annotate it with toCodecJson."
    ],
    [
      "a schema that is nothing but itself",
      Schema.Struct({ a: Endless }),
      "EndlessSchema",
      "The schema refers to itself without an object or a list in between, so no value could ever be checked."
    ],
    [
      "a required key that nothing fits",
      Schema.Struct({ a: Schema.Never }),
      "UnsupportedSchema",
      "No value could ever fit the schema at a. Is a required key not among the declared ones?"
    ]
  ]

  it.each(refused)("is refused with the reason: %s", (_title, input, reason, message) => {
    const error = refusalOf(toolOf(input))
    assert.deepStrictEqual([error.name, error.reason, error.message], ["tool", reason, message])
  })

  it("is refused for its output, too", () => {
    const tool = Tool.make({
      description: "",
      input: NoInput,
      output: Schema.Struct({ ratio: Schema.Number }),
      execute: () => Effect.succeed({ ratio: 0.5 })
    })
    assert.strictEqual(refusalOf(tool).reason, "UnsafeNumber")
  })

  it("keeps its refusal when it is annotated", () => {
    assert.strictEqual(refusalOf(Tool.annotate(toolOf(Schema.String), { risk: "low" })).reason, "InputNotObject")
  })
})

describe("a tool made without a compiler", () => {
  const good = {
    description: "",
    input: NoInput,
    output: Schema.String,
    execute: () => Effect.succeed("done")
  }
  const throwing = Object.defineProperty({ ...good }, "input", {
    get: () => {
      throw new Error("no input yet")
    }
  })
  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ["no options", undefined, "they are no object"],
    ["null", null, "they are no object"],
    ["no description", { ...good, description: undefined }, "description must be text"],
    ["a number as description", { ...good, description: 5 }, "description must be text"],
    [
      "a description that no model would read",
      { ...good, description: "x".repeat(1_048_576) },
      "description is longer than 16384 characters"
    ],
    ["no executor", { ...good, execute: undefined }, "execute must be a function"],
    ["a number as projection", { ...good, toModelOutput: 5 }, "toModelOutput must be a function"],
    ["no input", { ...good, input: undefined }, "input must be a schema"],
    ["an object as output", { ...good, output: {} }, "output must be a schema"],
    ["options that throw", throwing, "no input yet"]
  ]
  const makers: ReadonlyArray<(options: unknown) => Tool.Any> = [
    // @ts-expect-error this is what the compiler would have refused
    (options) => Tool.make(options),
    // @ts-expect-error likewise
    (options) => Tool.fromJsonSchema(options)
  ]

  it.each(cases)("does not throw, and is refused with the reason: %s", (_title, options, reason) => {
    for (const make of makers) {
      const error = refusalOf(make(options))
      if (options === throwing && make === makers[1]) continue
      assert.deepStrictEqual(
        [error.reason, error.message],
        ["InvalidOptions", `The tool was made from options that are not valid: ${reason}`]
      )
    }
  })

  it.effect("may be an instance of a class, whose methods keep their object", () =>
    Effect.gen(function* () {
      class Greeter {
        readonly description = "Greet"
        readonly input = NoInput
        readonly output = Schema.String
        readonly greeting = "hello"
        execute() {
          return Effect.succeed(this.greeting)
        }
        toModelOutput() {
          return [ToolContent.text(this.greeting)]
        }
      }
      const { output } = yield* Testing.call(Tool.make(new Greeter()), {})
      assert.deepStrictEqual(output, { structured: "hello", content: [ToolContent.text("hello")] })
    })
  )
})

describe("annotate", () => {
  it("gives a new tool with the same executor, and leaves the old one as it was", () => {
    const plain = toolOf(NoInput)
    const annotated = Tool.annotate(plain, { title: "Test", determinism: "pure" })
    assert.deepStrictEqual(definitionOf(Tool.annotate(annotated, { risk: "low", title: "Later" })).annotations, {
      title: "Later",
      determinism: "pure",
      risk: "low"
    })
    assert.deepStrictEqual(definitionOf(plain).annotations, {})
    const limited = Tool.annotate(plain, { limits: { timeoutMs: 5 } })
    assert.isFrozen(definitionOf(limited).annotations.limits)
    assert.notStrictEqual(annotated, plain)
  })

  it("refuses what is no annotation at registration", () => {
    // @ts-expect-error a JavaScript caller can still pass it
    const error = refusalOf(Tool.annotate(toolOf(NoInput), { risk: "extreme", colour: "red" }))
    assert.strictEqual(error.reason, "InvalidAnnotations")
    assert.include(error.message, '["risk"]')
    assert.include(error.message, '["colour"]')
  })
})

describe("the stages", () => {
  const at = new Date("2026-01-02T03:04:05.678Z")
  const Dated = Tool.make({
    description: "Echo a date",
    input: Schema.Struct({ at: Schema.Date }),
    output: Schema.Struct({ at: Schema.Date }),
    execute: ({ at }) => Effect.succeed({ at }),
    toModelOutput: ({ input, output }) => [
      ToolContent.text(`${input.at.getUTCFullYear()} ${output.at instanceof Date ? "date" : "text"}`)
    ]
  })

  it.effect("decode JSON, execute with values, project what the output schema encodes to, and keep JSON", () =>
    Effect.gen(function* () {
      const called = yield* Testing.call(Dated, { at: at.toISOString() })
      assert.deepStrictEqual(called.input, { at })
      assert.deepStrictEqual(called.returned, { at })
      assert.deepStrictEqual(called.output, {
        structured: { at: at.toISOString() },
        content: [ToolContent.text("2026 date")]
      })
    })
  )

  it.effect("show an encoded string as text, and nothing else, without a projection", () =>
    Effect.gen(function* () {
      const text = yield* Testing.call(toolOf(NoInput), {})
      assert.deepStrictEqual(text.output, { structured: "done", content: [ToolContent.text("done")] })
      const object = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.Struct({ size: Schema.Int }),
        execute: () => Effect.succeed({ size: 1 })
      })
      assert.deepStrictEqual((yield* Testing.call(object, {})).output, { structured: { size: 1 }, content: [] })
    })
  )

  it.effect("refuse what the output schema does not name, so that nothing leaves or is lost by accident", () =>
    Effect.gen(function* () {
      const row = { name: "a", password: "secret" }
      const tool = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.Struct({ name: Schema.String }),
        execute: () => Effect.succeed(row)
      })
      const error = yield* Effect.flip(Testing.call(tool, {}))
      assert(error._tag === "InvalidOutput")
      assert.deepStrictEqual(error.violations, [
        { path: "password", code: "unknown_key", expected: "one of the keys name", received: "string" }
      ])
    })
  )

  it.effect("end an output that does not encode as InvalidOutput, without quoting it", () =>
    Effect.gen(function* () {
      const tool = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.Struct({ age: Schema.Int, name: Schema.NonEmptyString }),
        execute: () => Effect.succeed({ age: 41.5, name: "" })
      })
      const error = yield* Effect.flip(Testing.call(tool, {}))
      assert(error._tag === "InvalidOutput")
      assert.deepStrictEqual(
        error.violations.map(({ code, path }) => [path, code]),
        [
          ["age", "type:integer"],
          ["name", "check"]
        ]
      )
      assert.notInclude(error.message, "41.5")
    })
  )

  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const unfit: ReadonlyArray<readonly [string, Tool.Codec, unknown, string]> = [
    ["a symbol", Schema.Any, Symbol("x"), "not_json"],
    ["a value that holds itself", Schema.Any, cyclic, "too_deep"],
    ["a function inside", Schema.Struct({ a: Schema.Any }), { a: () => {} }, "not_json"],
    ["a bigint for an empty struct", Schema.Struct({}), 5n, "not_json"],
    ["100,000 levels", Schema.Json, JSON.parse("[".repeat(100_000) + "]".repeat(100_000)), "too_deep"]
  ]
  it.effect.each(unfit)("end an output that JSON cannot carry as InvalidOutput: %s", ([, output, value, code]) =>
    Effect.gen(function* () {
      const tool = Tool.make({ description: "", input: NoInput, output, execute: () => Effect.succeed(value) })
      const error = yield* Effect.flip(Testing.call(tool, {}))
      assert(error._tag === "InvalidOutput")
      assert.deepStrictEqual(
        error.violations.map(({ code, path }) => [path, code]),
        [["", code]]
      )
    })
  )

  it.effect("let an output of any size and of 500 levels through", () =>
    Effect.gen(function* () {
      const value = [JSON.parse("[".repeat(500) + "]".repeat(500)), "x".repeat(20_000_000)]
      const tool = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.Json,
        execute: () => Effect.succeed(value)
      })
      assert.strictEqual(JSON.stringify((yield* Testing.call(tool, {})).output.structured), JSON.stringify(value))
    })
  )

  it.effect("leave a projection that returns something else than content a defect", () =>
    Effect.gen(function* () {
      for (const content of ["abc", [1], null, [{ _tag: "Text" }], Promise.resolve([])]) {
        const tool = Tool.make({
          description: "",
          input: NoInput,
          output: Schema.String,
          execute: () => Effect.succeed(""),
          // @ts-expect-error a JavaScript author can still return it
          toModelOutput: () => content
        })
        const exit = yield* Effect.exit(Testing.call(tool, {}))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
    })
  )

  it.effect("give a failure back as it was made", () =>
    Effect.gen(function* () {
      const failure = ToolFailure.notFound({ message: "No such file", resource: "a", candidates: ["b"] })
      const tool = Tool.make({ description: "", input: NoInput, output: Schema.String, execute: () => failure })
      assert.strictEqual(yield* Effect.flip(Testing.call(tool, {})), failure)
    })
  )

  it.effect("leave a synchronous throw of the executor a defect", () =>
    Effect.gen(function* () {
      const bug = new Error("bug")
      const tool = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.String,
        execute: () => {
          throw bug
        }
      })
      assert.deepStrictEqual(yield* Effect.exit(Testing.call(tool, {})), Exit.die(bug))
    })
  )

  it.effect("leave a throw of the projection a defect, after the executor has run", () =>
    Effect.gen(function* () {
      const bug = new Error("bug")
      let runs = 0
      const tool = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.String,
        execute: () => Effect.sync(() => `run ${++runs}`),
        toModelOutput: () => {
          throw bug
        }
      })
      assert.deepStrictEqual(yield* Effect.exit(Testing.call(tool, {})), Exit.die(bug))
      assert.strictEqual(runs, 1)
    })
  )

  it.effect("leave interruption interruption, and run the executor's finalizers", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const tool = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.String,
        execute: () =>
          Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.ensuring(Deferred.succeed(released, undefined))
          )
      })
      const fiber = yield* Effect.forkChild(Testing.call(tool, {}))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(yield* Deferred.isDone(released))
    })
  )

  it.effect("run a codec that is asynchronous", () =>
    Effect.gen(function* () {
      const Slow = Schema.String.pipe(
        Schema.decodeTo(Schema.String, {
          decode: SchemaGetter.transformEffect((text) => Effect.as(Effect.yieldNow, text.toUpperCase())),
          encode: SchemaGetter.transformEffect((text) => Effect.as(Effect.yieldNow, text.toLowerCase()))
        })
      )
      const tool = Tool.make({
        description: "",
        input: Schema.Struct({ text: Slow }),
        output: Slow,
        execute: ({ text }) => Effect.succeed(text)
      })
      const called = yield* Testing.call(tool, { text: "a" })
      assert.deepStrictEqual([called.input, called.output.structured], [{ text: "A" }, "a"])
    })
  )
})
