/** `haft plugins`: what is installed, from where, and why something is not. */
import * as PluginHost from "@haft/registry/PluginHost"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import { exitCodes, ReportedError } from "./faults.ts"
import { answer, withHost } from "./haft.ts"
import * as Sentences from "./sentences.ts"
import { table } from "./table.ts"

export const plugins = Command.make("plugins", {}, () =>
  withHost(
    Effect.gen(function* () {
      const states = yield* Effect.flatMap(PluginHost.Service, (host) => host.states)
      const data = yield* encode(states)
      yield* answer(data, () => (states.length === 0 ? Sentences.noPlugins : table(head, states.map(rowOf))))
      if (states.some(({ status }) => status._tag === "Failed" || status._tag === "Outdated")) {
        return yield* new ReportedError({ exitCode: exitCodes.failed })
      }
    })
  )
).pipe(Command.withDescription("Show the plugins of the project, and why one does not work"))

const head = ["plugin", "state", "version", "source"]

const rowOf = ({ source, status }: PluginHost.State): ReadonlyArray<string> => {
  const manifest = "manifest" in status ? status.manifest : undefined
  const reason = "failure" in status ? `: ${status.failure.message}` : ""
  return [manifest?.id ?? "-", status._tag, manifest?.version ?? "-", `${source}${reason}`]
}

/** What a host says about itself fits its own schema. */
const encode = (states: ReadonlyArray<PluginHost.State>) =>
  Effect.orDie(Schema.encodeEffect(Schema.toCodecJson(Schema.Array(PluginHost.State)))(states))
