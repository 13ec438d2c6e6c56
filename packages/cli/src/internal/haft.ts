/** What every command has in common: the project it is about, and whether a person or a program reads the answer. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Host from "../Host.ts"
import * as Project from "../Project.ts"
import { explained } from "./openingFaults.ts"

const root = Flag.Directory("root", { mustExist: false }).pipe(
  Flag.withAlias("C"),
  Flag.withDescription(
    "The project's directory. By default the nearest one around here that has a haft.json, or this one"
  ),
  Flag.optional
)

const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON for programs instead of text for people"),
  Flag.withDefault(false)
)

/** The command without its subcommands, which read its flags from here. */
export const haft = Command.make("haft").pipe(
  Command.withSharedFlags({ root, json }),
  Command.withDescription("Tools for agents: see them, try them, and see what became of every call")
)

/** For a command that looks at the project and runs nothing. */
export const withProject = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(haft, ({ root }) => Effect.provide(effect, Project.layer(root)))

/** For a command that reads what was recorded, beside whoever writes it. */
export const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  withProject(explained(Effect.provide(effect, Host.layerDatabase)))

/** For a command that uses the stores, and runs nothing. */
export const withStores = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  withProject(explained(Effect.provide(effect, Host.layerStores)))

/** For a command that needs the tools. */
export const withHost = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  withProject(explained(Effect.provide(effect, Host.layer)))

/** One answer, in whichever form was asked for. */
export const answer = Effect.fnUntraced(function* (data: Schema.Json, text: () => string) {
  const { json } = yield* haft
  yield* Console.log(json ? JSON.stringify(data, undefined, 2) : text())
})
