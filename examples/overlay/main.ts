/** One name, three registrations: the Location's come before the application's, the newest first, each for a while. */
import { Tool, Tools } from "@haft/core"
import { ApplicationTools, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Console, Effect, Exit, Schema, Scope } from "effect"

const saying = (text: string) =>
  Tool.make({
    description: "Say where this tool comes from",
    input: Schema.Struct({}),
    output: Schema.String,
    execute: () => Effect.succeed(text)
  })

const request = Testing.numbered()

const call = Effect.gen(function* () {
  const { settle } = yield* (yield* ToolRegistry.Service).materialize()
  const settlement = yield* settle(request("where", {}))
  yield* Console.log(settlement._tag === "Succeeded" ? settlement.output.structured : settlement._tag)
})

const program = Effect.gen(function* () {
  const application = yield* ApplicationTools.Service
  const location = yield* Tools.Service
  yield* application.register({ where: saying("from the application") })
  yield* call

  const first = yield* Scope.make()
  yield* Scope.provide(location.register({ where: saying("from the Location") }), first)
  yield* call
  yield* Effect.scoped(Effect.andThen(location.register({ where: saying("from the Location, for a moment") }), call))
  yield* call

  // A turn that was taken before the registration went away does not run what took its place.
  const held = yield* (yield* ToolRegistry.Service).materialize()
  yield* Scope.close(first, Exit.void)
  const stale = yield* held.settle(request("where", {}))
  yield* Console.log(stale._tag === "Rejected" ? stale.rejection._tag : stale._tag)
  yield* call
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Testing.layer)))
