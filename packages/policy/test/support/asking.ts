/** Tools that ask and people who answer, without a registry. */
import {
  Agent,
  EffectSignal,
  Invocation,
  Location,
  Permission,
  Session,
  type Tool,
  ToolCall,
  ToolName
} from "@haft/core"
import { Approvals, Permissions, PolicyStore } from "@haft/policy"
import { Effect, Layer, Option, Queue, Ref, Stream } from "effect"

export const location = Location.Ref.make("/project")
export const elsewhere = Location.Ref.make("/another/project")

export const context = (call = "call", session = "session", message = "message"): Tool.Context => ({
  sessionID: Session.ID.make(session),
  agent: Agent.ID.make("agent"),
  assistantMessageID: Session.MessageID.make(message),
  toolCallID: ToolCall.ID.make(call)
})

export const request = (change: Partial<Permission.Request> = {}): Permission.Request => ({
  action: "edit",
  resources: ["src/a.ts"],
  save: ["src/*"],
  metadata: {},
  ...change
})

export const layer = (options: Partial<Permissions.Options> = {}) =>
  Permissions.layer({ location, ...options }).pipe(Layer.provideMerge(PolicyStore.layerMemory))

export const assert = Effect.fnUntraced(function* (change: Partial<Permission.Request> = {}, of = context()) {
  const permission = yield* Permission.Service
  return yield* permission.assert(request(change), of)
})

/** `granted`, or the error. */
export const outcome = (change: Partial<Permission.Request> = {}, of = context()) =>
  Effect.match(assert(change, of), { onSuccess: () => "granted" as const, onFailure: (error) => error })

/** Somebody who listens from now on. What they hear is in the queue. */
export const listen = Effect.gen(function* () {
  const approvals = yield* Approvals.Service
  const heard = yield* Queue.unbounded<Approvals.Change>()
  yield* Effect.forkScoped(
    Stream.runForEach(approvals.changes, (change) => Queue.offer(heard, change)),
    { startImmediately: true }
  )
  return heard
})

/** The next request that a listener hears of. */
export const nextAsked = (heard: Queue.Dequeue<Approvals.Change>): Effect.Effect<Approvals.Pending> =>
  Effect.flatMap(Queue.take(heard), (change) =>
    change._tag === "Asked" ? Effect.succeed(change.pending) : nextAsked(heard)
  )

/** The next end that a listener hears of. */
export const nextEnded = (heard: Queue.Dequeue<Approvals.Change>): Effect.Effect<Approvals.Ending> =>
  Effect.flatMap(Queue.take(heard), (change) =>
    change._tag === "Ended" ? Effect.succeed(change.as) : nextEnded(heard)
  )

/** What the permission told about the call, in order. */
export const recordingSignals = Effect.map(Ref.make<ReadonlyArray<string>>([]), (told) => {
  const tell = (what: string) => Ref.update(told, (before) => [...before, what])
  const signal: EffectSignal.Interface = {
    asking: tell("asking"),
    granted: (approvalID) => tell(approvalID === undefined ? "granted" : `granted ${approvalID}`),
    starting: tell("starting"),
    committed: () => tell("committed")
  }
  const provide = Effect.provideService(EffectSignal.Service, signal)
  return { told: Ref.get(told), provide }
})

/** As a registry says what is being executed. */
export const executing = (change: Partial<Invocation.Interface> = {}) =>
  Effect.provideService(
    Invocation.Service,
    Option.some<Invocation.Interface>({
      name: ToolName.ToolName.make("write"),
      registrationDigest: "digest",
      input: { path: "src/a.ts" },
      inputFingerprint: "fingerprint",
      determinism: "side_effectful",
      ...change
    })
  )

type Fields = Omit<ConstructorParameters<typeof Permission.DeniedError>[0], "message">

export const denied = (fields: Fields, message: string) => new Permission.DeniedError({ message, ...fields })

/** A call that waits for its answer, and the request that a person sees. */
export const asked = Effect.fnUntraced(function* (
  heard: Queue.Dequeue<Approvals.Change>,
  change: Partial<Permission.Request> = {},
  of = context()
) {
  const fiber = yield* Effect.forkChild(outcome(change, of), { startImmediately: true })
  return { fiber, pending: yield* nextAsked(heard) }
})

export const saved = Effect.flatMap(Approvals.Service, (approvals) => approvals.saved)

export const reply = Effect.fnUntraced(function* (ref: Approvals.Ref, answer: Approvals.Reply) {
  const approvals = yield* Approvals.Service
  return yield* approvals.reply(ref, answer)
})

export const kept = Effect.flatMap(PolicyStore.Service, (store) => store.read(location))
