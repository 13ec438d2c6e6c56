import { assert, describe, it } from "@effect/vitest"
import { ToolCall, ToolContent } from "@haft/core"
import { Model } from "@haft/runner"
import { Effect } from "effect"
import { bodyOf, providers } from "./support/bodies.ts"

const callID = ToolCall.ID.make("one")

/** A conversation with something of everything. */
const request: Model.Request = {
  system: "Be brief.",
  messages: [
    Model.RequestMessage.User({ content: [ToolContent.text("Look")] }),
    Model.RequestMessage.Assistant({
      parts: [
        { _tag: "Text", text: "I look" },
        { _tag: "Call", id: callID, name: "look", input: "{}" }
      ]
    }),
    Model.RequestMessage.Results({
      results: [{ callID, name: "look", content: [ToolContent.text("seen")], isError: false }]
    }),
    Model.RequestMessage.User({ content: [ToolContent.text("And?")] })
  ],
  tools: []
}

/** Each takes something away from the JSON that the rules ask for. */
const damages: Readonly<Record<string, (json: string) => string>> = {
  "a result that names another call": (json) =>
    json.replace(/("tool_use_id"|"tool_call_id"|"call_id"):"one"(?!.*\1)/, '$1:"two"'),
  "a blank result": (json) => json.replace('"seen"', '" "'),
  "a blank question": (json) => json.replace('"And?"', '""'),
  "a name that is none": (json) => json.replace('"name":"look"', '"name":"look here"'),
  "arguments that are no object": (json) =>
    json.replace('"input":{}', '"input":[]').replace('"arguments":"{}"', '"arguments":"{"'),
  "half a character": (json) => json.replace("I look", String.raw`\ud800`)
}

describe.each(providers)("the rules of $name", ({ faults, layer }) => {
  it.effect("find nothing wrong with what its model sends", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(faults(yield* bodyOf(layer, request)), [])
    })
  )

  for (const [damage, break_] of Object.entries(damages)) {
    it.effect(`notice ${damage}`, () =>
      Effect.gen(function* () {
        const json = JSON.stringify(yield* bodyOf(layer, request))
        const broken = break_(json)
        assert.notStrictEqual(broken, json, "the damage is done")
        assert.isNotEmpty(faults(JSON.parse(broken)))
      })
    )
  }

  it.effect("notice calls without results, results without calls, two of one id, and an answer at the end", () =>
    Effect.gen(function* () {
      const [question, answer, results, next] = request.messages
      assert(question !== undefined && answer !== undefined && results !== undefined && next !== undefined)
      const orders = [
        [question, answer, next],
        [question, results, next],
        [question, answer, results, answer, results, next],
        [question, answer, results, Model.RequestMessage.Assistant({ parts: [{ _tag: "Text", text: "So" }] })]
      ]
      for (const messages of orders) assert.isNotEmpty(faults(yield* bodyOf(layer, { ...request, messages })))
    })
  )
})
