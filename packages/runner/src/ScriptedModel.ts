/**
 * A model that answers from a script, for tests and demonstrations. It needs no network, and it remembers what it was
 * asked. Which answer comes next depends on the conversation alone, so a run that is started again goes on in the script.
 */
import * as ModelCompatibility from "@haft/registry/ModelCompatibility"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Message from "./Message.ts"
import * as Model from "./Model.ts"

/** The parts of one answer. The end is added if it is missing; a stream is taken as it is. */
export type Entry = ReadonlyArray<Model.Part> | Stream.Stream<Model.Part, Model.ModelError>

/** The nth entry is the nth answer of a conversation. One that is a function looks at the conversation first. */
export type Script = ReadonlyArray<Entry | ((request: Model.Request) => Entry)>

/** What a script may choose about the model. */
export interface Options {
  /** The dialect that tools are shown in: any JSON Schema, unless told otherwise. */
  readonly profile?: ModelCompatibility.Profile
  /** How long each part of an answer takes, for people to watch. */
  readonly delay?: Duration.Input
}

export interface Interface {
  /** Everything that the model was asked so far. */
  readonly asked: Effect.Effect<ReadonlyArray<Model.Request>>
}

export class Service extends Context.Service<Service, Interface>()("@haft/runner/ScriptedModel") {}

/** Provides the model, and what it was asked. A conversation that is longer than the script is refused. */
export const layer = (script: Script, options: Options = {}): Layer.Layer<Model.Service | Service> =>
  Layer.effectContext(
    Effect.sync(() => {
      const asked: Array<Model.Request> = []
      const model: Model.Interface = {
        profile: options.profile ?? ModelCompatibility.openaiCompatible,
        stream: (request) =>
          Stream.suspend(() => {
            asked.push(request)
            const answer = streamOf(script, request)
            return options.delay === undefined ? answer : Stream.tap(answer, () => Effect.sleep(options.delay ?? 0))
          })
      }
      return Context.make(Model.Service, model).pipe(Context.add(Service, { asked: Effect.sync(() => [...asked]) }))
    })
  )

/** Words, one by one, as a model would send them. */
export const say = (text: string): ReadonlyArray<Model.Part> =>
  (text.match(/\s*\S+\s*$|\s*\S+/g) ?? []).map((text) => Model.Part.TextDelta({ text }))

/** A call with arguments as JSON, or as the very text. Without an id the runner makes one up. */
export const call = (name: string, input: unknown, id = ""): Model.Part =>
  Model.Part.Call({ id, name, input: typeof input === "string" ? input : JSON.stringify(input) })

const streamOf = (script: Script, request: Model.Request): Stream.Stream<Model.Part, Model.ModelError> => {
  const answers = request.messages.filter(({ _tag }) => _tag === "Assistant").length
  const entry = script[answers]
  if (entry === undefined) return Stream.fail(exhausted(answers))
  const answer = typeof entry === "function" ? entry(request) : entry
  return isParts(answer) ? Stream.fromIterable(finished(answer)) : answer
}

const isParts = (entry: Entry): entry is ReadonlyArray<Model.Part> => Array.isArray(entry)

const finished = (parts: ReadonlyArray<Model.Part>): ReadonlyArray<Model.Part> => {
  if (parts.some(({ _tag }) => _tag === "Finish")) return parts
  const stop = parts.some(({ _tag }) => _tag === "Call") ? "calls" : "ended"
  return [...parts, Model.Part.Finish({ stop, usage: Message.noUsage })]
}

const exhausted = (answers: number): Model.ModelError =>
  new Model.ModelError({
    provider: "script",
    reason: "InvalidRequest",
    message: `The script has ${answers} answers, and the conversation wants another one.`
  })
