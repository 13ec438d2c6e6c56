/** Builds the values that a corpus describes with `{ "$gen": … }` because they are too large or too odd to write down. */
import { Option, Schema } from "effect"

const Generator = Schema.Union([
  Schema.Struct({ $gen: Schema.Literal("repeat"), unit: Schema.String, count: Schema.Int }),
  Schema.Struct({ $gen: Schema.Literal("concat"), parts: Schema.Array(Schema.Json) }),
  Schema.Struct({ $gen: Schema.Literal("nestArray"), depth: Schema.Int }),
  Schema.Struct({ $gen: Schema.Literal("nestObject"), depth: Schema.Int, key: Schema.String }),
  Schema.Struct({ $gen: Schema.Literal("array"), item: Schema.Json, count: Schema.Int }),
  Schema.Struct({ $gen: Schema.Literal("keys"), count: Schema.Int }),
  Schema.Struct({ $gen: Schema.Literal("utf16"), units: Schema.Array(Schema.Int) })
])
type Generator = typeof Generator.Type

const Text = Schema.Struct({ $gen: Schema.Literal("rawJson"), text: Schema.String })

/** The text of an entry that is about parsing. */
export const textOf: (input: Schema.Json) => Option.Option<string> = (input) =>
  Option.map(Schema.decodeUnknownOption(Text)(input), ({ text }) => text)

const decodeGenerator = Schema.decodeUnknownSync(Generator)

export const expand = (value: Schema.Json): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if ("$gen" in value) return generate(decodeGenerator(value))
  if (Array.isArray(value)) return value.map(expand)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]))
}

const generate = (generator: Generator): Schema.Json => {
  switch (generator.$gen) {
    case "repeat":
      return generator.unit.repeat(generator.count)
    case "concat":
      return generator.parts.map(expand).join("")
    case "nestArray":
      return JSON.parse("[".repeat(generator.depth) + "]".repeat(generator.depth))
    case "nestObject":
      return JSON.parse(`{${JSON.stringify(generator.key)}:`.repeat(generator.depth) + 1 + "}".repeat(generator.depth))
    case "array":
      return Array.from({ length: generator.count }, () => expand(generator.item))
    case "keys":
      return Object.fromEntries(Array.from({ length: generator.count }, (_, index) => [`k${index}`, index]))
    case "utf16":
      return String.fromCharCode(...generator.units)
  }
}
