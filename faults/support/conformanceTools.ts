/** The tools that the official conformance suite calls, made like any others. */
import { Progress, Tool, ToolContent, ToolFailure } from "@haft/core"
import { Effect, Schema } from "effect"

const none = Schema.Struct({})

/** The smallest picture and sound that decode. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)
const wav = Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=", "base64")

const showing = (...content: ReadonlyArray<ToolContent.ToolContent>) =>
  Tool.make({
    description: "Shows what it is made to show",
    input: none,
    output: Schema.String,
    execute: () => Effect.succeed("shown"),
    toModelOutput: () => content
  })

const image = ToolContent.media({ mimeType: "image/png", data: png })
const file = ToolContent.media({ mimeType: "text/plain", data: new TextEncoder().encode("a file"), name: "a.txt" })

export const conformanceTools = {
  test_simple_text: showing(ToolContent.text("This is a simple text response for testing.")),
  test_image_content: showing(image),
  test_audio_content: showing(ToolContent.media({ mimeType: "audio/wav", data: wav })),
  test_embedded_resource: showing(file),
  test_multiple_content_types: showing(ToolContent.text("Several things:"), image, file),
  test_error_handling: Tool.make({
    description: "Fails",
    input: none,
    output: Schema.String,
    execute: () => Effect.fail(ToolFailure.executionFailed({ message: "This tool intentionally returns an error." }))
  }),
  test_tool_with_progress: Tool.make({
    description: "Reports on its way",
    input: none,
    output: Schema.String,
    execute: () =>
      Effect.gen(function* () {
        const progress = yield* Progress.Service
        for (const completed of [0, 50, 100]) yield* progress.report({ completed, total: 100 })
        return "done"
      })
  }),
  json_schema_2020_12_tool: Tool.fromJsonSchema({
    description: "Its schema uses words of the draft",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false
    },
    execute: () => Effect.succeed("taken")
  })
}
