/** `haft call`: one call as a model would make it, settled and recorded like every other. */
import * as Agent from "@haft/core/Agent"
import type * as Materialization from "@haft/core/Materialization"
import * as Session from "@haft/core/Session"
import * as Settlement from "@haft/core/Settlement"
import * as ToolCall from "@haft/core/ToolCall"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Contract from "@haft/wire/Contract"
import * as Rendering from "@haft/wire/Rendering"
import * as Settled from "@haft/wire/Settled"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { attended } from "./attended.ts"
import { exitCodes, OperationalError, ReportedError, UsageError } from "./faults.ts"
import { haft, withHost } from "./haft.ts"
import { identifier } from "./identifier.ts"
import * as Sentences from "./sentences.ts"
import { lines, notes } from "./settledText.ts"
import { turn } from "./turn.ts"

/** One session for all calls of people, so that a later call can read what an earlier one left in managed storage. */
const defaultSession = "haft-call"

const name = Argument.String("tool").pipe(Argument.withDescription("The name of the tool, see `haft tools`"))

const input = Argument.String("input").pipe(
  Argument.withDescription("Its arguments as JSON, or - to read them from standard input"),
  Argument.withDefault("{}")
)

const contract = Flag.Literals("as", Contract.Contract.literals).pipe(
  Flag.withDescription("Print the outcome in the words of a published contract"),
  Flag.optional
)

const session = Flag.String("session").pipe(
  Flag.withDescription("The session that the call belongs to"),
  Flag.withDefault(defaultSession)
)

const id = Flag.String("id").pipe(
  Flag.withDescription("The id of the call. One that was used before gives the recorded outcome, and runs nothing"),
  Flag.optional
)

const timeout = Flag.Int("timeout").pipe(
  Flag.withDescription("Milliseconds that the call may take"),
  Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  Flag.optional
)

const yes = Flag.Boolean("yes").pipe(
  Flag.withDescription("Allow once whatever the tool asks for, without showing it first"),
  Flag.withDefault(false)
)

export const call = Command.make(
  "call",
  { name, input, contract, session, id, timeout, yes },
  Effect.fnUntraced(function* (given) {
    const request = yield* requestOf(given)
    yield* withHost(
      Effect.gen(function* () {
        const { definitions, settle } = yield* turn
        const exit = yield* attended(settle(request), given.yes ? "grant" : "ask").pipe(Effect.exit)
        const definition = definitions.find((definition) => definition.name === given.name)
        if (Option.isSome(given.contract)) return yield* showAs(given.contract.value, exit, request, definition)
        return yield* showSettled(exit)
      })
    )
  })
).pipe(
  Command.withDescription("Call a tool without a model"),
  Command.withExamples([
    { command: `haft call read '{"path":"README.md"}'`, description: "Read a file as a model would" },
    {
      command: `haft call read '{"path":"README.md"}' --as orloj`,
      description: "The same outcome in a contract's words"
    },
    { command: "haft call write - < arguments.json", description: "Take long arguments from a file" }
  ])
)

interface Given {
  readonly name: string
  readonly input: string
  readonly session: string
  readonly id: Option.Option<string>
  readonly timeout: Option.Option<number>
}

/** The text goes to the registry as it is: what a model would be told about it, a person is told as well. */
const requestOf = Effect.fnUntraced(function* (given: Given) {
  const input = given.input === "-" ? yield* standardInput : given.input
  const id = Option.getOrElse(given.id, () => SecureRandom.uuidV4Unsafe())
  const request: Materialization.Request = {
    sessionID: yield* identifier(Session.ID, "the id of a session", given.session),
    agent: Agent.ID.make("haft"),
    assistantMessageID: yield* identifier(Session.MessageID, "the id of a message", id),
    call: { id: yield* identifier(ToolCall.ID, "the id of a call", id), name: given.name, input },
    ...(Option.isSome(given.timeout) ? { timeoutMs: given.timeout.value } : {})
  }
  return request
})

const standardInput = Effect.flatMap(Stdio.Stdio, ({ stdin }) => Stream.mkString(Stream.decodeText(stdin))).pipe(
  Effect.mapError(({ message }) => new UsageError(Sentences.unreadableInput(message)))
)

type SettleExit = Exit.Exit<Settlement.Settlement, Materialization.SettleError>

const showAs = Effect.fnUntraced(function* (
  contract: Contract.Contract,
  exit: SettleExit,
  request: Materialization.Request,
  definition: ToolDefinition | undefined
) {
  const { determinism, version } = definition?.annotations ?? {}
  const outcome = Settled.toOutcome(exit, {
    call: { callId: request.call.id, toolName: request.call.name, ...(version === undefined ? {} : { version }) },
    ...(determinism === undefined ? {} : { determinism })
  })
  const rendered = Rendering.render(contract, outcome)
  if (rendered._tag === "NoEnvelope") return yield* new OperationalError(Sentences.noEnvelope(contract))
  yield* Console.log(rendered.envelope)
  return yield* ending(exit)
})

const showSettled = Effect.fnUntraced(function* (exit: SettleExit) {
  if (Exit.isFailure(exit)) return yield* ending(exit)
  const { json } = yield* haft
  if (json) yield* Console.log(JSON.stringify(yield* encode(exit.value), undefined, 2))
  else {
    for (const note of notes(exit.value)) yield* Console.error(note)
    const print = exit.value._tag === "Succeeded" ? Console.log : Console.error
    for (const line of lines(exit.value)) yield* print(line)
  }
  return yield* ending(exit)
})

/** A settlement is made from values that its schema describes. */
const encode = (settlement: Settlement.Settlement) =>
  Effect.orDie(Schema.encodeEffect(Schema.toCodecJson(Settlement.Settlement))(settlement))

/** The number that a script sees. */
const ending = (exit: SettleExit): Effect.Effect<void, ReportedError | OperationalError> => {
  if (Exit.isFailure(exit)) return Effect.mapError(Effect.failCause(exit.cause), unsettled)
  if (exit.value._tag === "Failed") return new ReportedError({ exitCode: exitCodes.failed })
  return exit.value._tag === "Rejected" ? new ReportedError({ exitCode: exitCodes.rejected }) : Effect.void
}

const unsettled = ({ _tag }: Materialization.SettleError): OperationalError =>
  new OperationalError(Sentences.unsettled(_tag))
