/** Mounts a tool that was written for `effect/ai`, so that it is registered, offered and settled like any other. */
import * as Progress from "@haft/core/Progress"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import type * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The tool asks for approval before it runs. Mounted, it would run without. */
export class NeedsApprovalError extends Schema.TaggedError<NeedsApprovalError>()("EffectAiTool.NeedsApprovalError", {
  tool: Schema.String,
  /** For the author: what to do instead. */
  message: Schema.String
}) {}

/** What a tool of `effect/ai` needs to have for its codecs to be ours. */
export interface Config {
  readonly parameters: Tool.Codec
  readonly success: Tool.Codec
  readonly failure: Tool.Codec
  readonly failureMode: AiTool.FailureMode
}

/** What a handler is given: its own context in `effect/ai`, and who is calling. */
export interface HandlerContext<C extends Config> extends Tool.Context {
  readonly toolCallId: string
  /** A mounted tool has one result. Anything before it is reported as progress, without its content. */
  readonly preliminary: Toolkit.HandlerContext<AiTool.Tool<string, C>>["preliminary"]
}

/** A handler as it was written for a toolkit. */
export type Handler<C extends Config, R> = (
  parameters: C["parameters"]["Type"],
  context: HandlerContext<C>
) => Effect.Effect<C["success"]["Type"], C["failure"]["Type"], R>

/**
 * The tool with its handler. Services are captured here, declared failures become `ToolFailure`, and a tool known only by
 * JSON Schema stays one.
 */
export const make = Effect.fnUntraced(function* <Name extends string, C extends Config, R>(
  tool: AiTool.Tool<Name, C, R>,
  handler: Handler<C, R>
): Effect.fn.Return<Tool.Any, NeedsApprovalError, R> {
  if (tool.needsApproval !== undefined && tool.needsApproval !== false) return yield* needsApproval(tool.name)
  const services = yield* Effect.context<R>()
  const encodeFailure = Schema.encodeUnknownEffect(Schema.toCodecJson(tool.failureSchema))
  const execute = (parameters: C["parameters"]["Type"], context: Tool.Context) =>
    handler(parameters, { ...context, toolCallId: context.toolCallID, preliminary: reportProgress }).pipe(
      Effect.provideContext(services),
      // A failure that does not fit the tool's own failure schema is a bug in the handler.
      Effect.catch((failure) => Effect.flatMap(Effect.orDie(encodeFailure(failure)), failWith))
    )
  return Tool.annotate(mount(tool, execute), annotationsOf(tool))
})

const needsApproval = (tool: string) =>
  new NeedsApprovalError({
    tool,
    message:
      "A mounted tool runs when it is called. Ask for permission in its handler and mount it with setNeedsApproval(false)."
  })

const reportProgress = () => Effect.flatMap(Progress.Service, (progress) => progress.report({}))

type Execute<C extends Config> = (
  parameters: C["parameters"]["Type"],
  context: Tool.Context
) => Effect.Effect<C["success"]["Type"], ToolFailure.ToolFailure>

const mount = <C extends Config, R>(tool: AiTool.Tool<string, C, R>, execute: Execute<C>): Tool.Any => {
  const { description = "", parametersSchema, successSchema } = tool
  if (AiTool.isDynamic(tool) && tool.jsonSchema !== undefined) {
    const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(successSchema))
    return Tool.fromJsonSchema({
      description,
      inputSchema: tool.jsonSchema,
      patterns: "ignore",
      // A result that does not fit the tool's own success schema is a bug in the handler.
      execute: (input, context) => Effect.flatMap(execute(input, context), (result) => Effect.orDie(encode(result)))
    })
  }
  return Tool.make({
    description,
    input: parametersSchema,
    output: successSchema,
    execute,
    ...projectionOf(tool)
  })
}

/** The projection of `effect/ai` sees what the handler returned, ours what it was encoded to. */
const projectionOf = <C extends Config, R>({ successSchema, toModelOutput }: AiTool.Tool<string, C, R>) => {
  if (toModelOutput === undefined) return {}
  const decode = Schema.decodeUnknownSync(successSchema)
  return {
    toModelOutput: ({ output }: { readonly output: unknown }) => toModelOutput(decode(output)).map(contentOf)
  }
}

/** A file that is elsewhere is not fetched: the model reads where it is. */
const contentOf = (part: Prompt.ToolModelOutputPart): ToolContent.ToolContent => {
  if (part.type === "text") return ToolContent.text(part.text)
  const data = typeof part.data === "string" ? Result.getOrThrow(Base64.decode(part.data)) : part.data
  if (!(data instanceof Uint8Array)) return ToolContent.text(String(data))
  const name = part.fileName === undefined ? {} : { name: part.fileName }
  return ToolContent.media({ mimeType: part.mediaType, data, ...name })
}

/** A failure that carries a message says it; any other is told as it is. */
const failWith = (failure: Schema.Json) => {
  const message = Predicate.hasProperty(failure, "message") ? failure.message : failure
  return Effect.fail(
    ToolFailure.executionFailed({
      message: typeof message === "string" ? message : JSON.stringify(message),
      ...(isObject(failure) ? { details: failure } : {})
    })
  )
}

const isObject = (value: Schema.Json): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Only what its author said: `effect/ai` takes every tool for a destructive one by default. */
const annotationsOf = ({ annotations }: { readonly annotations: Context.Context<never> }): Tool.Annotations => {
  const title = Option.getOrUndefined(Context.getOption(annotations, AiTool.Title))
  return {
    ...(title === undefined || title === "" ? {} : { title }),
    ...(Context.get(annotations, AiTool.Idempotent) ? { determinism: "idempotent" } : {}),
    ...(Context.get(annotations, AiTool.Readonly) ? { determinism: "pure", operations: ["read"] } : {})
  }
}
