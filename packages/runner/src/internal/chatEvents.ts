/** An answer of Chat Completions as it is streamed. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Message from "../Message.ts"
import * as Model from "../Model.ts"
import { type Data, doneMark } from "./http.ts"
import { broken, failed, type Provider, Said } from "./httpErrors.ts"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const Count = Schema.optionalKey(Schema.NullOr(Schema.Finite))

/** Servers differ in what they leave out, so nearly everything may be missing. */
const Delta = Schema.Struct({
  content: Text,
  refusal: Text,
  reasoning_content: Text,
  reasoning: Text,
  tool_calls: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          index: Count,
          id: Text,
          function: Schema.optionalKey(Schema.NullOr(Schema.Struct({ name: Text, arguments: Text })))
        })
      )
    )
  )
})

const Chunk = Schema.Struct({
  choices: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Schema.Struct({ delta: Schema.optionalKey(Schema.NullOr(Delta)), finish_reason: Text })))
  ),
  usage: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        prompt_tokens: Count,
        completion_tokens: Count,
        prompt_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ cached_tokens: Count })))
      })
    )
  ),
  error: Schema.optionalKey(Schema.Union([Said, Schema.String]))
})
type Chunk = typeof Chunk.Type
type CallDelta = NonNullable<(typeof Delta.Type)["tool_calls"]>[number]

const decode = Schema.decodeUnknownResult(Chunk)

interface OpenCall {
  id: string
  name: string
  input: string
}

/** Reads one answer. Calls are complete when the answer is, because their pieces may come in any order. */
export class ChatReader {
  private readonly provider: Provider
  private readonly calls = new Map<number | string, OpenCall>()
  private latest: OpenCall | undefined
  private finishReason: string | undefined
  private usage: Message.Usage = Message.noUsage
  private isOver = false

  constructor(provider: Provider) {
    this.provider = provider
  }

  read(data: Data): Effect.Effect<ReadonlyArray<Model.Part>, Model.ModelError> {
    if (data === doneMark) return Effect.succeed(this.end())
    const chunk = decode(data)
    if (Result.isFailure(chunk)) return Effect.fail(broken(this.provider, "Malformed"))
    const { error } = chunk.success
    if (error !== undefined) {
      return Effect.fail(failed(this.provider, typeof error === "string" ? { message: error } : error))
    }
    return Effect.succeed(this.take(chunk.success))
  }

  /** A server that never says that it is done is believed if it said why it stopped. */
  end(): ReadonlyArray<Model.Part> {
    if (this.isOver || (this.finishReason === undefined && this.calls.size > 0)) return []
    this.isOver = true
    const calls = [...this.calls.values()].map(({ id, input, name }) =>
      Model.Part.Call({ id, name, input: input.trim() === "" ? "{}" : input })
    )
    return [...calls, Model.Part.Finish({ stop: stopOf(this.finishReason, calls.length), usage: this.usage })]
  }

  get hasFinished(): boolean {
    return this.finishReason !== undefined
  }

  private take({ choices, usage }: Chunk): ReadonlyArray<Model.Part> {
    if (usage !== undefined && usage !== null) {
      this.usage = {
        input: usage.prompt_tokens ?? 0,
        output: usage.completion_tokens ?? 0,
        cached: usage.prompt_tokens_details?.cached_tokens ?? 0
      }
    }
    const choice = choices?.[0]
    this.finishReason = choice?.finish_reason ?? this.finishReason
    const { content, reasoning, reasoning_content, refusal, tool_calls } = choice?.delta ?? {}
    for (const delta of tool_calls ?? []) this.add(delta)
    const text = (content ?? "") + (refusal ?? "")
    const thought = reasoning_content ?? reasoning ?? ""
    return [
      ...(thought === "" ? [] : [Model.Part.ReasoningDelta({ text: thought })]),
      ...(text === "" ? [] : [Model.Part.TextDelta({ text })])
    ]
  }

  /** By its index. A server that gives none sends a call in one piece, or begins each with its id. */
  private add({ function: called, id, index }: CallDelta): void {
    const key = index ?? (id ? id : undefined)
    const known = key === undefined ? this.latest : this.calls.get(key)
    const call = known ?? { id: "", name: "", input: "" }
    if (known === undefined) this.calls.set(key ?? this.calls.size, call)
    call.id ||= id ?? ""
    call.name ||= called?.name ?? ""
    call.input += called?.arguments ?? ""
    this.latest = call
  }
}

/** Some servers say `stop` although there are calls. */
const stopOf = (reason: string | undefined, calls: number): Exclude<Message.Stop, "interrupted"> => {
  if (reason === "length") return "length"
  if (reason === "content_filter") return "refused"
  return calls > 0 ? "calls" : "ended"
}
