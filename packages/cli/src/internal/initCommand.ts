/** `haft init`: a configuration to start from, and a plugin to change. */
import * as Plugins from "@haft/registry/plugins"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Command from "effect/cli/Command"
import { fileName } from "../Config.ts"
import * as Project from "../Project.ts"
import { OperationalError, UsageError } from "./faults.ts"
import { answer, withProject } from "./haft.ts"
import * as Samples from "./samples.ts"
import * as Sentences from "./sentences.ts"

export const init = Command.make("init", {}, () =>
  withProject(
    Effect.gen(function* () {
      const path = yield* Path.Path
      const { root } = yield* Project.Service
      const files = [
        [path.join(root, fileName), Samples.config],
        [path.join(root, Plugins.defaultFolder, "hello.js"), Samples.plugin]
      ] as const
      for (const [file] of files) yield* mustBeNew(file)
      for (const [file, text] of files) yield* write(file, text)
      const written = files.map(([file]) => path.relative(root, file))
      yield* answer({ root, written }, () => Sentences.initialized(written))
    })
  )
).pipe(Command.withDescription("Write a commented haft.json and a sample plugin"))

/** Nothing that a person has written is ever replaced. */
const mustBeNew = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const exists = yield* Effect.orElseSucceed(fileSystem.exists(file), () => true)
  if (exists) return yield* new UsageError(Sentences.alreadyThere(file))
})

const write = Effect.fnUntraced(
  function* (file: string, text: string) {
    const path = yield* Path.Path
    const fileSystem = yield* FileSystem.FileSystem
    yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true })
    yield* fileSystem.writeFileString(file, text)
  },
  Effect.catchTag("PlatformError", ({ message }) => Effect.fail(new OperationalError({ message })))
)
