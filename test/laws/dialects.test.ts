import { Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Arbitrary, Effect, Schema } from "effect"
import { described, objects, transformed } from "./codecs.ts"
import { definitionOf, dialectOf, providers, spelling, withoutSign } from "./dialect.ts"
import { awkward, documents, recursive } from "./documents.ts"
import { admittedBy, copy, echo, holds } from "./echo.ts"
import { law } from "./law.ts"

const parts = {
  leaves: { ...described, ...transformed },
  presences: ["required", "optionalKey", "optional"] as const,
  unions: true
}

/** As JSON. */
const argumentsFor = (codec: Tool.Codec): Arbitrary.Arbitrary<unknown> => {
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(codec))
  return Arbitrary.map(Arbitrary.schema(codec), (value) => withoutSign(copy(encode(value))))
}

/** A tool, and arguments for a few calls of it: compiling a schema takes longer than trying it. */
const calls = Arbitrary.flatMap(objects(parts), (codec) => {
  const values = argumentsFor(codec)
  return Arbitrary.map(Arbitrary.all([values, values, values, values, values]), (inputs) => ({
    tool: echo(codec),
    inputs
  }))
})

for (const provider of providers) {
  law("advertised-is-accepted", `arguments of any tool can be written for ${provider} and come back equal`, () =>
    holds(
      calls,
      Effect.fnUntraced(function* ({ inputs, tool }) {
        const dialect = dialectOf(tool, provider)
        for (const json of inputs) yield* Testing.call(tool, dialect.read(spelling(dialect, json)))
      }),
      40
    )
  )
}

const recursiveCalls = [...recursive, ...awkward].map((codec) => ({ tool: echo(codec), values: argumentsFor(codec) }))

const importedCalls = documents.map((inputSchema) => ({
  tool: Tool.fromJsonSchema({ description: "Echo", inputSchema, execute: Effect.succeed }),
  values: Arbitrary.map(admittedBy(inputSchema), withoutSign)
}))

/** Strict mode closes an object that says nothing about further properties: these cannot be written there. */
const isClosed = ({ tool }: { readonly tool: Tool.Any }): boolean =>
  definitionOf(tool).inputSchema["additionalProperties"] === false

for (const provider of providers) {
  law(
    "advertised-is-accepted",
    `recursive and imported schemas can be written for ${provider} and come back equal`,
    () =>
      Effect.forEach(
        [...recursiveCalls, ...(provider === "openaiStrict" ? importedCalls.filter(isClosed) : importedCalls)],
        ({ tool, values }) => {
          const dialect = dialectOf(tool, provider)
          return holds(
            values,
            Effect.fnUntraced(function* (json) {
              yield* Testing.call(tool, dialect.read(spelling(dialect, json)))
            }),
            40
          )
        },
        { discard: true }
      )
  )
}

const { boolean, finite, integer, literals, nullable, string } = described

law("advertised-is-accepted", "whatever strict mode lets a model send decodes", () => {
  const sent = Arbitrary.flatMap(
    objects({ ...parts, leaves: { boolean, finite, integer, literals, nullable, string } }),
    (codec) => {
      const tool = echo(codec)
      const dialect = dialectOf(tool, "openaiStrict")
      return Arbitrary.map(admittedBy(dialect.schema), (input) => ({ dialect, input, tool }))
    }
  )
  return holds(
    sent,
    Effect.fnUntraced(function* ({ dialect, input, tool }) {
      if (!saysTwice(input)) yield* Testing.call(tool, dialect.read(input))
    }),
    150
  )
})

/** Whether a list of entries has a key twice, or one that is the name of a property. No schema can forbid that. */
const saysTwice = (json: unknown): boolean => {
  if (typeof json !== "object" || json === null) return false
  const keys = Array.isArray(json) ? json.map(keyOf) : otherKeys(json)
  return new Set(keys).size < keys.length || Object.values(json).some(saysTwice)
}

const keyOf = (entry: unknown, index: number): unknown =>
  typeof entry === "object" && entry !== null && "key" in entry ? entry.key : index

const otherKeys = (json: object): ReadonlyArray<unknown> => {
  const others = "other_properties" in json ? json.other_properties : []
  return [...Object.keys(json), ...(Array.isArray(others) ? others.map(keyOf) : [])]
}
