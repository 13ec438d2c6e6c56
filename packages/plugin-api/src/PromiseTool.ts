/**
 * A tool for authors who write promises: a plain object with a description, a schema of zod, valibot or any other Standard
 * Schema, or a JSON Schema, and an asynchronous function. It becomes a tool like any other.
 */
import * as Progress from "@haft/core/Progress"
import * as StandardSchemaTool from "@haft/core/StandardSchemaTool"
import * as Tool from "@haft/core/Tool"
import type { ToolContent } from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { StandardSchemaV1 } from "effect/StandardSchema"

/** How the arguments are described. */
export type InputSchema = StandardSchemaV1 | JsonSchema.JsonSchema

/** What the function gets: what the validator made of the arguments, or an object that fits the JSON Schema. */
export type Value<Input extends InputSchema> = Input extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Input>
  : Schema.JsonObject

/** What surrounds one call. */
export interface Call {
  /** Aborted when the call is cancelled or runs out of time. Pass it on to whatever takes one. */
  readonly signal: AbortSignal
  /** Tells whoever watches how far it is. */
  readonly progress: (update: Progress.Update) => void
  readonly context: Tool.Context
}

/** What a tool is made from. */
export interface Options<Input extends InputSchema> {
  /** For the model: what the tool does and when to use it. */
  readonly description: string
  readonly input: Input
  /** What the function returns, described in the same language as `input`. Without one, any JSON is an output. */
  readonly output?: Input extends StandardSchemaV1 ? StandardSchemaV1<unknown, Schema.Json> : JsonSchema.JsonSchema
  /**
   * Returns JSON, or nothing. To tell the model what went wrong, throw what a constructor of `ToolFailure` makes, such as
   * `ToolFailure.notFound({ message })`. Anything else that is thrown is a bug, which no model sees.
   */
  readonly execute: (input: Value<Input>, call: Call) => Promise<Schema.Json | void> | Schema.Json | void
  readonly toModelOutput?: (settled: { readonly output: Schema.Json }) => ReadonlyArray<ToolContent>
  readonly annotations?: Tool.Annotations
}

/** Never throws, like `Tool.make`: what cannot be shown to a model is refused when it is registered. */
export const make = <Input extends InputSchema>(options: Options<Input>): Tool.Any => {
  if (!isWhole(options)) return refused(options)
  const tool = toTool(options)
  return options.annotations === undefined ? tool : Tool.annotate(tool, options.annotations)
}

/** Authors may have no compiler. What is missing is told when the tool is registered. */
const isWhole = <Input extends InputSchema>(options: Options<Input>): boolean =>
  Predicate.isObject(options) && typeof options.execute === "function"

const refused = (options: unknown): Tool.Any => Tool.fromJsonSchema(options as Tool.JsonSchemaOptions)

const toTool = <Input extends InputSchema>(options: Options<Input>): Tool.Any => {
  const { description, toModelOutput } = options
  const { input, output }: Schemas = options
  const execute = executorOf(options)
  const shared = { description, execute, ...(toModelOutput === undefined ? {} : { toModelOutput }) }
  if (isStandard(input)) {
    return StandardSchemaTool.make({ ...shared, input, ...(isStandard(output) ? { output } : {}) })
  }
  return Tool.fromJsonSchema({
    ...shared,
    inputSchema: input,
    // Plugins are code that their host trusts, so it trusts their patterns, too.
    patterns: "apply",
    ...(output === undefined || isStandard(output) ? {} : { outputSchema: output })
  })
}

/** As they come at run time. The types see to it that both are in one language. */
interface Schemas {
  readonly input: InputSchema
  readonly output?: StandardSchemaV1<unknown, Schema.Json> | JsonSchema.JsonSchema
}

const isStandard = <S extends StandardSchemaV1>(schema: S | JsonSchema.JsonSchema | undefined): schema is S =>
  Predicate.hasProperty(schema, "~standard")

/** The function as an effect: cancelled by its signal, failing with what it threw if that is meant for a model. */
const executorOf = <Input extends InputSchema>({ execute }: Options<Input>) =>
  Effect.fnUntraced(function* (input: unknown, context: Tool.Context) {
    const surroundings = yield* Effect.context()
    const { report } = yield* Progress.Service
    const progress = (update: Progress.Update) => void Effect.runForkWith(surroundings)(report(update))
    return yield* Effect.tryPromise({
      // The schema has decoded it, so it is what the schema describes.
      try: async (signal) => (await execute(input as Value<Input>, { signal, progress, context })) ?? null,
      catch: (thrown) => thrown
    }).pipe(Effect.catch((thrown) => (isToolFailure(thrown) ? Effect.fail(thrown) : Effect.die(thrown))))
  })

const isToolFailure = (thrown: unknown): thrown is ToolFailure.ToolFailure => thrown instanceof ToolFailure.ToolFailure
