/** The inside of one tool: what the codecs, the executor and the projection given to `Tool.make` become. */
import type * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { InvalidInput } from "../InvalidInput.ts"
import type { InvalidOutput } from "../InvalidOutput.ts"
import type * as Tool from "../Tool.ts"
import { text, ToolContent } from "../ToolContent.ts"
import type { ToolFailure } from "../ToolFailure.ts"
import type { ToolOutput } from "../ToolOutput.ts"
import { inputSchemaOf, outputSchemaOf } from "./advertise.ts"
import { Annotations } from "./annotations.ts"
import type { Arrived } from "./arrival.ts"
import { makeDecoding } from "./decoding.ts"
import { deepFreeze } from "./deepFreeze.ts"
import { makeEncode } from "./encoding.ts"
import { closed } from "./repair/plan.ts"
import type { Repaired } from "./repair/repairArguments.ts"
import type { Level } from "./repair/warning.ts"
import type { Refusal } from "./refusal.ts"
import * as Sentences from "./registrationSentences.ts"

declare const Stage: unique symbol

/** Arguments that the input codec accepted. */
export interface Decoded {
  readonly [Stage]: "Decoded"
}

/** What the executor returned, not yet held against the output codec. */
export interface Returned {
  readonly [Stage]: "Returned"
}

/** `json` travels and is stored; `encoded` is what the author's projection was typed against. */
export interface Encoded {
  readonly json: Schema.Json
  readonly encoded: unknown
}

/** Input that was made of arguments which had to be repaired. */
export interface Mended {
  readonly input: Decoded
  readonly repaired: Repaired
}

export interface Sealed {
  readonly description: string
  readonly annotations: Tool.Annotations
  readonly inputSchema: JsonSchema.JsonSchema
  readonly outputSchema: JsonSchema.JsonSchema
  /** Of arguments that are valid as they were sent. Others fail without a reason: `repair` finds it. */
  readonly decode: (arrived: Arrived, level: Level) => Effect.Effect<Decoded, void>
  readonly repair: (arrived: Arrived, name: string, level: Level) => Effect.Effect<Mended, InvalidInput>
  readonly execute: (input: Decoded, context: Tool.Context) => Effect.Effect<Returned, ToolFailure>
  readonly encode: (output: Returned) => Effect.Effect<Encoded, InvalidOutput>
  readonly project: (input: Decoded, output: Encoded) => ToolOutput
}

/** `Tool.Options` of any tool, with the types of its codecs forgotten. */
export interface Options {
  readonly description: string
  readonly input: Tool.Codec
  readonly output: Tool.Codec
  readonly execute: (input: Tool.Codec["Type"], context: Tool.Context) => Effect.Effect<Tool.Codec["Type"], ToolFailure>
  readonly toModelOutput?: Projection | undefined
  readonly repair?: Level | undefined
}

type Projection = (settled: {
  readonly input: Tool.Codec["Type"]
  readonly output: Tool.Codec["Encoded"]
}) => ToolOutput["content"]

/** What cannot be advertised is refused here. What only calls need is built with the first of them. */
export const makeSealed = (options: Options): Result.Result<Sealed, Refusal> => {
  const input = closed(options.input)
  const inputSchema = inputSchemaOf(input)
  if (Result.isFailure(inputSchema)) return Result.fail(inputSchema.failure)
  const { output } = options
  const outputSchema = outputSchemaOf(output)
  if (Result.isFailure(outputSchema)) return Result.fail(outputSchema.failure)
  const schemas = { inputSchema: inputSchema.success, outputSchema: outputSchema.success }
  return Result.succeed(sealWith(options, { input, output, ...schemas }))
}

/** The codecs of a tool and what is advertised for them. */
type Sides = Pick<Options, "input" | "output"> & Pick<Sealed, "inputSchema" | "outputSchema">

/** Takes what is advertised as given: a tool known only by JSON Schema shows the document itself. */
export const sealWith = (
  options: Pick<Options, "description" | "execute" | "repair" | "toModelOutput">,
  { input, inputSchema, output, outputSchema }: Sides
): Sealed => {
  const { decode, repair } = makeDecoding(input, options.repair ?? "default")
  return {
    inputSchema: deepFreeze(inputSchema),
    outputSchema: deepFreeze(outputSchema),
    description: options.description,
    annotations: {},
    decode,
    repair,
    execute: options.execute.bind(options),
    encode: makeEncode(output),
    project: makeProject(options.toModelOutput?.bind(options))
  }
}

const makeProject =
  (toModelOutput: Options["toModelOutput"]): Sealed["project"] =>
  (input, { encoded, json }) => ({
    structured: json,
    content:
      toModelOutput === undefined ? defaultContent(json) : checkedContent(toModelOutput({ input, output: encoded }))
  })

const defaultContent = (json: Schema.Json): ToolOutput["content"] => (typeof json === "string" ? [text(json)] : [])

const isContent = Schema.is(Schema.Array(ToolContent))

/** Authors without a compiler can return anything. It is a bug, so it must not become something that a model reads. */
const checkedContent = (content: ToolOutput["content"]): ToolOutput["content"] => {
  if (!isContent(content)) throw new TypeError("toModelOutput must return a list of ToolContent parts")
  return content
}

const decodeAnnotations = Schema.decodeUnknownResult(Annotations, {
  errors: "all",
  onExcessProperty: "error"
})

export const annotated = (sealed: Sealed, annotations: Tool.Annotations): Result.Result<Sealed, Refusal> =>
  Result.mapBoth(decodeAnnotations(annotations), {
    onFailure: ({ message }) => Sentences.invalidAnnotations(message),
    onSuccess: (checked) => ({ ...sealed, annotations: deepFreeze({ ...sealed.annotations, ...checked }) })
  })
