/** `haft manifest`: what a tool says about itself, as the `tool.yaml` of the uicp contract. */
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Project from "../Project.ts"
import { answer, withHost } from "./haft.ts"
import * as Sentences from "./sentences.ts"
import { findTool } from "./toolsCommand.ts"
import { turn } from "./turn.ts"

const name = Argument.String("name").pipe(Argument.withDescription("The only tool that is meant"), Argument.optional)

const owner = Flag.String("owner").pipe(
  Flag.withDescription("Who answers for the tools, such as @team-search, in manifests that are new"),
  Flag.withDefault("@unknown")
)

const directory = Flag.String("write").pipe(
  Flag.withDescription("Write a manifest for each tool that has none below this directory, and lock all of them"),
  Flag.optional
)

const replace = Flag.Boolean("replace").pipe(
  Flag.withDescription("Write manifests anew that are there"),
  Flag.withDefault(false)
)

export const manifest = Command.make("manifest", { name, owner, directory, replace }, (given) =>
  withHost(
    Effect.gen(function* () {
      const { definitions } = yield* turn
      const wanted = Option.isSome(given.name) ? [yield* findTool(definitions, given.name.value)] : definitions
      // Only this command needs it.
      const Manifest = yield* Effect.promise(() => import("@haft/gateway/Manifest"))
      if (Option.isNone(given.directory)) {
        const manifests = wanted.map((definition) => Manifest.fromDefinition(definition, { owner: given.owner }))
        return yield* answer(JSON.parse(JSON.stringify(manifests)), () => manifests.map(Manifest.format).join("---\n"))
      }
      const { writeManifests } = yield* Effect.promise(() => import("./manifestFiles.ts"))
      const path = yield* Path.Path
      const { root } = yield* Project.Service
      const directory = path.resolve(root, given.directory.value)
      const { owner, replace } = given
      const isWanted = (definition: ToolDefinition) => wanted.includes(definition)
      const { kept, written } = yield* writeManifests({ directory, owner, replace, isWanted }, definitions)
      for (const file of written) yield* Console.log(path.relative(root, file))
      if (kept.length > 0) yield* Console.error(Sentences.keptManifests(kept.length))
    })
  )
).pipe(
  Command.withDescription("Describe the tools in manifests, and pin their versions in a lock"),
  Command.withExamples([
    { command: "haft manifest read", description: "The manifest of one tool" },
    { command: "haft manifest --write tools --owner @team", description: "tools/<tool>/tool.yaml and tools/lock.yaml" },
    { command: "haft serve --contract uicp --manifests tools", description: "Serve what the lock pins" }
  ])
)
