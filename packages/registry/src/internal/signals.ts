/** What is known about the effects of one execution, and what follows from it for the record of the call. */
import type * as EffectSignal from "@haft/core/EffectSignal"
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as SideEffect from "@haft/core/SideEffect"
import type * as Tool from "@haft/core/Tool"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Whether a tool cannot change anything before it was granted a permission or has signalled. */
export const signsFirst = ({ asksFirst, determinism }: Tool.Annotations): boolean =>
  determinism === "pure" || asksFirst === true

/** What no store could keep is a bug of the tool's, and must not cost the record of its call. */
const isMutations = Schema.is(Schema.Array(SideEffect.Mutation))

/** One is made for each call and most executors never look at it, so it makes its effects only when asked. */
export class Signals implements EffectSignal.Interface {
  /** Why the executor was stopped at its first signal: that an effect is possible could not be recorded. */
  unrecorded: SettlementStore.StorageError | undefined
  private phase: "waiting" | "silent" | "asking" | "granted" | "started" | "closed" = "waiting"
  private mutations: ReadonlyArray<SideEffect.Mutation> | undefined
  private readonly annotations: Tool.Annotations
  private readonly store: Pick<SettlementStore.Interface, "advance">
  private readonly identity: ToolCall.Identity

  /** The store makes it durable that an effect is possible; a tool that gives no sign first began that way. */
  constructor(
    annotations: Tool.Annotations,
    store: Pick<SettlementStore.Interface, "advance">,
    identity: ToolCall.Identity
  ) {
    this.annotations = annotations
    this.store = store
    this.identity = identity
  }

  /** The executor runs from here on. */
  enter(): void {
    this.phase = "silent"
  }

  get asking(): Effect.Effect<void> {
    return Effect.sync(() => {
      if (this.phase === "silent") this.phase = "asking"
    })
  }

  get granted(): EffectSignal.Interface["granted"] {
    return (approvalID) => {
      const isRecorded = approvalID === undefined && (this.isPure || !signsFirst(this.annotations))
      const recorded = isRecorded ? Effect.void : Effect.suspend(() => this.recorded(approvalID))
      // An approval is spent also by a call that has started without it.
      return this.moves("granted", recorded, approvalID !== undefined)
    }
  }

  get starting(): Effect.Effect<void> {
    const recorded = Effect.suspend(() => (signsFirst(this.annotations) ? this.recorded() : Effect.void))
    // Without an approval, none can be spent.
    return Effect.orDie(this.moves("started", recorded))
  }

  /** Once the call has ended nothing can be recorded any more, so nothing may be begun. */
  private moves<E>(
    to: "granted" | "started",
    recorded: Effect.Effect<void, E>,
    isAlwaysRecorded = false
  ): Effect.Effect<void, E> {
    return Effect.suspend(() => {
      if (this.phase === "closed") return Effect.interrupt
      if (this.phase === "started" && !isAlwaysRecorded) return Effect.void
      // The call may have ended, or gone further, while this was being recorded.
      return Effect.flatMap(recorded, () => {
        if (this.phase === "closed") return Effect.interrupt
        if (this.phase !== "started") this.phase = to
        return Effect.void
      })
    })
  }

  get committed(): EffectSignal.Interface["committed"] {
    return (mutations) =>
      Effect.sync(() => {
        if (!isMutations(mutations)) throw new TypeError("committed takes a list of mutations")
        this.mutations = [...(this.mutations ?? []), ...mutations]
      })
  }

  /** The effect of a call whose executor ended by itself or was stopped; nothing that it does later counts. */
  close(end: "success" | "failure" | "stop"): SideEffect.SideEffect {
    const effect = this.effectOf(end)
    this.phase = "closed"
    return effect
  }

  private effectOf(end: "success" | "failure" | "stop"): SideEffect.SideEffect {
    if (this.mutations !== undefined) return SideEffect.committed(this.mutations)
    if (this.phase === "waiting") return SideEffect.notStarted
    if (this.phase === "started") return end === "success" ? SideEffect.committed([]) : SideEffect.unknown
    if (end === "stop") return this.mayHaveChanged ? SideEffect.unknown : SideEffect.none
    return end === "success" && this.declaresChanges ? SideEffect.committed([]) : SideEffect.none
  }

  /** Of one that was stopped without having said that it starts. */
  private get mayHaveChanged(): boolean {
    if (this.isPure || this.phase === "asking") return false
    return this.phase === "granted" || !signsFirst(this.annotations)
  }

  private get isPure(): boolean {
    return this.annotations.determinism === "pure"
  }

  private get declaresChanges(): boolean {
    const { determinism, operations = [] } = this.annotations
    return determinism === "side_effectful" || operations.some((operation) => operation !== "read")
  }

  private recorded(approvalID?: string): Effect.Effect<void, SettlementStore.ApprovalSpentError> {
    const advanced = this.store.advance(this.identity, approvalID === undefined ? undefined : { approvalID })
    return Effect.catchTag(advanced, "SettlementStore.StorageError", (error) => {
      this.unrecorded = error
      return Effect.interrupt
    })
  }
}
