/** The inside of one tool: what the codecs, the executor and the projection given to `Tool.make` become. */
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import type { InvalidInput } from "../InvalidInput.ts"
import type { InvalidOutput } from "../InvalidOutput.ts"
import * as JsonGuard from "../JsonGuard.ts"
import type * as Tool from "../Tool.ts"
import { text } from "../ToolContent.ts"
import type { ToolFailure } from "../ToolFailure.ts"
import type { ToolOutput } from "../ToolOutput.ts"
import { advertiseInput, advertiseOutput, documentOf } from "./advertise.ts"
import { Annotations } from "./annotations.ts"
import { isTooCostly } from "./decodeCost.ts"
import { deepFreeze } from "./deepFreeze.ts"
import type { Refusal } from "./refusal.ts"
import * as Sentences from "./sentences.ts"
import * as Violations from "./violations.ts"

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

export interface Sealed {
  readonly description: string
  readonly annotations: Tool.Annotations
  readonly inputSchema: JsonSchema.JsonSchema
  readonly outputSchema: JsonSchema.JsonSchema
  readonly decode: (input: unknown) => Effect.Effect<Decoded, InvalidInput>
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
  readonly toModelOutput?: (settled: {
    readonly input: Tool.Codec["Type"]
    readonly output: Tool.Codec["Encoded"]
  }) => ToolOutput["content"]
}

/** What can be built once is built here, and what cannot be advertised is refused here. */
export const makeSealed = (options: Options): Result.Result<Sealed, Refusal> =>
  Result.gen(function* () {
    const input = closed(options.input)
    const inputSchema = yield* advertiseInput(yield* documentOf(input))
    const outputSchema = yield* advertiseOutput(yield* documentOf(options.output))
    return yield* sealWith({ ...options, input }, { inputSchema, outputSchema })
  })

/** Takes what is advertised as given: a tool known only by JSON Schema shows the document itself. */
export const sealWith = (
  options: Options,
  schemas: Pick<Sealed, "inputSchema" | "outputSchema">
): Result.Result<Sealed, Refusal> => {
  const codec = Schema.toCodecJson(options.input)
  if (isTooCostly(codec.ast)) return Result.fail(Sentences.ambiguousSchema)
  return Result.succeed({
    inputSchema: deepFreeze(schemas.inputSchema),
    outputSchema: deepFreeze(schemas.outputSchema),
    description: options.description,
    annotations: {},
    decode: makeDecode(codec),
    execute: (input, context) => Effect.suspend(() => options.execute(input, context)),
    encode: makeEncode(options.output),
    project: makeProject(options.toModelOutput)
  })
}

/** `Schema.Struct({})` takes anything but null. At the root its author means: no arguments. */
const closed = (input: Tool.Codec): Tool.Codec => {
  const { ast } = input
  const isEmptyStruct =
    SchemaAST.isObjects(ast) && ast.propertySignatures.length + ast.indexSignatures.length === 0 && !ast.encoding
  return isEmptyStruct ? Schema.Record(Schema.String, Schema.Never) : input
}

/** Dropping unknown keys would also make the first alternative of a union take what was meant for another. */
const strict = { errors: "all", onExcessProperty: "error" } as const

const makeDecode = (codec: Tool.Codec): Sealed["decode"] => {
  const parse = SchemaParser.decodeUnknownEffect(codec, strict)
  return (raw) =>
    Effect.suspend(() => {
      if (raw === undefined) return Effect.fail(Violations.notObject(raw))
      const guarded = JsonGuard.guard(raw)
      if (Result.isFailure(guarded)) return Effect.fail(Violations.ofRefusal(guarded.failure))
      const value = guarded.success
      if (!isObject(value)) return Effect.fail(Violations.notObject(value))
      return Effect.mapErrorEager(parse(value), (issue) => Violations.ofInput(issue, value))
    })
}

const isObject = (value: Schema.Json): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

/** `toCodecJson` gives back the same AST when a schema encodes to JSON already; only then is one encoding enough. */
const makeEncode = (output: Tool.Codec): Sealed["encode"] => {
  const codec = Schema.toCodecJson(output)
  const encodeJson = encodeWith(codec)
  if (codec.ast === output.ast) {
    return (value) => Effect.mapEager(encodeJson(value), (json) => ({ json, encoded: json }))
  }
  const encode = encodeWith(output)
  return (value) => Effect.all({ json: encodeJson(value), encoded: encode(value) })
}

const encodeWith = <S extends Tool.Codec>(codec: S) => {
  const parse = SchemaParser.encodeUnknownEffect(codec, strict)
  return (value: Returned): Effect.Effect<S["Encoded"], InvalidOutput> =>
    Effect.suspend(() => Effect.mapErrorEager(parse(value), (issue) => Violations.ofOutput(issue, value)))
}

const makeProject =
  (toModelOutput: Options["toModelOutput"]): Sealed["project"] =>
  (input, { encoded, json }) => ({
    structured: json,
    content: toModelOutput?.({ input, output: encoded }) ?? (typeof json === "string" ? [text(json)] : [])
  })

const decodeAnnotations = Schema.decodeUnknownResult(Annotations, strict)

export const annotated = (sealed: Sealed, annotations: Tool.Annotations): Result.Result<Sealed, Refusal> =>
  Result.mapBoth(decodeAnnotations(annotations), {
    onFailure: ({ message }) => Sentences.invalidAnnotations(message),
    onSuccess: (checked) => ({ ...sealed, annotations: Object.freeze({ ...sealed.annotations, ...checked }) })
  })
