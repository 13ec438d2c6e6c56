import { assert, describe, it } from "@effect/vitest"
import { Tool, ToolName } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import { Effect, Result, Schema } from "effect"

const tool = Tool.make({
  description: "",
  input: Schema.Struct({}),
  output: Schema.String,
  execute: () => Effect.succeed("")
})

describe("a name", () => {
  it.each(["a", "Z9", "a-b_c-9", "a".repeat(64), "constructor", "toString", "prototype", "then", "default"])(
    "may be %s",
    (name) => {
      assert.isTrue(ToolName.isToolName(name))
      assert.strictEqual(Result.getOrThrow(Runtime.open(name, tool)).definition.name, name)
    }
  )

  it.each(["", " ", "9a", "_a", "-a", "a b", "a\n", "a\0", "a.b", "a/b", "ä", "\uff52", "a\u200b", "__proto__"])(
    "may not be %j",
    (name) => {
      const opened = Runtime.open(name, tool)
      assert(Result.isFailure(opened))
      assert.deepStrictEqual(
        [opened.failure.name, opened.failure.reason, opened.failure.message],
        [name, "InvalidName", 'A tool\'s name is a letter, then letters, digits, "_" or "-", 64 characters at most.']
      )
    }
  )

  it("that is too long is refused, and the error does not repeat all of it", () => {
    assert.isFalse(ToolName.isToolName("a".repeat(65)))
    const opened = Runtime.open("a".repeat(100_000), tool)
    assert(Result.isFailure(opened))
    assert.strictEqual(opened.failure.name, `${"a".repeat(64)}…`)
  })
})
