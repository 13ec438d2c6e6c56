/** `haft run`: an agent session in the terminal, on the tools of the project. */
import * as Agent from "@haft/core/Agent"
import * as Session from "@haft/core/Session"
import type * as Model from "@haft/runner/Model"
import * as Runner from "@haft/runner/Runner"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Project from "../Project.ts"
import { attended } from "./attended.ts"
import { OperationalError, UsageError } from "./faults.ts"
import { haft, withHost } from "./haft.ts"
import { identifier } from "./identifier.ts"
import { fromEnvironment } from "./modelChoice.ts"
import { scripted } from "./script.ts"
import * as Sentences from "./sentences.ts"
import { toolsOf } from "./turn.ts"
import { concluded, watch } from "./watching.ts"

const prompt = Argument.String("prompt").pipe(
  Argument.withDescription("What the model is asked to do. Without it, an earlier session goes on"),
  Argument.optional
)

const session = Flag.String("session").pipe(
  Flag.withDescription("The session to go on with. By default a new one, whose name is printed"),
  Flag.optional
)

const script = Flag.String("script").pipe(
  Flag.withDescription("A file with the answers of a model, instead of a model: a list of lists of texts and calls"),
  Flag.optional
)

const yes = Flag.Boolean("yes").pipe(
  Flag.withDescription("Allow once whatever a tool asks for, without showing it first"),
  Flag.withDefault(false)
)

export const run = Command.make(
  "run",
  { prompt, session, script, yes },
  Effect.fnUntraced(function* (given) {
    const name = Option.getOrElse(given.session, () => `run-${SecureRandom.uuidV4Unsafe()}`)
    const sessionID = yield* identifier(Session.ID, "the id of a session", name)
    if (Option.isNone(given.prompt) && Option.isNone(given.session)) return yield* new UsageError(Sentences.noPrompt)
    yield* withHost(
      Effect.gen(function* () {
        const model = yield* modelOf(given.script)
        yield* Console.error(Sentences.sessionNamed(sessionID))
        yield* attended(converse(sessionID, given.prompt), given.yes ? "grant" : "ask").pipe(
          Effect.provide(Runner.layer),
          Effect.provide(model),
          Effect.onInterrupt(() => Console.error(Sentences.cutOff(sessionID)))
        )
      })
    )
  })
).pipe(
  Command.withDescription("Run an agent session in the terminal"),
  Command.withExamples([
    { command: `haft run "Fix the failing test"`, description: "With the model that the environment has a key for" },
    { command: "haft run --session run-…", description: "Go on with a session that was cut off" }
  ])
)

const modelOf = Effect.fnUntraced(function* (
  script: Option.Option<string>
): Effect.fn.Return<Layer.Layer<Model.Service>, UsageError, FileSystem.FileSystem | Project.Service> {
  if (Option.isSome(script)) return yield* scripted(script.value)
  const { config } = yield* Project.Service
  const model = yield* fromEnvironment(config.model)
  return Option.isSome(model) ? model.value : yield* new UsageError(Sentences.noModel)
})

const converse = Effect.fnUntraced(function* (sessionID: Session.ID, prompt: Option.Option<string>) {
  const runner = yield* Runner.Service
  const tools = yield* toolsOf
  const { json } = yield* haft
  const events = runner.run({
    sessionID,
    agent: Agent.ID.make("haft"),
    tools,
    ...(Option.isSome(prompt) ? { prompt: prompt.value } : {})
  })
  const conclusion = yield* Runner.conclude(json ? events : Stream.tap(events, watch)).pipe(
    Effect.mapError((error) => new OperationalError(Sentences.runFailed(error.message)))
  )
  yield* json ? Console.log(JSON.stringify(conclusion, undefined, 2)) : Console.error(concluded(conclusion))
})
