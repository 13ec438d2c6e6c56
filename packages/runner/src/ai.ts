/**
 * Any provider of `effect/ai`: whatever provides Effect's `LanguageModel` can be asked by a runner. It is asked for one
 * answer at a time, and calls nothing itself.
 */
import * as ModelCompatibility from "@haft/registry/ModelCompatibility"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { AiReader, errorOf } from "./internal/aiParts.ts"
import * as AiPrompt from "./internal/aiPrompt.ts"
import * as Model from "./Model.ts"

/** What the provider does not say about itself. */
export interface Options {
  /** The dialect that tools are shown in: that of MCP, which suits all of the large providers, unless told otherwise. */
  readonly profile?: ModelCompatibility.Profile
}

/** The model that is there when the layer is built. */
export const layer = (options: Options = {}): Layer.Layer<Model.Service, never, LanguageModel.LanguageModel> =>
  Layer.effect(
    Model.Service,
    Effect.map(LanguageModel.LanguageModel, (languageModel) => {
      const profile = profileOf(options.profile ?? ModelCompatibility.mcp)
      return {
        profile,
        stream: (request) =>
          Stream.suspend(() => {
            const reader = new AiReader(profile.provider)
            return LanguageModel.streamText(AiPrompt.optionsOf(request, profile.provider)).pipe(
              Stream.provideService(LanguageModel.LanguageModel, languageModel),
              Stream.mapError((error) => errorOf(profile.provider, error)),
              Stream.mapEffect((part) => reader.read(part)),
              Stream.flattenIterable
            )
          })
      }
    })
  )

/** Under a name of its own: what it wants to see again is in another form than what the provider itself would want. */
const profileOf = (profile: ModelCompatibility.Profile): ModelCompatibility.Profile => ({
  ...profile,
  provider: `effect-ai/${profile.provider}`
})
