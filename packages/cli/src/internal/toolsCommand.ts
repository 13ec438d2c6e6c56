/** `haft tools`: what there is to call, or one of them in full, or the catalog as a provider would get it. */
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as ToolName from "@haft/core/ToolName"
import * as ModelCompatibility from "@haft/registry/ModelCompatibility"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { UsageError } from "./faults.ts"
import { answer, withHost } from "./haft.ts"
import * as Sentences from "./sentences.ts"
import { table } from "./table.ts"
import { turn } from "./turn.ts"

const profiles = {
  anthropic: ModelCompatibility.anthropic,
  openai: ModelCompatibility.openai,
  "openai-strict": ModelCompatibility.openaiStrict,
  "openai-compatible": ModelCompatibility.openaiCompatible,
  gemini: ModelCompatibility.gemini,
  mcp: ModelCompatibility.mcp
} as const

const name = Argument.String("name").pipe(Argument.withDescription("The tool to show in full"), Argument.optional)

const provider = Flag.ChoiceWithValue("for", Object.entries(profiles)).pipe(
  Flag.withDescription("Show the definitions as this provider would get them"),
  Flag.optional
)

export const tools = Command.make("tools", { name, provider }, ({ name, provider }) =>
  withHost(
    Effect.gen(function* () {
      const { definitions } = yield* turn
      if (Option.isSome(provider)) return yield* showPrepared(definitions, name, provider.value)
      if (Option.isSome(name)) return yield* showOne(yield* findTool(definitions, name.value))
      return yield* showAll(definitions)
    })
  )
).pipe(
  Command.withDescription("List the tools of the project"),
  Command.withExamples([
    { command: "haft tools", description: "All tools, one on a line" },
    { command: "haft tools read", description: "One tool with the schemas of its input and output" },
    { command: "haft tools --for openai-strict", description: "The catalog in a provider's dialect" }
  ])
)

const showAll = (definitions: ReadonlyArray<ToolDefinition>) =>
  answer(definitions.map(jsonOf), () =>
    table(
      ["tool", "what it does"],
      definitions.map(({ description, name }) => [name, firstSentence(description)])
    )
  )

const showOne = (definition: ToolDefinition) =>
  answer(jsonOf(definition), () =>
    [
      `${definition.name}\n`,
      definition.description,
      `\nInput\n${JSON.stringify(definition.inputSchema, undefined, 2)}`,
      `\nOutput\n${JSON.stringify(definition.outputSchema, undefined, 2)}`
    ].join("\n")
  )

/** Always JSON: it is what would be sent. */
const showPrepared = Effect.fnUntraced(function* (
  definitions: ReadonlyArray<ToolDefinition>,
  name: Option.Option<string>,
  profile: ModelCompatibility.Profile
) {
  const wanted = Option.isSome(name) ? [yield* findTool(definitions, name.value)] : definitions
  const prepared = yield* Effect.fromResult(
    ModelCompatibility.prepare(wanted, profile, { onIncompatible: "leaveOut" })
  ).pipe(Effect.mapError(({ message }) => new UsageError({ message })))
  for (const { message } of prepared.omitted) yield* Console.error(message)
  yield* Console.log(JSON.stringify(prepared.definitions.map(jsonOf), undefined, 2))
})

/** Or what may have been meant. */
export const findTool = (
  definitions: ReadonlyArray<ToolDefinition>,
  name: string
): Effect.Effect<ToolDefinition, UsageError> => {
  const found = definitions.find((definition) => definition.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const closest = ToolName.closest(
    name,
    definitions.map((definition) => definition.name)
  )
  return Effect.fail(new UsageError(Sentences.unknownTool(name, closest)))
}

const jsonOf = ({ annotations, description, inputSchema, name, outputSchema }: ToolDefinition): Schema.JsonObject =>
  JSON.parse(JSON.stringify({ name, description, inputSchema, outputSchema, annotations }))

const firstSentence = (text: string): string => /^[^\n]*?[.:](?=\s|$)|^[^\n]*/.exec(text)?.[0] ?? ""
