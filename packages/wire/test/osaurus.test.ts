import { assert, describe, it } from "@effect/vitest"
import { SideEffect } from "@haft/core"
import { Leaf, Osaurus, Outcome } from "@haft/wire"
import { Option } from "effect"
import { sent, values } from "./support/json.ts"

const success = `{"ok":true,"result":{"text":"fine"}}`
const failure = `{"ok":false,"kind":"not_found","message":"No such file","retryable":false}`

describe("whether a text is an envelope", () => {
  it("is decided by its parsed ok, whatever else stands in it", () => {
    const tricky = [
      `{"ok":true,"result":{"text":"{\\"ok\\":false,\\"kind\\":\\"timeout\\"}"}}`,
      `{"result":"\\"ok\\":false","ok":true}`,
      ` { "ok" : true , "result" : "[TIMEOUT] [REJECTED]" } `,
      `{"ok":false,"ok":true,"result":null}`
    ]
    for (const text of [success, ...tricky])
      assert.deepStrictEqual([Osaurus.isSuccess(text), Osaurus.isError(text)], [true, false])
    for (const text of [failure, `{"result":{"ok":true},"ok":false}`]) {
      assert.deepStrictEqual([Osaurus.isSuccess(text), Osaurus.isError(text)], [false, true])
    }
  })

  it.each([
    "",
    "[REJECTED] no",
    "[TIMEOUT]",
    "null",
    "true",
    `["ok",true]`,
    `{"ok":"true"}`,
    `{"ok":1}`,
    `{"ok":null}`,
    `{"OK":true}`,
    `{"result":{"ok":true}}`,
    `{"__proto__":{"ok":true}}`,
    `{"ok":true`,
    `"{\\"ok\\":true}"`
  ])("%s is neither a success nor an error", (text) => {
    assert.deepStrictEqual([Osaurus.isSuccess(text), Osaurus.isError(text)], [false, false])
    assert.strictEqual(Osaurus.failureMessage(text), text)
    assert.deepStrictEqual(Osaurus.successPayload(text), Option.none())
  })

  it("is found out for a text of any depth and size", () => {
    const deep = `{"ok":true,"result":${"[".repeat(50_000)}${"]".repeat(50_000)}}`
    const large = JSON.stringify({ ok: false, message: "x".repeat(10 * 1024 * 1024) })
    assert.isTrue(Osaurus.isSuccess(deep))
    assert.isTrue(Osaurus.isError(large))
  })

  it.prop("agrees with what was encoded", [values], ([output]) => {
    const leaf = Leaf.make("Success.Read", { output })
    const encoded = Osaurus.encode(
      Outcome.make({ leaf, effect: SideEffect.none, call: { callId: "1", toolName: "t" } })
    )
    if (encoded._tag === "NoEnvelope") return assert.fail("a success has an envelope")
    const text = Osaurus.stringify(encoded.envelope)
    assert.isTrue(Osaurus.isSuccess(text))
    assert.deepStrictEqual(
      JSON.stringify(Option.getOrThrow(Osaurus.successPayload(text))),
      JSON.stringify(sent(output))
    )
  })
})

describe("what an envelope holds", () => {
  it("is the result of a success, null included", () => {
    assert.deepStrictEqual(Osaurus.successPayload(success), Option.some({ text: "fine" }))
    assert.deepStrictEqual(Osaurus.successPayload(`{"ok":true,"result":null}`), Option.some(null))
    assert.deepStrictEqual(Osaurus.successPayload(failure), Option.none())
  })

  it("is the message of a failure, and otherwise the text itself", () => {
    assert.strictEqual(Osaurus.failureMessage(failure), "No such file")
    assert.strictEqual(Osaurus.failureMessage(success), success)
    assert.strictEqual(Osaurus.failureMessage(`{"ok":false,"message":7}`), `{"ok":false,"message":7}`)
  })
})

describe("the text of an envelope", () => {
  it("is compact, with ok first and the other keys sorted", () => {
    const envelope = { warnings: ["w"], tool: "t", result: { b: 1, a: 2 }, ok: true } as const
    assert.strictEqual(Osaurus.stringify(envelope), `{"ok":true,"result":{"b":1,"a":2},"tool":"t","warnings":["w"]}`)
  })
})

describe("what a model is told", () => {
  const encode = (leaf: Leaf.Leaf, options?: Osaurus.EncodeOptions) =>
    Osaurus.encode(Outcome.make({ leaf, effect: SideEffect.none, call: { callId: "1", toolName: "t" } }), options)

  it("is nothing about an interruption, and nothing about operational failures unless the host says so", () => {
    const defect = Leaf.make("Operational.Defect", { ref: "stl-1", message: "TypeError: secret is not a function" })
    assert.deepStrictEqual(encode(Leaf.make("Interrupted", { by: "user" }), { operational: "surface" }), {
      _tag: "NoEnvelope"
    })
    assert.deepStrictEqual(encode(defect), { _tag: "NoEnvelope" })
    assert.notInclude(JSON.stringify(encode(defect, { operational: "surface" })), "secret is not a function")
  })

  it("is the hint and the feedback after the message, each on its line", () => {
    const denied = Leaf.make("Denied.Approver", {
      origin: "gate",
      by: "lead",
      hint: "ask first",
      feedback: "not today"
    })
    const encoded = encode(denied)
    assert.strictEqual(
      encoded._tag === "Envelope" && !encoded.envelope.ok ? encoded.envelope.message : "",
      `${"message" in denied ? denied.message : ""}\nHint: ask first\nFeedback: not today`
    )
  })

  it("names an unknown tool and no other", () => {
    const encoded = encode(Leaf.make("Rejected.UnknownTool", { name: "serch" }))
    assert.notInclude(JSON.stringify(encoded), "candidates")
  })
})
