/**
 * What a project says about its tools in `haft.json`: JSON in which comments and trailing commas are allowed. A file that
 * does not fit is refused as a whole, with every fault and where it stands.
 */
import * as OutputBounds from "@haft/registry/OutputBounds"
import * as Rule from "@haft/policy/Rule"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { decodeConfig, parseText } from "./internal/configText.ts"
import { UsageError } from "./internal/faults.ts"
import * as Sentences from "./internal/sentences.ts"

/** Where a project is configured, in its root. */
export const fileName = "haft.json"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** Every setting has a default, so an empty object is a configuration. */
export const Config = Schema.Struct({
  $schema: Schema.optionalKey(
    Schema.String.annotate({ description: "For editors: the JSON Schema of this file. Not read." })
  ),
  permissions: Schema.optionalKey(
    Schema.Array(Rule.Rule).annotate({
      description:
        "Who may do what without asking: the last rule that matches decides. They come after rules that allow reading and searching inside the project and ask for everything else."
    })
  ),
  hide: Schema.optionalKey(
    Schema.Array(Schema.NonEmptyString).annotate({ description: "Names of tools that are not offered." })
  ),
  output: Schema.optionalKey(
    Schema.Struct({
      lines: Schema.optionalKey(Count),
      bytes: Schema.optionalKey(Count),
      turnLines: Schema.optionalKey(Count),
      turnBytes: Schema.optionalKey(Count)
    }).annotate({
      description: `How much of a call, and of a turn, a model reads before the rest is kept for read_output. ${OutputBounds.defaults.lines} lines and ${OutputBounds.defaults.bytes} bytes of a call by default.`
    })
  ),
  plugins: Schema.optionalKey(
    Schema.Array(Schema.NonEmptyString).annotate({
      description:
        "Folders of plugins, relative to the project. A plugin runs with all rights of this program: load what you trust. By default .haft/plugins."
    })
  ),
  model: Schema.optionalKey(
    Schema.Struct({
      provider: Schema.Literals(["anthropic", "openai", "compatible"]),
      name: Schema.NonEmptyString,
      baseUrl: Schema.optionalKey(Schema.NonEmptyString)
    }).annotate({
      description:
        "Which model haft run asks. Keys are never written here: they come from ANTHROPIC_API_KEY or OPENAI_API_KEY. A compatible one is any server that speaks OpenAI's Chat Completions at baseUrl."
    })
  ),
  shell: Schema.optionalKey(
    Schema.Struct({
      isolation: Schema.optionalKey(Schema.Literals(["preferred", "required", "none"])),
      network: Schema.optionalKey(Schema.Boolean)
    }).annotate({
      description:
        "How commands run: isolated where the system can do that (preferred), or not at all without it (required); and whether they have a network. A command that is not isolated is asked about every time."
    })
  ),
  state: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description:
        "The directory for the record of calls and for kept outputs, outside of the project. By default one below $XDG_STATE_HOME/haft or ~/.local/state/haft."
    })
  )
}).annotate({ title: "haft.json", description: "Configuration of Haft for one project." })
export type Config = typeof Config.Type

/** A project without a file has the defaults. */
export const load = Effect.fn("Config.load")(function* (path: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const exists = yield* fileSystem.exists(path).pipe(Effect.mapError((error) => unreadable(path, error.message)))
  if (!exists) return {}
  const text = yield* fileSystem.readFileString(path).pipe(Effect.mapError((error) => unreadable(path, error.message)))
  const parsed = yield* Effect.fromResult(parseText(path, text))
  return yield* Effect.fromResult(decodeConfig(Config, path, parsed))
})

const unreadable = (path: string, reason: string): UsageError =>
  new UsageError(Sentences.unreadableConfig(path, reason))
