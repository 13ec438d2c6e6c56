/** Calls of `fetch` as a model would make them, on sites of this machine. */
import { Fetch, LocationFetch } from "@haft/builtins"
import { Permission, type Tool, type ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Layer, Ref } from "effect"
import { allowAll, type Answer } from "./place.ts"
import { type Site, webOf } from "./web.ts"

export interface WebPlace {
  readonly tool: Tool.Tool<typeof Fetch.Input, typeof Fetch.Output>
  readonly asked: Ref.Ref<ReadonlyArray<Permission.Request>>
}

export interface WebOptions extends LocationFetch.Options {
  readonly answer?: Answer
}

/** The tool, with a permission that a test decides. */
export const makeWebPlace = Effect.fnUntraced(function* (
  sites: ReadonlyArray<Site>,
  { answer = allowAll, ...options }: WebOptions = {}
) {
  const asked = yield* Ref.make<ReadonlyArray<Permission.Request>>([])
  const permission = Layer.succeed(Permission.Service, {
    assert: (request) =>
      Effect.andThen(
        Ref.update(asked, (before) => [...before, request]),
        answer(request)
      ),
    stops: () => Effect.succeed(false)
  })
  const tool = yield* Effect.provide(Fetch.make, [LocationFetch.layer(webOf(sites, options)), permission])
  return { tool, asked } satisfies WebPlace
})

/** What a call gave, and what a model reads of it. */
export const fetched = Effect.fnUntraced(function* ({ tool }: WebPlace, input: unknown) {
  const { output, returned } = yield* Testing.call(tool, input, { name: "fetch" })
  return { returned, text: output.content.map((part) => (part._tag === "Text" ? part.text : "")).join("\n") }
})

/** The page that a call gave. */
export const pageOf = (place: WebPlace, input: unknown) =>
  Effect.map(fetched(place, input), ({ returned }) => {
    if (returned.kind === "page") return returned
    throw new Error(`redirects to ${returned.to}`)
  })

/** The failure of a call that failed; anything else dies. */
export const failureOf = Effect.fnUntraced(function* ({ tool }: WebPlace, input: unknown) {
  const error = yield* Effect.flip(Testing.call(tool, input, { name: "fetch" }))
  return error._tag === "ToolFailure" ? error : yield* Effect.die(error)
})

/** What a model reads of a call that failed. */
export const complaintOf = (place: WebPlace, input: unknown) => Effect.map(failureOf(place, input), complaint)

const complaint = ({ hint, message, reason }: ToolFailure.ToolFailure): string =>
  [`${reason._tag}: ${message}`, ...(hint === undefined ? [] : [hint])].join("\n")
