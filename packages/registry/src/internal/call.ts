/** One call while it is being settled, and at the same time the record of how it began. */
import type * as Materialization from "@haft/core/Materialization"
import * as Runtime from "@haft/core/runtime"
import * as Settlement from "@haft/core/Settlement"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type * as Tool from "@haft/core/Tool"
import type * as ToolCall from "@haft/core/ToolCall"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { fingerprint } from "./fingerprint.ts"
import { determinismOf } from "./overlay.ts"
import { shownName } from "./sentences.ts"
import { signsFirst } from "./signals.ts"

/** A store may keep it for long, so it holds what the record needs and nothing that leads to an executor. */
export class Call implements SettlementStore.Begun {
  /** Executors get it, and must not make one call pass for another. */
  readonly context: Tool.Context
  /** As the model wrote it, cut if it is no name. */
  readonly name: string
  readonly input: Runtime.Arrived
  readonly begunAt: number
  private definition: ToolDefinition | undefined
  private fingerprint: string | undefined
  private mended: Runtime.Repaired | undefined

  constructor({ agent, assistantMessageID, call, sessionID }: Materialization.Request, begunAt: number) {
    this.context = Object.freeze({ sessionID, agent, assistantMessageID, toolCallID: call.id })
    this.name = shownName(call.name)
    this.input = Runtime.guard(call.input)
    this.begunAt = begunAt
    this.definition = undefined
    this.fingerprint = undefined
    this.mended = undefined
  }

  get identity(): ToolCall.Identity {
    return this.context
  }

  /** From here on it is a call of this tool, about to begin. */
  resolved(definition: ToolDefinition): void {
    this.definition = definition
  }

  /** Its arguments did not fit as they came, and these are decoded instead. */
  repaired(mended: Runtime.Repaired): void {
    this.mended = mended
  }

  /** What was changed about the arguments. */
  get warnings(): ReadonlyArray<Settlement.Warning> {
    return this.mended === undefined ? none : Settlement.repairWarnings(this.mended)
  }

  /** Empty for a call that led to no tool. Made when somebody asks, and then once for each registration. */
  get registrationDigest(): string {
    return this.definition === undefined ? "" : digestOf(this.definition)
  }

  get determinism(): SettlementStore.Begun["determinism"] {
    return this.definition === undefined ? "pure" : determinismOf(this.definition)
  }

  /** From the moment it is entered, unless the tool has declared that there will be a sign first. */
  get effectPossible(): boolean {
    return this.definition !== undefined && !signsFirst(this.definition.annotations)
  }

  /** Of the arguments as they came. Made when somebody asks: it costs more than settling a small call. */
  get inputFingerprint(): string {
    this.fingerprint ??= Result.isSuccess(this.input) ? fingerprint(this.input.success) : unreadOf(this.input.failure)
    return this.fingerprint
  }

  /** The arguments as they are decoded: what could not be read at all is never executed. */
  get decoded(): Schema.JsonObject {
    return this.mended?.value ?? Result.getOrElse(this.input, () => nothing)
  }

  /** Of the arguments as they are decoded, which is what an approval is bound to. */
  get decodedFingerprint(): string {
    return this.mended === undefined ? this.inputFingerprint : fingerprint(this.mended.value)
  }

  /** Whether another call, or the record of one, asked for the same thing. */
  asksFor(other: { readonly name: string; readonly inputFingerprint: string }): boolean {
    return this.name === other.name && this.inputFingerprint === other.inputFingerprint
  }
}

/** Shared by all, and never changed. */
const none: ReadonlyArray<never> = Object.freeze([])

const nothing: Schema.JsonObject = Object.freeze({})

/** What the guard refused has no fingerprint of its own. */
const refusedInput = "refused"

/** Of text that is not plain JSON, and of JSON that is no object. */
const unreadOf = (unread: Runtime.Unread): string => {
  if (unread._tag === "Refused") return refusedInput
  return fingerprint(unread._tag === "Text" ? unread.text : (unread.value ?? null))
}

const digests = new WeakMap<ToolDefinition, string>()

/** Of what the model is shown, so that an approval can be bound to it. */
export const digestOf = (definition: ToolDefinition): string => {
  const digest = digests.get(definition) ?? fingerprint(definition)
  digests.set(definition, digest)
  return digest
}
