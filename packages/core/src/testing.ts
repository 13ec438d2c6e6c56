/** Runs one tool in a unit test, without a registry: every stage in order, with a made-up context. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Agent from "./Agent.ts"
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
  readonly progress: ReadonlyArray<Progress.Update>
  /** What the executor signalled: `None` if nothing, `Unknown` if it began a change and did not finish it. */
  readonly effect: SideEffect.SideEffect
}

/**
 * Calls `tool` with arguments as a model would send them. Fails with the error of the stage that failed; a defect or an
 * interruption of the executor is that of this effect.
 */
export const call = Effect.fnUntraced(function* <Input extends Tool.Codec, Output extends Tool.Codec>(
  tool: Tool.Tool<Input, Output>,
  input: unknown,
  options?: { readonly name?: string; readonly context?: Tool.Context }
): Effect.fn.Return<Called<Input, Output>, Tool.RegistrationError | InvalidInput | ToolFailure | InvalidOutput> {
  const runtime = yield* Effect.fromResult(Runtime.open(options?.name ?? "tool", tool))
  const recorder = yield* makeRecorder
  const decoded = yield* runtime.decode(input)
  const returned = yield* runtime
    .execute(decoded, options?.context ?? context)
    .pipe(Effect.provideService(Progress.Service, recorder), Effect.provideService(EffectSignal.Service, recorder))
  const output = runtime.project(decoded, yield* runtime.encode(returned))
  return { ...(yield* recorder.recorded), definition: runtime.definition, ...typed(decoded, returned), output }
})

const makeRecorder = Effect.gen(function* () {
  const progress = yield* Ref.make<ReadonlyArray<Progress.Update>>([])
  const effect = yield* Ref.make<SideEffect.SideEffect>(SideEffect.none)
  return {
    report: (update: Progress.Update) => Ref.update(progress, (reports) => [...reports, update]),
    starting: Ref.set(effect, SideEffect.unknown),
    committed: (mutations: ReadonlyArray<SideEffect.Mutation>) => Ref.set(effect, SideEffect.committed(mutations)),
    recorded: Effect.all({ progress: Ref.get(progress), effect: Ref.get(effect) })
  }
})

/** The stages forget the types that the tool's codecs gave; here they are known again. */
const typed = (input: Tool.Codec["Type"], returned: Tool.Codec["Type"]) => ({ input, returned })
