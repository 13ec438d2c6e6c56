import { Tool, ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Context, Effect, Layer, Schema } from "effect"

class Notes extends Context.Service<Notes, ReadonlyMap<string, string>>()("example/Notes") {}

/** Services are captured while the tool is constructed, so the executor needs none. */
const readNote = Effect.gen(function* () {
  const notes = yield* Notes
  return Tool.make({
    description: "Read one note",
    input: Schema.Struct({ title: Schema.NonEmptyString }),
    output: Schema.String,
    execute: Effect.fn("readNote.execute")(function* ({ title }) {
      const note = notes.get(title)
      return note ?? (yield* ToolFailure.notFound({ message: `No note called ${title}`, resource: title }))
    })
  })
})

const program = Effect.gen(function* () {
  const tool = yield* readNote
  const { output } = yield* Testing.call(tool, { title: "groceries" })
  const failure = yield* Effect.flip(Testing.call(tool, { title: "plans" }))
  return [output.structured, failure.message]
})

const layer = Layer.succeed(Notes, new Map([["groceries", "bread, salt"]]))
console.log(await Effect.runPromise(program.pipe(Effect.provide(layer))))
