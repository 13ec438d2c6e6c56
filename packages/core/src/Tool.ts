/**
 * The one type of tool. A `Tool` is made from two codecs and an executor and can then be registered, annotated and
 * passed around, but not looked into or run: its holder needs no trust, and everything that runs it goes one way.
 */
import type * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Agent from "./Agent.ts"
import * as internal from "./internal/annotations.ts"
import { seal, unseal } from "./internal/carrier.ts"
import { importTool } from "./internal/importTool.ts"
import { Reason } from "./internal/refusal.ts"
import { fromOptions } from "./internal/fromOptions.ts"
import type { Level } from "./internal/repair/warning.ts"
import { annotated, makeSealed } from "./internal/sealed.ts"
import * as Session from "./Session.ts"
import * as ToolCall from "./ToolCall.ts"
import type { ToolContent } from "./ToolContent.ts"
import type { ToolFailure } from "./ToolFailure.ts"

/** A schema that needs no services in either direction. What it encodes to becomes JSON on its way to the model. */
export type Codec = Schema.Codec<any, any, never, never>

declare const TypeId: unique symbol

/** Has no fields at run time; its type parameters are for the compiler. */
export interface Tool<in out Input extends Codec, in out Output extends Codec> {
  readonly [TypeId]: { readonly input: Input; readonly output: Output }
}

/** Any tool, which is what a registration takes. */
export type Any = Tool<any, any>

/** Who is calling, exactly as the runner supplied it. */
export const Context = Schema.Struct({
  sessionID: Session.ID,
  agent: Agent.ID,
  assistantMessageID: Session.MessageID,
  toolCallID: ToolCall.ID
})
export type Context = typeof Context.Type

/** Declarations for catalogs, policies and clients. They describe a tool and never change how it executes. */
export const Annotations = internal.Annotations
export type Annotations = typeof Annotations.Type

/** One entry of a record could not be registered, and so none of it was. */
export class RegistrationError extends Schema.TaggedError<RegistrationError>()("Tool.RegistrationError", {
  name: Schema.String,
  reason: Reason,
  /** For the author: what is wrong and what to write instead. */
  message: Schema.String
}) {}

/** What a tool is made from. */
export interface Options<Input extends Codec, Output extends Codec> {
  /** For the model: what the tool does and when to use it. */
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly execute: (input: Input["Type"], context: Context) => Effect.Effect<Output["Type"], ToolFailure>
  /** Pure and total. Without it the encoded output is all there is, and an encoded string is also the text. */
  readonly toModelOutput?: (settled: {
    readonly input: Input["Type"]
    readonly output: Output["Encoded"]
  }) => ReadonlyArray<ToolContent>
  /** Lowers how much of its arguments is repaired, for a tool that loses more by a wrong reading than by a lost turn. */
  readonly repair?: Exclude<Level, "default">
}

/** Never throws: a tool that cannot be advertised says so when it is registered. */
export const make = <Input extends Codec, Output extends Codec>(options: Options<Input, Output>): Tool<Input, Output> =>
  seal(fromOptions(options, makeSealed))

/** What a tool known only by JSON Schema is made from. */
export interface JsonSchemaOptions {
  readonly description: string
  /** Draft 2020-12 or draft-07. It is advertised as it stands, and arguments are held to it. */
  readonly inputSchema: JsonSchema.JsonSchema
  /** Without one, any JSON is an output. */
  readonly outputSchema?: JsonSchema.JsonSchema
  /**
   * What to do with regular expressions in the schemas. They run in this process and can be made to run for ever, so
   * `apply` is for authors you trust and `ignore` for strangers. Without a choice a schema that has one is refused.
   */
  readonly patterns?: "apply" | "ignore"
  readonly execute: (input: Schema.JsonObject, context: Context) => Effect.Effect<Schema.Json, ToolFailure>
  readonly toModelOutput?: (settled: {
    readonly input: Schema.JsonObject
    readonly output: Schema.Json
  }) => ReadonlyArray<ToolContent>
  /** Lowers how much of its arguments is repaired. */
  readonly repair?: Exclude<Level, "default">
}

/** A tool known only by JSON Schema, of another process for instance. Schemas that cannot be honoured are refused. */
export const fromJsonSchema = (
  options: JsonSchemaOptions
): Tool<Schema.Codec<Schema.JsonObject>, Schema.Codec<Schema.Json>> => seal(fromOptions(options, importTool))

/** The same tool with more said about it: same codecs, same executor, later annotations win. */
export const annotate = <T extends Any>(tool: T, annotations: Annotations): T =>
  seal(Result.flatMap(unseal(tool), (sealed) => annotated(sealed, annotations)))
