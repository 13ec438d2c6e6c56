/**
 * What waits for somebody's approval, for people and programs outside of the process, and how they decide. While it is
 * there, whoever asks for a permission is not refused for want of a person.
 */
import * as Approvals from "@haft/policy/Approvals"
import * as Display from "@haft/policy/Display"
import type * as PolicyStore from "@haft/policy/PolicyStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ApprovalGate from "./ApprovalGate.ts"
import type * as Approver from "./Approver.ts"
import * as Scrubber from "./Scrubber.ts"
import * as Secrets from "./Secrets.ts"

/** A request without an answer, with nothing in it that was handed out as a secret. */
export const Waiting = Schema.Struct({
  id: Schema.String,
  tool: Schema.String,
  /** As it will run. */
  input: Schema.JsonObject,
  /** What is to be done, and to what: `invoke` for a whole call, or whatever a tool asks about while it runs. */
  action: Schema.String,
  resources: Schema.Array(Schema.String),
  /** Why, by which rules, for whom and on which evidence, as far as it was said. */
  details: Schema.JsonObject,
  agent: Schema.String,
  session_id: Schema.String,
  call_id: Schema.String,
  requested_at: Schema.String,
  expires_at: Schema.String,
  /** All of it for a person to read, with nothing in it that could deceive. */
  text: Schema.String
})
export type Waiting = typeof Waiting.Type

/** Longer than anybody explains, and short enough for a model to read. */
export const maxFeedbackLength = 4096

/** One of the two, and for the model what to do instead. */
export const Decision = Schema.Struct({
  decision: Schema.Literals(["approve", "deny"]),
  feedback: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(maxFeedbackLength)))
})
export type Decision = typeof Decision.Type

/** What a decision came to. */
export const Decided = Schema.Struct({
  id: Schema.String,
  phase: Schema.Literals(["Approved", "Denied"]),
  decided_by: Schema.String
})
export type Decided = typeof Decided.Type

export interface Interface {
  /** What the approver may decide about, the oldest first. */
  readonly waiting: (approver: Approver.Interface) => Effect.Effect<ReadonlyArray<Waiting>>
  /** Exactly one decision counts. What belongs to another tenant is as good as unknown. */
  readonly decide: (
    approver: Approver.Interface,
    id: string,
    decision: Decision
  ) => Effect.Effect<Decided, Approvals.UnknownError | Approvals.EndedError | PolicyStore.StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/ApprovalDesk") {}

/** Enough to tell everybody who was a moment late, and nothing that grows for ever. */
const maxRemembered = 1000

/** Listens for as long as the layer's Scope is open. */
export const layer: Layer.Layer<Service, never, Approvals.Service> = Layer.effect(
  Service,
  Effect.gen(function* () {
    const approvals = yield* Approvals.Service
    const secrets = yield* Secrets.Service
    const desk = new Desk()
    yield* Effect.forkScoped(
      Stream.runForEach(approvals.changes, (change) => Effect.sync(() => desk.note(change))),
      { startImmediately: true }
    )
    return {
      waiting: (approver) =>
        Effect.sync(() => desk.waiting(approver).map((pending) => shown(pending, secrets.scrubber()))),
      decide: (approver, id, { decision, feedback }) =>
        Effect.gen(function* () {
          const pending = desk.find(id, approver)
          if (pending === undefined) return yield* new Approvals.UnknownError({ id })
          const reply = decision === "approve" ? Approvals.once : Approvals.reject(feedback)
          yield* approvals.reply(pending, reply, approver.name)
          return { id, phase: decision === "approve" ? "Approved" : "Denied", decided_by: approver.name }
        })
    }
  })
)

/** What was asked, in its order, and what of it is over. */
class Desk {
  private readonly asked = new Map<string, Approvals.Pending>()
  private readonly over = new Map<string, Approvals.Pending>()

  note(change: Approvals.Change): void {
    if (change._tag === "Asked") {
      this.asked.set(change.pending.id, change.pending)
      return
    }
    const pending = this.asked.get(change.id)
    if (pending === undefined) return
    this.asked.delete(change.id)
    this.over.set(change.id, pending)
    const [oldest] = this.over.keys()
    if (this.over.size > maxRemembered && oldest !== undefined) this.over.delete(oldest)
  }

  waiting(approver: Approver.Interface): ReadonlyArray<Approvals.Pending> {
    return [...this.asked.values()].filter((pending) => concerns(pending, approver))
  }

  /** Also what is over, so that whoever is late is told so. */
  find(id: string, approver: Approver.Interface): Approvals.Pending | undefined {
    const pending = this.asked.get(id) ?? this.over.get(id)
    return pending !== undefined && concerns(pending, approver) ? pending : undefined
  }
}

/** Only a gate says whose call it is: what a tool asks about by itself is for those who decide about everybody's. */
const concerns = ({ request }: Approvals.Pending, { tenantId }: Approver.Interface): boolean =>
  tenantId === undefined || (request.action === ApprovalGate.action && request.metadata["tenant"] === tenantId)

/** As approvers see it. */
export const shown = (pending: Approvals.Pending, scrubber: Scrubber.Scrubber = Scrubber.none): Waiting => {
  const { askedAt, context, expiresAt, id, input = {}, request, tool = "" } = pending
  return scrubber.json({
    id,
    tool,
    input,
    action: request.action,
    resources: request.resources,
    details: request.metadata,
    agent: context.agent,
    session_id: context.sessionID,
    call_id: context.toolCallID,
    requested_at: new Date(askedAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    text: Display.prompt(pending)
  })
}
