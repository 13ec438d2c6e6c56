/**
 * Tools for authors who describe their data with zod, valibot, ArkType or anything else that follows Standard Schema and
 * can give a JSON Schema. The model is shown that JSON Schema; the author's own validator has the last word.
 */
import * as Tool from "./Tool.ts"
import type { ToolContent } from "./ToolContent.ts"
import * as ToolFailure from "./ToolFailure.ts"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import * as Sentences from "./internal/sentences.ts"

/** What a tool is made from. */
export interface Options<Input extends StandardSchemaV1, Output extends Schema.Json> {
  /** For the model: what the tool does and when to use it. */
  readonly description: string
  /** Its JSON Schema is asked of the schema itself, for what goes in: before defaults and transformations. */
  readonly input: Input
  /** For a library that does not give JSON Schema by itself. Arguments still pass the validator of `input`. */
  readonly inputSchema?: JsonSchema.JsonSchema
  /** What the executor returns, as JSON. Without one, any JSON is an output. */
  readonly output?: StandardSchemaV1<unknown, Output>
  /** Gets what the validator made of the arguments: with defaults filled in and transformations done. */
  readonly execute: (
    input: StandardSchemaV1.InferOutput<Input>,
    context: Tool.Context
  ) => Effect.Effect<Output, ToolFailure.ToolFailure>
  readonly toModelOutput?: (settled: { readonly output: Schema.Json }) => ReadonlyArray<ToolContent>
}

/**
 * Never throws, like `Tool.make`: what cannot be shown to a model is refused when it is registered. A validator may be
 * asynchronous; what it finds wrong is a failure that the model reads, and the executor does not run.
 */
export const make = <Input extends StandardSchemaV1, Output extends Schema.Json>(
  options: Options<Input, Output>
): Tool.Any => {
  const { input, output, toModelOutput } = options
  return Tool.fromJsonSchema({
    description: options.description,
    // Read where a failure becomes the reason for which the tool is refused.
    get inputSchema() {
      return options.inputSchema ?? jsonSchemaOf(input, "input")
    },
    get outputSchema() {
      return output === undefined ? {} : jsonSchemaOf(output, "output")
    },
    // The validator applies them itself.
    patterns: "ignore",
    execute: (json, context) => Effect.flatMap(validate(input, json), (value) => options.execute(value, context)),
    ...(toModelOutput === undefined ? {} : { toModelOutput })
  })
}

/** The extension of Standard Schema that gives JSON Schema. Libraries have it at run time before their types do. */
const jsonSchemaOf = (schema: StandardSchemaV1, side: "input" | "output"): JsonSchema.JsonSchema => {
  const standard = schema["~standard"]
  const converter = Predicate.hasProperty(standard, "jsonSchema") ? standard.jsonSchema : undefined
  const convert = Predicate.hasProperty(converter, side) ? converter[side] : undefined
  if (typeof convert !== "function") {
    throw new TypeError(`The schema, of ${standard.vendor}, gives no JSON Schema. Pass one as inputSchema.`)
  }
  return convert.call(converter, { target: "draft-2020-12" })
}

/** A validator that throws or rejects is broken: a defect, and nothing that a model could mend. */
const validate = <Input extends StandardSchemaV1>(
  schema: Input,
  json: Schema.JsonObject
): Effect.Effect<StandardSchemaV1.InferOutput<Input>, ToolFailure.ToolFailure> =>
  Effect.flatMap(
    Effect.promise(async () => schema["~standard"].validate(json)),
    (result) => (result.issues === undefined ? Effect.succeed(result.value) : Effect.fail(invalid(result.issues)))
  )

/** As many as a model can mend in one go. */
const maxIssues = 32

/** Of each message. A validator may quote what was sent, which can be of any length. */
const maxMessageLength = 200

const invalid = (issues: ReadonlyArray<StandardSchemaV1.Issue>): ToolFailure.ToolFailure => {
  const violations = issues.slice(0, maxIssues).map(({ message, path }) => ({
    path: shownPath(path ?? []),
    message: message.slice(0, maxMessageLength).toWellFormed()
  }))
  const lines = violations.map(({ message, path }) => (path === "" ? `- ${message}` : `- ${path}: ${message}`))
  return ToolFailure.invalidArguments({ message: Sentences.invalidArguments(lines), violations })
}

/** `a.b[2]`. */
const shownPath = (path: NonNullable<StandardSchemaV1.Issue["path"]>): string =>
  path
    .map((segment) => (typeof segment === "object" ? segment.key : segment))
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "")
