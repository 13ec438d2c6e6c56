/** Which model a session is run with: the one of the configuration, or the one that the environment has a key for. */
import * as AnthropicModel from "@haft/runner/AnthropicModel"
import type * as Model from "@haft/runner/Model"
import * as OpenAiChatModel from "@haft/runner/OpenAiChatModel"
import * as OpenAiResponsesModel from "@haft/runner/OpenAiResponsesModel"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as ProjectConfig from "../Config.ts"
import { UsageError } from "./faults.ts"
import * as Sentences from "./sentences.ts"

/** What is asked if nothing is configured: good at calling tools, and not the most expensive. */
const defaultNames = { anthropic: "claude-sonnet-4-5", openai: "gpt-5-mini" } as const

type ModelLayer = Layer.Layer<Model.Service, never, HttpClient.HttpClient>

/** None if there is neither a configuration nor a key nor the address of a server. */
export const fromEnvironment = (
  chosen: ProjectConfig.Config["model"]
): Effect.Effect<Option.Option<Layer.Layer<Model.Service>>, UsageError> =>
  Effect.gen(function* () {
    const anthropic = yield* secret("ANTHROPIC_API_KEY")
    const openai = yield* secret("OPENAI_API_KEY")
    const baseUrl = Option.getOrUndefined(yield* Config.option(Config.NonEmptyString("OPENAI_BASE_URL")))
    const name = Option.getOrUndefined(yield* Config.option(Config.NonEmptyString("HAFT_MODEL")))
    const wanted = chosen ?? implied({ anthropic, openai, baseUrl, name })
    if (wanted === undefined) return Option.none()
    const layer = yield* layerOf({ ...wanted, name: name ?? wanted.name }, { anthropic, openai, baseUrl })
    return Option.some(Layer.provide(layer, FetchHttpClient.layer))
  }).pipe(Effect.catchTag("ConfigError", ({ message }) => Effect.fail(new UsageError(Sentences.badVariable(message)))))

const secret = (name: string) => Effect.map(Config.option(Config.Redacted(name)), Option.getOrUndefined)

interface Environment {
  readonly anthropic: Redacted.Redacted | undefined
  readonly openai: Redacted.Redacted | undefined
  readonly baseUrl: string | undefined
}

type Wanted = NonNullable<ProjectConfig.Config["model"]>

const implied = ({
  anthropic,
  baseUrl,
  name,
  openai
}: Environment & { readonly name: string | undefined }): Wanted | undefined => {
  if (anthropic !== undefined) return { provider: "anthropic", name: defaultNames.anthropic }
  if (baseUrl !== undefined) return { provider: "compatible", name: name ?? "default", baseUrl }
  return openai === undefined ? undefined : { provider: "openai", name: defaultNames.openai }
}

const layerOf = (
  wanted: Wanted,
  { anthropic, baseUrl, openai }: Environment
): Effect.Effect<ModelLayer, UsageError> => {
  const { name: model, provider } = wanted
  const own = wanted.baseUrl === undefined ? {} : { baseUrl: wanted.baseUrl }
  switch (provider) {
    case "anthropic":
      return anthropic === undefined
        ? Effect.fail(new UsageError(Sentences.noKey("ANTHROPIC_API_KEY")))
        : Effect.succeed(AnthropicModel.layer({ model, apiKey: anthropic, ...own }))
    case "openai":
      return openai === undefined
        ? Effect.fail(new UsageError(Sentences.noKey("OPENAI_API_KEY")))
        : Effect.succeed(OpenAiResponsesModel.layer({ model, apiKey: openai, ...own }))
    case "compatible": {
      const address = wanted.baseUrl ?? baseUrl
      const key = openai === undefined ? {} : { apiKey: openai }
      return address === undefined
        ? Effect.fail(new UsageError(Sentences.noAddress))
        : Effect.succeed(OpenAiChatModel.layer({ model, baseUrl: address, ...key }))
    }
  }
}
