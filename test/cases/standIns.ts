/** Small tools that stand for those which the corpus names, as far as their arguments are concerned. */
import { Tool } from "@haft/core"
import { Effect, type JsonSchema, Schema } from "effect"

/** A tool that returns its arguments, and how often it was executed. */
export interface StandIn {
  readonly tool: Tool.Any
  readonly runs: () => number
}

const counted = (make: (execute: (input: Schema.Json) => Effect.Effect<Schema.Json>) => Tool.Any): StandIn => {
  let runs = 0
  const execute = (input: Schema.Json) =>
    Effect.sync(() => {
      runs++
      return input
    })
  return { tool: make(execute), runs: () => runs }
}

const made = (input: Tool.Codec): StandIn =>
  counted((execute) => Tool.make({ description: "", input, output: input, execute }))

const imported = (inputSchema: JsonSchema.JsonSchema): StandIn =>
  counted((execute) => Tool.fromJsonSchema({ description: "", inputSchema, execute }))

const Read = Schema.Struct({
  path: Schema.String,
  offset: Schema.optionalKey(Schema.Int),
  limit: Schema.optionalKey(Schema.Int)
})

const Todo = Schema.Struct({
  items: Schema.Array(
    Schema.Struct({
      text: Schema.String,
      status: Schema.optionalKey(Schema.Literals(["open", "pinned", "done"]))
    })
  )
})

const objectWith = (properties: JsonSchema.JsonSchema): JsonSchema.JsonSchema => ({ type: "object", properties })

const CarriedSchema = Schema.Struct({ schema: Schema.JsonObject })

/** The schema that the entry itself carries. */
const carried = (input: Schema.Json): Schema.JsonObject => Schema.decodeUnknownSync(CarriedSchema)(input).schema

/** By the corpus's name of the tool. Some entries bring the schema with them. */
export const standIns: ReadonlyMap<string, (input: Schema.Json) => StandIn> = new Map([
  ["read", () => made(Read)],
  ["todo", () => made(Todo)],
  ["mcp:echo", () => imported(objectWith({ value: {} }))],
  ["mcp:optional_constructor", () => imported(objectWith({ constructor: { type: "string" } }))],
  ["mcp:ref_bomb", (input: Schema.Json) => imported(carried(input))],
  ["mcp:schema_pattern", (input: Schema.Json) => imported(objectWith({ value: carried(input) }))]
])
