/** Runs one tool in a unit test, without a registry: every stage in order, with a made-up context. */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Agent from "./Agent.ts"
import type * as ArgumentRepair from "./ArgumentRepair.ts"
import * as EffectSignal from "./EffectSignal.ts"
import type { InvalidInput } from "./InvalidInput.ts"
import type { InvalidOutput } from "./InvalidOutput.ts"
import * as Progress from "./Progress.ts"
import * as Runtime from "./runtime.ts"
import * as Session from "./Session.ts"
import * as SideEffect from "./SideEffect.ts"
import type * as Tool from "./Tool.ts"
import * as ToolCall from "./ToolCall.ts"
import type { ToolDefinition } from "./ToolDefinition.ts"
import type { ToolFailure } from "./ToolFailure.ts"
import type { ToolOutput } from "./ToolOutput.ts"

/** Ids that belong to no one. */
export const context: Tool.Context = {
  sessionID: Session.ID.make("session"),
  agent: Agent.ID.make("agent"),
  assistantMessageID: Session.MessageID.make("message"),
  toolCallID: ToolCall.ID.make("call")
}

/** What each stage of a call that went through gave. */
export interface Called<Input extends Tool.Codec, Output extends Tool.Codec> {
  readonly definition: ToolDefinition
  readonly input: Input["Type"]
  readonly returned: Output["Type"]
  readonly output: ToolOutput
  /** What had to be repaired about the arguments. */
  readonly warnings: ReadonlyArray<ArgumentRepair.Warning>
}

/** What an executor told the world around it, however it ended. */
export interface Observed<Input extends Tool.Codec, Output extends Tool.Codec> {
  readonly exit: Exit.Exit<Called<Input, Output>, CallError>
  readonly progress: ReadonlyArray<Progress.Update>
  /** `None` if nothing was signalled, `Unknown` if a change was begun and not finished. */
  readonly effect: SideEffect.SideEffect
}

/** The error of whichever stage failed. */
export type CallError = Tool.RegistrationError | InvalidInput | ToolFailure | InvalidOutput

/** What a test may choose; the rest is made up. */
export interface Options {
  readonly name?: string
  readonly context?: Tool.Context
  /** How much of the arguments is repaired, unless the tool allows less. */
  readonly repair?: ArgumentRepair.Level
}

/** What a model would be told about `tool` under a name, or why it cannot be registered under it. */
export const define = (name: string, tool: Tool.Any): Result.Result<ToolDefinition, Tool.RegistrationError> =>
  Result.map(Runtime.open(name, tool), ({ definition }) => definition)

/**
 * Calls `tool` with arguments as a model would send them. Fails with the error of the stage that failed; a defect or an
 * interruption of the executor is that of this effect.
 */
export const call = Effect.fnUntraced(function* <Input extends Tool.Codec, Output extends Tool.Codec>(
  tool: Tool.Tool<Input, Output>,
  input: unknown,
  options?: Options
): Effect.fn.Return<Called<Input, Output>, CallError> {
  const runtime = yield* Effect.fromResult(Runtime.open(options?.name ?? "tool", tool))
  const { definition, encode, execute, project } = runtime
  const [decoded, warnings] = yield* accept(runtime, input, options?.repair ?? "default")
  const returned = yield* execute(decoded, options?.context ?? context)
  const output = project(decoded, yield* encode(returned))
  return { definition, ...typed(decoded, returned), output, warnings }
})

type Accepted = readonly [Runtime.Decoded, ReadonlyArray<ArgumentRepair.Warning>]

/** As sent, or else as repaired. */
const accept = (
  { decode, repair }: Runtime.Runtime,
  input: unknown,
  level: ArgumentRepair.Level
): Effect.Effect<Accepted, InvalidInput> => {
  const arrived = Runtime.guard(input)
  return Effect.suspend(() => decode(arrived, level)).pipe(
    Effect.map((decoded): Accepted => [decoded, []]),
    Effect.catch(() =>
      Effect.map(repair(arrived, level), ({ input, repaired }): Accepted => [input, repaired.warnings])
    )
  )
}

/** Calls `tool` and also gives what it reported and signalled, whether it succeeded or not. */
export const observe = Effect.fnUntraced(function* <Input extends Tool.Codec, Output extends Tool.Codec>(
  tool: Tool.Tool<Input, Output>,
  input: unknown,
  options?: Options
): Effect.fn.Return<Observed<Input, Output>> {
  const recorder = yield* makeRecorder
  const exit = yield* Effect.exit(call(tool, input, options)).pipe(
    Effect.provideService(Progress.Service, recorder),
    Effect.provideService(EffectSignal.Service, recorder)
  )
  return { exit, ...(yield* recorder.recorded) }
})

const makeRecorder = Effect.gen(function* () {
  const progress = yield* Ref.make<ReadonlyArray<Progress.Update>>([])
  const effect = yield* Ref.make<SideEffect.SideEffect>(SideEffect.none)
  return {
    report: (update: Progress.Update) => Ref.update(progress, (reports) => [...reports, update]),
    asking: Effect.void,
    granted: () => Effect.void,
    starting: Ref.set(effect, SideEffect.unknown),
    committed: (mutations: ReadonlyArray<SideEffect.Mutation>) => Ref.set(effect, SideEffect.committed(mutations)),
    recorded: Effect.all({ progress: Ref.get(progress), effect: Ref.get(effect) })
  }
})

/** The stages forget the types that the tool's codecs gave; here they are known again. */
const typed = (input: Tool.Codec["Type"], returned: Tool.Codec["Type"]) => ({ input, returned })
