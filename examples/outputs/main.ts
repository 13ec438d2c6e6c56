import { ReadOutput } from "@haft/builtins"
import { OutputStore } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { OutputStores } from "@haft/registry"
import { Effect, Stream } from "effect"

const lines = Array.from({ length: 5000 }, (_, index) => `${index + 1}: ${index % 1000 === 999 ? "ERROR" : "ok"}`)

const program = Effect.gen(function* () {
  const store = yield* OutputStore.Service
  const { ref } = yield* store.retain(Testing.context.sessionID, {
    mimeType: "text/plain",
    bytes: Stream.make(new TextEncoder().encode(lines.join("\n")))
  })

  const readOutput = yield* ReadOutput.make
  const calls = [
    { ref, line: 4999 },
    { ref, search: "ERROR", limit: 2 }
  ]
  return yield* Effect.forEach(calls, (call) => Testing.call(readOutput, call))
})

for (const { output } of await Effect.runPromise(program.pipe(Effect.provide(OutputStores.layerMemory())))) {
  console.log(output.structured)
}
