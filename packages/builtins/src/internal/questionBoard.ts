/** The questions of one Location that have no answer yet, who waits for each, and who wants to hear of them. */
import type * as Session from "@haft/core/Session"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Answer, Change, Pending, Ref } from "../Questions.ts"
import type { Ending } from "./questionErrors.ts"

/** Enough to tell everybody who was a moment late, and nothing that grows for ever. */
const maxRemembered = 1000

/** How a question ended, with what somebody said to it. */
export interface End {
  readonly as: Ending
  readonly answers?: ReadonlyArray<Answer>
  readonly feedback?: string
}

/** All of it happens in one thread without a pause, so what is told always agrees with what is there. */
export class QuestionBoard {
  isClosed = false
  private readonly waiting = new Map<string, { readonly pending: Pending; readonly bell: Deferred.Deferred<End> }>()
  private readonly over = new Map<string, { readonly session: Session.ID; readonly as: Ending }>()
  private readonly listeners = new Set<Queue.Queue<Change, Cause.Done>>()

  get isWatched(): boolean {
    return this.listeners.size > 0
  }

  /** Of the session that the reference names: those of others are as good as unknown. */
  find({ context, id }: Ref): Pending | undefined {
    const pending = this.waiting.get(id)?.pending
    return pending?.context.sessionID === context.sessionID ? pending : undefined
  }

  /** How a question of the session ended, as long as somebody remembers. */
  endOf({ context, id }: Ref): Ending | undefined {
    const over = this.over.get(id)
    return over?.session === context.sessionID ? over.as : undefined
  }

  /** Who asks hears how it ends. */
  ask(pending: Pending): Deferred.Deferred<End> {
    const bell = Deferred.makeUnsafe<End>()
    this.waiting.set(pending.id, { pending, bell })
    this.publish({ _tag: "Asked", pending })
    return bell
  }

  /** The first end counts. */
  end(id: string, end: End): void {
    const asked = this.waiting.get(id)
    if (asked === undefined) return
    this.waiting.delete(id)
    this.remember(id, asked.pending.context.sessionID, end.as)
    Deferred.doneUnsafe(asked.bell, Effect.succeed(end))
    this.publish({ _tag: "Ended", id, as: end.as })
  }

  private remember(id: string, session: Session.ID, as: Ending): void {
    this.over.set(id, { session, as })
    const [oldest] = this.over.keys()
    if (this.over.size > maxRemembered && oldest !== undefined) this.over.delete(oldest)
  }

  /** Nothing waits any more, and nobody is told anything. */
  close(): void {
    this.isClosed = true
    for (const id of this.waiting.keys()) this.end(id, { as: "closed" })
    for (const listener of this.listeners) Queue.endUnsafe(listener)
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
    const asked = [...this.waiting.values()].map(({ pending }): Change => ({ _tag: "Asked", pending }))
    Queue.offerAllUnsafe(queue, asked)
    if (this.isClosed) Queue.endUnsafe(queue)
    else this.listeners.add(queue)
    return queue
  }

  private publish(change: Change): void {
    for (const listener of this.listeners) Queue.offerUnsafe(listener, change)
  }
}
