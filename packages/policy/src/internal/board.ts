/** The requests of one Location that have no answer yet, who waits for each, and who wants to hear of them. */
import type * as Permission from "@haft/core/Permission"
import type * as Session from "@haft/core/Session"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Approval } from "../Approval.ts"
import type { Change, Ending, Pending, Ref } from "../Approvals.ts"

/** Enough to tell everybody who was a moment late, and nothing that grows for ever. */
const maxRemembered = 1000

/** All of it happens in one thread without a pause, so what is told always agrees with what is there. */
export class Board {
  isClosed = false
  /** Open while there are requests without an answer. */
  readonly isBusy = Latch.makeUnsafe(false)
  private readonly pending = new Map<string, Pending>()
  private readonly bells = new Map<string, Deferred.Deferred<Ending>>()
  private readonly over = new Map<string, { readonly sessionID: Session.ID; readonly as: Ending }>()
  private readonly stopped = new Map<Session.ID, Session.MessageID>()
  private readonly listeners = new Set<Queue.Queue<Change, Cause.Done>>()

  get isWatched(): boolean {
    return this.listeners.size > 0
  }

  get all(): ReadonlyArray<Pending> {
    return [...this.pending.values()]
  }

  /** Of the session that the reference names: those of others are as good as unknown. */
  find({ context, id }: Ref): Pending | undefined {
    const pending = this.pending.get(id)
    return pending?.context.sessionID === context.sessionID ? pending : undefined
  }

  /** How a request of the session ended, as long as somebody remembers. */
  endOf({ context, id }: Ref): Ending | undefined {
    const over = this.over.get(id)
    return over?.sessionID === context.sessionID ? over.as : undefined
  }

  isWaiting(id: string): boolean {
    return this.bells.has(id)
  }

  /** Shows a request that nobody waits for. */
  show(approval: Approval): void {
    this.tell({ ...approval, isWaiting: false })
  }

  /** Shows a request; who waits for it hears how it ends. */
  ask(approval: Approval): Deferred.Deferred<Ending> {
    const bell = Deferred.makeUnsafe<Ending>()
    this.bells.set(approval.id, bell)
    this.tell({ ...approval, isWaiting: true })
    return bell
  }

  private tell(pending: Pending): void {
    this.pending.set(pending.id, pending)
    Latch.openUnsafe(this.isBusy)
    this.publish({ _tag: "Asked", pending })
  }

  /** The first end counts. */
  end(id: string, as: Ending): void {
    const pending = this.pending.get(id)
    if (pending === undefined) return
    const bell = this.bells.get(id)
    this.pending.delete(id)
    this.bells.delete(id)
    if (this.pending.size === 0) Latch.closeUnsafe(this.isBusy)
    this.remember(id, pending.context.sessionID, as)
    if (bell !== undefined) Deferred.doneUnsafe(bell, Effect.succeed(as))
    this.publish({ _tag: "Ended", id, as })
  }

  private remember(id: string, sessionID: Session.ID, as: Ending): void {
    this.over.set(id, { sessionID, as })
    const [oldest] = this.over.keys()
    if (this.over.size > maxRemembered && oldest !== undefined) this.over.delete(oldest)
  }

  /** Ends the turn, and refuses whatever a call of its session waits for. */
  stop({ assistantMessageID, sessionID }: Permission.Turn): void {
    this.stopped.set(sessionID, assistantMessageID)
    for (const { context, id, isWaiting } of this.all) {
      if (isWaiting && context.sessionID === sessionID) this.end(id, "stopped")
    }
  }

  /** Only the newest turn of a session can be running, so no other has to be remembered. */
  isStopped({ assistantMessageID, sessionID }: Permission.Turn): boolean {
    return this.stopped.get(sessionID) === assistantMessageID
  }

  /** Nothing waits any more, and nobody is told anything. Gives what a call had been waiting for. */
  close(): ReadonlyArray<Pending> {
    this.isClosed = true
    const waiting = this.all.filter(({ isWaiting }) => isWaiting)
    for (const { id } of waiting) this.end(id, "closed")
    for (const listener of this.listeners) Queue.endUnsafe(listener)
    return waiting
  }

  readonly changes: Stream.Stream<Change> = Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.flatMap(Queue.unbounded<Change, Cause.Done>(), (queue) => Effect.sync(() => this.listen(queue))),
        (queue) => Effect.sync(() => this.listeners.delete(queue))
      ),
      Stream.fromQueue
    )
  )

  private listen(queue: Queue.Queue<Change, Cause.Done>): Queue.Queue<Change, Cause.Done> {
    Queue.offerAllUnsafe(
      queue,
      this.all.map((pending): Change => ({ _tag: "Asked", pending }))
    )
    if (this.isClosed) Queue.endUnsafe(queue)
    else this.listeners.add(queue)
    return queue
  }

  private publish(change: Change): void {
    for (const listener of this.listeners) Queue.offerUnsafe(listener, change)
  }
}
