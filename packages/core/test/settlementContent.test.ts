import { assert, describe, it } from "@effect/vitest"
import { Settlement, SideEffect, ToolContent, ToolFailure, type ToolOutput } from "@haft/core"
import * as Testing from "@haft/core/testing"

const fields = {
  context: Testing.context,
  name: "tool",
  effect: SideEffect.none,
  warnings: [],
  timing: { startedAt: 0, endedAt: 1 },
  managed: []
}

const succeeded = (output: ToolOutput.ToolOutput) => Settlement.content(Settlement.succeeded({ ...fields, output }))
const failed = (failure: ToolFailure.ToolFailure) => Settlement.content(Settlement.failed({ ...fields, failure }))

describe("what a model reads of a settlement", () => {
  it("is the parts of a success, or its data where there are none", () => {
    const part = ToolContent.text("hello")
    assert.deepStrictEqual(succeeded({ structured: { a: 1 }, content: [part] }), [part])
    assert.deepStrictEqual(succeeded({ structured: { a: 1 }, content: [] }), [ToolContent.text(`{"a":1}`)])
  })

  it("is what happened, what to do and what there is besides of a failure, in this order", () => {
    const failure = ToolFailure.timedOut({
      message: "It took too long.",
      hint: "Try less.",
      field: "pattern",
      details: { tries: 2 },
      partial: "half",
      boundBy: "idle",
      limitMs: 5
    })
    const text = `It took too long.\nTry less.\nArgument: pattern\nDetails: {"tries":2}\nOutput until then:\nhalf`
    assert.deepStrictEqual(failed(failure), [ToolContent.text(text)])
  })

  it("has the words of the person who refused", () => {
    const failure = ToolFailure.denied({ message: "Refused.", by: "user", feedback: "Use the other file" })
    assert.deepStrictEqual(failed(failure), [ToolContent.text("Refused.\nThe user says: Use the other file")])
  })

  it("is the message of a rejection", () => {
    const rejected = Settlement.rejected({ ...fields, rejection: { _tag: "StaleCall" }, message: "It is gone." })
    assert.deepStrictEqual(Settlement.content(rejected), [ToolContent.text("It is gone.")])
  })
})
