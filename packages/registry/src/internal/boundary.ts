/** The boundary of one turn: measures each settlement, and brings what is too large within its limits. */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import type * as OutputStore from "@haft/core/OutputStore"
import type * as Settlement from "@haft/core/Settlement"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Effect from "effect/Effect"
import { isAnswer, shortenedAnswer } from "./answerHead.ts"
import { boundFailure } from "./boundFailure.ts"
import type { Limits } from "./boundLimits.ts"
import { boundMedia } from "./boundMedia.ts"
import { boundOutput } from "./boundOutput.ts"
import { boundRejection } from "./boundRejection.ts"
import { Keeping, letGo } from "./keeping.ts"
import { Keys } from "./keys.ts"
import { MediaRoom } from "./mediaRoom.ts"
import { type Size, Tally } from "./tally.ts"
import { TurnBudget } from "./turnBudget.ts"
import { count } from "./visible.ts"

/** By the names that the turn offers. */
export type Tools = ReadonlyMap<string, ToolDefinition>

export class Boundary {
  private readonly store: OutputStore.Interface
  private readonly tools: Tools
  private readonly limits: Limits
  private readonly budget: TurnBudget
  private readonly tally = new Tally()

  constructor(store: OutputStore.Interface, tools: Tools, limits: Limits) {
    this.store = store
    this.tools = tools
    this.limits = limits
    this.budget = new TurnBudget(limits)
  }

  /** The same, done when it is called, for whoever would run the effect once and right away. */
  readonly atOnce = (
    settlement: Settlement.Settlement
  ): Effect.Effect<Settlement.Settlement, OutputStore.StorageError> => {
    const own = this.tools.get(settlement.name)?.annotations.limits
    const bytes = this.budget.bytesFor(Math.min(this.limits.bytes, own?.outputBytes ?? Number.POSITIVE_INFINITY))
    const lines = this.budget.linesFor(Math.min(this.limits.lines, own?.outputLines ?? Number.POSITIVE_INFINITY))
    const keys = new Keys()
    const tally = count(this.tally.start(bytes, lines), settlement, keys)
    if (tally.isOver || hasMedia(settlement)) return this.cut(settlement, { bytes, lines }, keys)
    this.budget.take(tally)
    return Effect.succeed(settlement)
  }

  /** The same settlement if it is within the limits. Takes from the budget before it waits. */
  readonly bound = (
    settlement: Settlement.Settlement
  ): Effect.Effect<Settlement.Settlement, OutputStore.StorageError> => Effect.suspend(() => this.atOnce(settlement))

  readonly withdraw = ({ context, managed }: Settlement.Settlement): Effect.Effect<void> =>
    letGo(this.store, context.sessionID, managed)

  /** Cannot be interrupted: what was kept is either referred to or let go of. */
  private cut(settlement: Settlement.Settlement, room: Size, keys: Keys) {
    this.budget.take(room)
    const { sessionID } = settlement.context
    const media = new MediaRoom(this.limits, this.budget)
    const keeping = new Keeping(this.store, sessionID, keys, this.tools.get(ManagedOutput.readerName)?.name)
    return bounded(settlement, room, media, keeping).pipe(
      Effect.tap((shown) => Effect.sync(() => this.budget.giveBack(unused(room, shown, keys)))),
      Effect.onError(() => {
        this.budget.giveBack(room)
        media.giveBack()
        return letGo(this.store, sessionID, keeping.refs)
      }),
      Effect.uninterruptible
    )
  }
}

type Bounds = Pick<Boundary, "bound" | "withdraw">

/** Its way to bound, or the faster one if it is this very boundary: whoever wraps it sees every settlement. */
export const boundingOf = (bounds: Bounds): Bounds["bound"] =>
  bounds instanceof Boundary ? bounds.atOnce : bounds.bound

const hasMedia = (settlement: Settlement.Settlement): settlement is Settlement.Succeeded =>
  settlement._tag === "Succeeded" && settlement.output.content.some(({ _tag }) => _tag === "Media")

const unused = ({ bytes, lines }: Size, shown: Settlement.Settlement, keys: Keys): Size => {
  const tally = count(new Tally().start(bytes, lines), shown, keys)
  return { bytes: bytes - tally.bytes, lines: lines - tally.lines }
}

const bounded = Effect.fnUntraced(function* (
  settlement: Settlement.Settlement,
  room: Size,
  media: MediaRoom,
  keeping: Keeping
): Effect.fn.Return<Settlement.Settlement, OutputStore.StorageError> {
  if (isAnswer(settlement)) return shortenedAnswer(settlement, room)
  const sendable = hasMedia(settlement) ? yield* withMedia(settlement, media, keeping) : settlement
  const fits = !count(new Tally().start(room.bytes, room.lines), sendable, keeping.keys).isOver
  const shown = fits ? sendable : yield* shorter(sendable, room, keeping)
  return keeping.refs.length === 0 ? shown : { ...shown, managed: [...shown.managed, ...keeping.refs] }
})

const withMedia = (settlement: Settlement.Succeeded, media: MediaRoom, keeping: Keeping) =>
  Effect.map(boundMedia(settlement.output, media, keeping), (output) =>
    output === settlement.output ? settlement : { ...settlement, output }
  )

const shorter = (
  settlement: Settlement.Settlement,
  room: Size,
  keeping: Keeping
): Effect.Effect<Settlement.Settlement, OutputStore.StorageError> => {
  switch (settlement._tag) {
    case "Succeeded":
      return Effect.map(boundOutput(settlement.output, room, keeping), (output) => ({ ...settlement, output }))
    case "Failed":
      return Effect.map(boundFailure(settlement.failure, room, keeping), (failure) => ({ ...settlement, failure }))
    case "Rejected":
      return Effect.map(boundRejection(settlement, room, keeping), (report) => ({ ...settlement, ...report }))
  }
}
