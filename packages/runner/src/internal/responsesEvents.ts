/** An answer of OpenAI's Responses API as it is streamed. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Message from "../Message.ts"
import * as Model from "../Model.ts"
import { type Data, doneMark } from "./http.ts"
import { broken, failed, type Provider, Said } from "./httpErrors.ts"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const Count = Schema.optionalKey(Schema.NullOr(Schema.Finite))

const Usage = Schema.Struct({
  input_tokens: Count,
  output_tokens: Count,
  input_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ cached_tokens: Count })))
})

/** Only what is read. Kinds of events and items that are new are passed over. */
const Event = Schema.Struct({
  type: Schema.String,
  delta: Schema.optionalKey(Schema.Json),
  item: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  response: Schema.optionalKey(
    Schema.Struct({
      usage: Schema.optionalKey(Schema.NullOr(Usage)),
      incomplete_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ reason: Text }))),
      error: Schema.optionalKey(Schema.NullOr(Said))
    })
  ),
  code: Said.fields.code,
  message: Said.fields.message,
  error: Schema.optionalKey(Said)
})
type Event = typeof Event.Type

const decode = Schema.decodeUnknownResult(Event)

const decodeCall = Schema.decodeUnknownResult(Schema.Struct({ call_id: Text, name: Text, arguments: Text }))

/** Reads one answer. An item counts when it is done, because then it is there in one piece. */
export class ResponsesReader {
  private readonly provider: Provider
  private hasCalls = false
  private isRefused = false

  constructor(provider: Provider) {
    this.provider = provider
  }

  read(data: Data): Effect.Effect<ReadonlyArray<Model.Part>, Model.ModelError> {
    if (data === doneMark) return Effect.succeed([])
    const event = decode(data)
    if (Result.isFailure(event)) return Effect.fail(broken(this.provider, "Malformed"))
    return this.take(event.success)
  }

  private take(event: Event): Effect.Effect<ReadonlyArray<Model.Part>, Model.ModelError> {
    const text = typeof event.delta === "string" ? event.delta : ""
    switch (event.type) {
      case "response.refusal.delta":
        this.isRefused = true
        return Effect.succeed([Model.Part.TextDelta({ text })])
      case "response.output_text.delta":
        return Effect.succeed([Model.Part.TextDelta({ text })])
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return Effect.succeed([Model.Part.ReasoningDelta({ text })])
      case "response.output_item.done":
        return this.item(event.item ?? {})
      case "response.completed":
        return Effect.succeed([this.finish(event, this.hasCalls ? "calls" : "ended")])
      case "response.incomplete": {
        const isFiltered = event.response?.incomplete_details?.reason === "content_filter"
        return Effect.succeed([this.finish(event, isFiltered ? "refused" : "length")])
      }
      case "response.failed":
        return Effect.fail(failed(this.provider, event.response?.error ?? {}))
      case "error":
        return Effect.fail(failed(this.provider, event.error ?? event))
      default:
        return Effect.succeed([])
    }
  }

  private item(item: Schema.JsonObject): Effect.Effect<ReadonlyArray<Model.Part>, Model.ModelError> {
    if (item["type"] === "reasoning") return Effect.succeed([reasoningOf(item)])
    if (item["type"] !== "function_call") return Effect.succeed([])
    const call = decodeCall(item)
    if (Result.isFailure(call)) return Effect.fail(broken(this.provider, "Malformed"))
    this.hasCalls = true
    const { arguments: input, call_id, name } = call.success
    return Effect.succeed([
      Model.Part.Call({
        id: call_id ?? "",
        name: name ?? "",
        input: (input ?? "").trim() === "" ? "{}" : (input ?? "")
      })
    ])
  }

  private finish({ response }: Event, stop: Exclude<Message.Stop, "interrupted">): Model.Part {
    const usage = response?.usage
    return Model.Part.Finish({
      stop: this.isRefused && stop === "ended" ? "refused" : stop,
      usage: {
        input: usage?.input_tokens ?? 0,
        output: usage?.output_tokens ?? 0,
        cached: usage?.input_tokens_details?.cached_tokens ?? 0
      }
    })
  }
}

const decodeSummary = Schema.decodeUnknownResult(Schema.Array(Schema.Struct({ text: Schema.String })))

/** Without the encrypted form nobody but the provider's own store has it, which is not used. */
const reasoningOf = (item: Schema.JsonObject): Model.Part => {
  const summary = decodeSummary(item["summary"])
  const text = Result.isSuccess(summary) ? summary.success.map(({ text }) => text).join("\n") : ""
  const { encrypted_content, id, summary: told = [] } = item
  if (typeof encrypted_content !== "string" || typeof id !== "string") return Model.Part.Reasoning({ text })
  return Model.Part.Reasoning({ text, replay: { type: "reasoning", id, summary: told, encrypted_content } })
}
