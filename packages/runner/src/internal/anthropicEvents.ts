/** An answer of Anthropic's Messages API as it is streamed. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Message from "../Message.ts"
import * as Model from "../Model.ts"
import type { Data } from "./http.ts"
import { broken, failed, type Provider, Said } from "./httpErrors.ts"

const Text = Schema.optionalKey(Schema.String)

/** Only what is read. Kinds of events, blocks and deltas that are new are passed over. */
const Event = Schema.Struct({
  type: Schema.String,
  index: Schema.optionalKey(Schema.Finite),
  message: Schema.optionalKey(Schema.Struct({ usage: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)) })),
  content_block: Schema.optionalKey(
    Schema.Struct({ type: Schema.String, id: Text, name: Text, data: Text, text: Text, thinking: Text })
  ),
  delta: Schema.optionalKey(
    Schema.Struct({
      type: Text,
      text: Text,
      partial_json: Text,
      thinking: Text,
      signature: Text,
      stop_reason: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  ),
  usage: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  error: Schema.optionalKey(Said)
})
type Event = typeof Event.Type

const decode = Schema.decodeUnknownResult(Event)

/** Counts by name, of which the last that is a number stands. */
type Counts = Readonly<Record<string, Schema.Json>>

interface Block {
  readonly start: NonNullable<Event["content_block"]>
  text: string
  signature: string
}

/** Reads one answer. */
export class AnthropicReader {
  private readonly provider: Provider
  private readonly blocks = new Map<number, Block>()
  private stopReason = ""
  private counts: Counts = {}

  constructor(provider: Provider) {
    this.provider = provider
  }

  read(data: Data): Effect.Effect<ReadonlyArray<Model.Part>, Model.ModelError> {
    const event = decode(data)
    if (Result.isFailure(event)) return Effect.fail(broken(this.provider, "Malformed"))
    if (event.success.type === "error") return Effect.fail(failed(this.provider, event.success.error ?? {}))
    return Effect.succeed(this.take(event.success))
  }

  private take(event: Event): ReadonlyArray<Model.Part> {
    const { content_block, delta, index = 0 } = event
    switch (event.type) {
      case "message_start":
        this.count(event.message?.usage)
        return []
      case "content_block_start":
        return content_block === undefined ? [] : this.open(index, content_block)
      case "content_block_delta":
        return delta === undefined ? [] : this.add(this.blocks.get(index), delta)
      case "content_block_stop":
        return this.close(index)
      case "message_delta":
        this.stopReason = delta?.stop_reason ?? this.stopReason
        this.count(event.usage)
        return []
      case "message_stop":
        return [Model.Part.Finish({ stop: stopOf(this.stopReason), usage: usageOf(this.counts) })]
      default:
        return []
    }
  }

  /** Later counts are of the whole answer so far. */
  private count(usage: Counts = {}): void {
    const known = Object.entries(usage).filter(([, count]) => typeof count === "number")
    this.counts = { ...this.counts, ...Object.fromEntries(known) }
  }

  private open(index: number, start: Block["start"]): ReadonlyArray<Model.Part> {
    this.blocks.set(index, { start, text: start.thinking ?? "", signature: "" })
    return start.type === "text" && start.text ? [Model.Part.TextDelta({ text: start.text })] : []
  }

  private add(block: Block | undefined, delta: NonNullable<Event["delta"]>): ReadonlyArray<Model.Part> {
    const { partial_json = "", signature = "", text = "", thinking = "" } = delta
    if (block !== undefined) {
      block.text += partial_json + thinking
      block.signature += signature
    }
    if (text !== "") return [Model.Part.TextDelta({ text })]
    return thinking === "" ? [] : [Model.Part.ReasoningDelta({ text: thinking })]
  }

  private close(index: number): ReadonlyArray<Model.Part> {
    const block = this.blocks.get(index)
    this.blocks.delete(index)
    if (block === undefined) return []
    const { data, id = "", name = "", type } = block.start
    if (type === "tool_use") return [Model.Part.Call({ id, name, input: block.text.trim() === "" ? "{}" : block.text })]
    if (type === "redacted_thinking") return [Model.Part.Reasoning({ text: "", replay: { type, data: data ?? "" } })]
    if (type !== "thinking") return []
    const replay = { type, thinking: block.text, signature: block.signature }
    return [Model.Part.Reasoning({ text: block.text, replay })]
  }
}

/** `pause_turn` is of tools that the provider runs, which nobody asked for. */
const stopOf = (reason: string): Exclude<Message.Stop, "interrupted"> => {
  switch (reason) {
    case "tool_use":
      return "calls"
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length"
    case "refusal":
      return "refused"
    default:
      return "ended"
  }
}

/** What is read from a cache, and written to it, is not among the input that Anthropic counts. */
const usageOf = (counts: Counts): Message.Usage => {
  const numberOf = (name: string): number => Number(counts[name] ?? 0)
  const cached = numberOf("cache_read_input_tokens")
  const input = numberOf("input_tokens") + cached + numberOf("cache_creation_input_tokens")
  return { input, output: numberOf("output_tokens"), cached }
}
