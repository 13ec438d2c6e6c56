/**
 * Programs that must compile beside programs that must not. The compiler is the test: an `@ts-expect-error` that
 * expects nothing is itself an error.
 */
import { type Materialization, Permission, Tool, ToolContent, ToolFailure, Tools } from "@haft/core"
import type * as Runtime from "@haft/core/runtime"
import * as Testing from "@haft/core/testing"
import { Context, Effect, Schema, SchemaGetter, type Scope } from "effect"

class Database extends Context.Service<Database, { readonly name: Effect.Effect<string> }>()("types/Database") {}

class Path extends Schema.Class<Path>("types/Path")({ path: Schema.String }) {}

const NoInput = Schema.Struct({})

/** Decoding needs a service. */
const FromDatabase = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transformEffect(() => Effect.flatMap(Database, (database) => database.name)),
    encode: SchemaGetter.passthrough()
  })
)

/** Encoding needs a service. */
const ToDatabase = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.passthrough(),
    encode: SchemaGetter.transformEffect(() => Effect.flatMap(Database, (database) => database.name))
  })
)

// The executor sees decoded input; the projection sees decoded input and encoded output.
export const projected = Tool.make({
  description: "",
  input: Schema.Struct({ count: Schema.FiniteFromString, at: Schema.optionalKey(Schema.Date) }),
  output: Schema.Struct({ at: Schema.DateFromString }),
  execute: ({ at, count }) => Effect.succeed({ at: at ?? new Date(count) }),
  toModelOutput: ({ input, output }) => [ToolContent.text(output.at.toUpperCase() + input.count.toFixed())]
})

Tool.make({
  description: "",
  input: Schema.Struct({ count: Schema.FiniteFromString }),
  output: Schema.Struct({ at: Schema.DateFromString }),
  // @ts-expect-error the executor does not see encoded input
  execute: ({ count }) => Effect.succeed({ at: new Date(count.toUpperCase()) })
})

Tool.make({
  description: "",
  input: NoInput,
  output: Schema.Struct({ at: Schema.DateFromString }),
  execute: () => Effect.succeed({ at: new Date(0) }),
  // @ts-expect-error the projection does not see decoded output
  toModelOutput: ({ output }) => [ToolContent.text(String(output.at.getTime()))]
})

Tool.make({
  description: "",
  input: NoInput,
  output: Schema.String,
  execute: () => Effect.succeed(""),
  // @ts-expect-error a projection is not an effect
  toModelOutput: () => Effect.succeed([])
})

// Classes, tagged unions and defaults infer without annotations.
export const inferred: Tool.Any = Tool.make({
  description: "",
  input: Path,
  output: Schema.TaggedUnion({ Found: { size: Schema.Int }, Missing: {} }),
  execute: ({ path }) =>
    Effect.succeed(path === "" ? { _tag: "Missing" as const } : { _tag: "Found" as const, size: 1 })
})

export const defaulted: Tool.Any = Tool.make({
  description: "",
  input: Schema.Struct({ limit: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(10))) }),
  output: Schema.Int,
  execute: ({ limit }) => Effect.succeed(limit)
})

Tool.make({
  description: "",
  // @ts-expect-error decoding the input needs a service
  input: Schema.Struct({ name: FromDatabase }),
  output: Schema.String,
  execute: () => Effect.succeed("")
})

Tool.make({
  description: "",
  input: NoInput,
  // @ts-expect-error encoding the output needs a service
  output: ToDatabase,
  execute: () => Effect.succeed("")
})

Tool.make({
  description: "",
  input: NoInput,
  output: Schema.String,
  // @ts-expect-error the executor fails with something other than ToolFailure
  execute: () => Effect.fail("no")
})

Tool.make({
  description: "",
  input: NoInput,
  output: Schema.String,
  // @ts-expect-error the executor needs a service that was not captured at construction
  execute: () => Effect.flatMap(Database, (database) => database.name)
})

Tool.make({
  description: "",
  input: NoInput,
  output: Schema.Struct({ size: Schema.Int }),
  // @ts-expect-error the executor returns something other than the output
  execute: () => Effect.succeed({ size: "large" })
})

// @ts-expect-error a tool has no fields
export const { execute } = projected
// @ts-expect-error not even the description
export const { description } = projected

// Generics stop at registration, and a registration needs a Scope.
export const registered: Effect.Effect<void, Tool.RegistrationError, Tools.Service | Scope.Scope> = Effect.gen(
  function* () {
    const tools = yield* Tools.Service
    yield* tools.register({ projected, inferred })
    // @ts-expect-error only tools can be registered
    yield* tools.register({ other: { execute: () => Effect.void } })
    // @ts-expect-error the holder of the capability cannot list
    return tools.definitions
  }
)

// A failure has the fields of its kind and no others.
ToolFailure.timedOut({ message: "", boundBy: "idle", limitMs: 1 })
// @ts-expect-error the limit that ran out must be named
ToolFailure.timedOut({ message: "" })
// @ts-expect-error nobody repeats a refused call
ToolFailure.denied({ message: "", by: "user", retry: { runtime: true } })
// @ts-expect-error a message is for the model and is never left out
ToolFailure.unavailable({})

// A leaf translates exactly the errors that it lists.
export const leaf = Effect.gen(function* () {
  const permission = yield* Permission.Service
  return Tool.make({
    description: "",
    input: Path,
    output: Schema.String,
    execute: Effect.fn("Leaf.execute")(
      function* ({ path }, context) {
        yield* permission.assert({ action: "read", resources: [path], save: ["*"], metadata: {} }, context)
        return path
      },
      Effect.catchTags({ "Permission.DeniedError": ToolFailure.denied })
    )
  })
})

// A unit test knows the tool's own types.
export const tested: Effect.Effect<string, unknown> = Effect.map(Testing.call(projected, {}), ({ input, returned }) => {
  const count: number = input.count
  return returned.at.toISOString() + count
})

// The stages cannot be run out of order.
export const stages = (runtime: Runtime.Runtime) =>
  // @ts-expect-error arguments that nobody decoded
  runtime.execute({ count: 1 }, Testing.context)

// A turn settles to a settlement or an operational error; there is nothing to catch for interruption or defects.
export const settled = (turn: Materialization.Materialization, request: Materialization.Request) =>
  turn.settle(request).pipe(
    Effect.catchTags({
      InvalidOutput: () => Effect.void,
      "Materialization.CallAlreadyEnded": () => Effect.void,
      "Materialization.CallInProgress": () => Effect.void,
      "Materialization.SelfInterrupted": () => Effect.void,
      "OutputStore.StorageError": () => Effect.void,
      "SettlementStore.StorageError": () => Effect.void
    })
  ) satisfies Effect.Effect<unknown, never>

// A tool can lower how much of its arguments is repaired, and marks are checked where a schema is annotated.
Tool.make({
  description: "",
  input: Schema.Struct({ path: Schema.String.annotate({ aliases: ["file"], allowEmpty: true, sensitive: true }) }),
  output: Schema.Null,
  execute: () => Effect.succeed(null),
  repair: "contract"
})

Tool.make({
  description: "",
  input: NoInput,
  output: Schema.Null,
  execute: () => Effect.succeed(null),
  // @ts-expect-error a tool cannot ask for more than its host allows
  repair: "default"
})

// @ts-expect-error aliases are a list
Schema.String.annotate({ aliases: "file" })
// @ts-expect-error a mark is set or not
Schema.Array(Schema.String).annotate({ wrapSingle: "yes" })
