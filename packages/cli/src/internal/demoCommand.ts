/** `haft demo`: a session on a sample project, with a scripted model or with a real one if there is a key. */
import * as Agent from "@haft/core/Agent"
import * as Session from "@haft/core/Session"
import * as PluginHost from "@haft/registry/PluginHost"
import * as RegistrySql from "@haft/registry/sql"
import type { Event } from "@haft/runner/Event"
import * as History from "@haft/runner/History"
import * as Runner from "@haft/runner/Runner"
import * as ScriptedModel from "@haft/runner/ScriptedModel"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Host from "../Host.ts"
import * as Project from "../Project.ts"
import { attended } from "./attended.ts"
import * as DemoProject from "./demoProject.ts"
import { scriptOf } from "./demoScript.ts"
import { OperationalError } from "./faults.ts"
import { explained } from "./openingFaults.ts"
import { showAll } from "./logCommand.ts"
import { fromEnvironment } from "./modelChoice.ts"
import * as Sentences from "./sentences.ts"
import { toolsOf } from "./turn.ts"
import { concluded, watch } from "./watching.ts"

/** The demo is one session: cut off, it goes on; finished, it begins anew. */
const sessionID = Session.ID.make("demo")

const prompt = "Mend the greeting in src/greeting.txt, leave a note about it, and tell me what the weather tool says."

export const demo = Command.make("demo", {}, () =>
  Effect.gen(function* () {
    const base = yield* Project.stateBase
    const path = yield* Path.Path
    const place = path.join(base, "demo")
    const finished = path.join(place, "finished")
    yield* renew(place, finished)
    const root = path.join(place, "project")
    yield* DemoProject.prepare(root)
    yield* Console.error(Sentences.demoIn(root))
    yield* session.pipe(
      Effect.provide(Host.layer),
      Effect.provide(Project.layer(Option.some(root), path.join(place, "state")))
    )
    yield* Effect.flatMap(FileSystem.FileSystem, (fileSystem) => fileSystem.writeFileString(finished, ""))
  }).pipe(explained)
).pipe(Command.withDescription("Watch an agent session on a sample project, without a key or a network"))

/** What a finished demo left is removed; what a cut one left is taken up. */
const renew = Effect.fnUntraced(function* (place: string, finished: string) {
  const fileSystem = yield* FileSystem.FileSystem
  if (yield* fileSystem.exists(finished)) yield* fileSystem.remove(place, { recursive: true })
  yield* fileSystem.makeDirectory(place, { recursive: true, mode: 0o700 })
})

const session = Effect.gen(function* () {
  const real = yield* fromEnvironment(undefined)
  const model = Option.isSome(real) ? real.value : ScriptedModel.layer(scriptOf(yield* reloading), { delay })
  const tools = yield* toolsOf
  const history = yield* History.Service
  const isBegun = (yield* history.read(sessionID)).length > 0
  const events = Effect.map(Runner.Service, (runner) =>
    runner.run({ sessionID, agent: Agent.ID.make("demo"), tools, ...(isBegun ? {} : { prompt }) })
  )
  const conclusion = yield* attended(Runner.conclude(Stream.tap(Stream.unwrap(events), makeShow())), "grant").pipe(
    Effect.mapError((error) => new OperationalError(Sentences.runFailed(error.message))),
    Effect.provide(Runner.layer),
    Effect.provide(model)
  )
  yield* Console.error(`\n${concluded(conclusion)}\n`)
  const records = yield* RegistrySql.log({ limit: maxCalls, sessionID })
  yield* showAll(records.toReversed())
  const { state } = yield* Project.Service
  yield* Console.error(Sentences.demoKept(state.database))
})

/** Of each word: slow enough to watch, and fast enough not to be waited for. */
const delay = "15 millis"

/** More than the demo makes. */
const maxCalls = 100

/** The one call that never ends is interrupted as soon as it says that it waits. */
const makeShow = () => {
  const waiting = new Map<string, Effect.Effect<void>>()
  return Effect.fnUntraced(function* (event: Event) {
    yield* watch(event)
    if (event._tag === "CallStarted" && event.call.name === "wait") waiting.set(event.call.id, event.interrupt)
    if (event._tag === "CallProgress") yield* waiting.get(event.callID) ?? Effect.void
  })
}

/** Writes the next version of the plugin, and waits until it is there. */
const reloading = Effect.gen(function* () {
  const { root } = yield* Project.Service
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const host = yield* PluginHost.Service
  const isNew = ({ status }: PluginHost.State) => status._tag === "Active" && status.manifest.version === "2.0.0"
  // A disk that fails shows in what the plugin says afterwards.
  return fileSystem
    .writeFileString(path.join(root, DemoProject.pluginFile), DemoProject.pluginText(2))
    .pipe(Effect.andThen(Stream.runHead(Stream.filter(host.changes, (states) => states.some(isNew)))), Effect.ignore)
})
