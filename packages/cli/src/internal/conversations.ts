/** Talks with people about what waits for them. */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Stream from "effect/Stream"

/** What approvals and questions have in common. */
type Change<Pending> =
  | { readonly _tag: "Asked"; readonly pending: Pending }
  | { readonly _tag: "Ended"; readonly id: string }

/** One conversation for each thing, for as long as it waits: nobody is held up by what is over. */
export const converse = Effect.fnUntraced(function* <Pending extends { readonly id: string }, E, R>(
  changes: Stream.Stream<Change<Pending>>,
  talk: (pending: Pending) => Effect.Effect<void, E, R>
) {
  const talks = yield* FiberMap.make<string, void, E>()
  yield* Stream.runForEachArray(changes, (batch) => {
    const over = new Set(batch.flatMap((change) => (change._tag === "Ended" ? [change.id] : [])))
    const asked = batch.flatMap((change) =>
      change._tag === "Asked" && !over.has(change.pending.id) ? [change.pending] : []
    )
    // The latest first: who waits for their turn leaves before the one who has it.
    return Effect.andThen(
      Effect.forEach([...over].toReversed(), (id) => FiberMap.remove(talks, id), { discard: true }),
      Effect.forEach(asked, (pending) => FiberMap.run(talks, pending.id, talk(pending)), { discard: true })
    )
  })
}, Effect.scoped)
