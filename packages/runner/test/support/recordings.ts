/** Answers in the shape that providers send them in, each saying the same: a thought, a text and two calls at once. */

/** What every model makes of its recording. */
export const said = { text: "Zürich: 東京 🛠", thought: "Let me see.", first: '{"path":"a.ts"}', second: "{}" }

/** By `claude` with thinking. Two calls, of which one has no arguments. */
export const anthropic: ReadonlyArray<object> = [
  {
    type: "message_start",
    message: {
      id: "msg_01",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 100, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 1 }
    }
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me " } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "see." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmF0dXJl" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Zürich: " } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "東京 🛠" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_01", name: "read", input: {}, caller: { type: "direct" } }
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "" } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"pa' } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: 'th":"a.ts"}' } },
  { type: "content_block_stop", index: 2 },
  {
    type: "content_block_start",
    index: 3,
    content_block: { type: "tool_use", id: "toolu_02", name: "list", input: {} }
  },
  { type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: "" } },
  { type: "content_block_stop", index: 3 },
  { type: "content_block_start", index: 4, content_block: { type: "redacted_thinking", data: "ZGF0YQ==" } },
  { type: "content_block_stop", index: 4 },
  { type: "something_new", index: 9 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 50, input_tokens: null }
  },
  { type: "message_stop" }
]

/** By a model that thinks. */
export const responses: ReadonlyArray<object> = [
  { type: "response.created", sequence_number: 0, response: { id: "resp_1", status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: { id: "rs_1", type: "reasoning", summary: [] } },
  { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Let me " },
  { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "see." },
  {
    type: "response.output_item.done",
    output_index: 0,
    item: {
      id: "rs_1",
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Let me see." }],
      encrypted_content: "gAAAA"
    }
  },
  { type: "response.output_item.added", output_index: 1, item: { id: "msg_1", type: "message", content: [] } },
  { type: "response.content_part.added", output_index: 1, part: { type: "output_text", text: "" } },
  { type: "response.output_text.delta", output_index: 1, delta: "Zürich: " },
  { type: "response.output_text.delta", output_index: 1, delta: "東京 🛠" },
  { type: "response.output_text.done", output_index: 1, text: "Zürich: 東京 🛠" },
  {
    type: "response.output_item.done",
    output_index: 1,
    item: { id: "msg_1", type: "message", content: [{ type: "output_text", text: "Zürich: 東京 🛠" }] }
  },
  {
    type: "response.output_item.added",
    output_index: 2,
    item: { id: "fc_1", type: "function_call", call_id: "call_1", name: "read", arguments: "" }
  },
  {
    type: "response.output_item.added",
    output_index: 3,
    item: { id: "fc_2", type: "function_call", call_id: "call_2", name: "list", arguments: "" }
  },
  { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"pa' },
  { type: "response.function_call_arguments.delta", output_index: 3, delta: "" },
  { type: "response.function_call_arguments.delta", output_index: 2, delta: 'th":"a.ts"}' },
  {
    type: "response.output_item.done",
    output_index: 2,
    item: { id: "fc_1", type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a.ts"}' }
  },
  {
    type: "response.output_item.done",
    output_index: 3,
    item: { id: "fc_2", type: "function_call", call_id: "call_2", name: "list", arguments: "" }
  },
  {
    type: "response.completed",
    response: {
      id: "resp_1",
      status: "completed",
      error: null,
      incomplete_details: null,
      usage: { input_tokens: 420, input_tokens_details: { cached_tokens: 300 }, output_tokens: 50, total_tokens: 470 }
    }
  }
]

const chunk = (delta: object, finish: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 0,
  model: "m",
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }]
})

const callDelta = (index: number, called: object, id?: string) => ({
  tool_calls: [{ index, ...(id === undefined ? {} : { id, type: "function" }), function: called }]
})

/** The pieces of two calls, mixed. */
export const chat: ReadonlyArray<object | string> = [
  chunk({ role: "assistant", content: null, reasoning_content: "Let me " }),
  chunk({ reasoning_content: "see." }),
  chunk({ content: "Zürich: " }),
  chunk({ content: "東京 🛠" }),
  chunk(callDelta(0, { name: "read", arguments: "" }, "call_1")),
  chunk(callDelta(1, { name: "list", arguments: "" }, "call_2")),
  chunk(callDelta(0, { arguments: '{"pa' })),
  chunk(callDelta(0, { arguments: 'th":"a.ts"}' })),
  chunk({}, "tool_calls"),
  {
    id: "chatcmpl-1",
    choices: [],
    usage: { prompt_tokens: 420, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 300 } }
  },
  "[DONE]"
]
