/** The answers of a model from a file: a list of answers, each a list of texts and calls. */
import type * as Model from "@haft/runner/Model"
import * as ScriptedModel from "@haft/runner/ScriptedModel"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { decodeConfig, parseText } from "./configText.ts"
import { UsageError } from "./faults.ts"
import * as Sentences from "./sentences.ts"

const Part = Schema.Union([Schema.String, Schema.Struct({ call: Schema.String, input: Schema.Json })])

const Script = Schema.Array(Schema.Array(Part))

export const scripted = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<Layer.Layer<Model.Service>, UsageError, FileSystem.FileSystem> {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(file)
    .pipe(Effect.mapError(({ message }) => new UsageError(Sentences.unreadableScript(file, message))))
  const parsed = yield* Effect.fromResult(parseText(file, text))
  const script = yield* Effect.fromResult(decodeConfig(Script, file, parsed))
  return ScriptedModel.layer(
    script.map((answer, turn) => answer.flatMap((part, index) => partsOf(part, `${turn}-${index}`)))
  )
})

const partsOf = (part: typeof Part.Type, place: string): ReadonlyArray<Model.Part> =>
  typeof part === "string" ? ScriptedModel.say(part) : [ScriptedModel.call(part.call, part.input, `call-${place}`)]
