/**
 * The plans of a Location's sessions: what each is going to do, is doing and has done. The model writes them with the tool
 * `todo`, a host shows them. A host that wants to keep them longer than its process provides a `Service` of its own.
 */
import type * as Session from "@haft/core/Session"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

/** Where an item stands. */
export const Status = Schema.Literals(["pending", "in_progress", "completed", "cancelled"])
export type Status = typeof Status.Type

/** One step of a plan. Its text is a model's: whoever shows it has to make visible what cannot be seen. */
export const Item = Schema.Struct({
  content: Schema.String,
  status: Status,
  priority: Schema.optionalKey(Schema.Literals(["high", "medium", "low"]))
})
export type Item = typeof Item.Type

/** The whole plan of a session, in its order. */
export type List = ReadonlyArray<Item>

/** The plan could not be read or written. */
export class StorageError extends Schema.TaggedError<StorageError>()("Todos.StorageError", {
  cause: Schema.Defect()
}) {}

export interface Interface {
  /** Empty for a session that never wrote one. */
  readonly get: (session: Session.ID) => Effect.Effect<List, StorageError>
  /** Takes the place of the plan before. */
  readonly set: (session: Session.ID, list: List) => Effect.Effect<void, StorageError>
  /** The plan as it is, then whenever it is written. */
  readonly changes: (session: Session.ID) => Stream.Stream<List, StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/builtins/Todos") {}

/** Sessions are many and most are over; a plan that was not written for so long is nobody's any more. */
const maxSessions = 1000

const none: List = []

/** As long as the process lives, for the sessions that wrote last. */
export const layerMemory: Layer.Layer<Service> = Layer.effect(
  Service,
  Effect.map(SubscriptionRef.make<ReadonlyMap<Session.ID, List>>(new Map()), (plans) =>
    Service.of({
      get: (session) => Effect.map(SubscriptionRef.get(plans), (all) => all.get(session) ?? none),
      set: (session, list) => SubscriptionRef.update(plans, (all) => withNewest(all, session, list)),
      changes: (session) =>
        SubscriptionRef.changes(plans).pipe(
          Stream.map((all) => all.get(session) ?? none),
          Stream.changesWith((left, right) => left === right)
        )
    })
  )
)

/** The last written stand last. */
const withNewest = (all: ReadonlyMap<Session.ID, List>, session: Session.ID, list: List) => {
  const others = [...all].filter(([other]) => other !== session)
  return new Map([...others.slice(-(maxSessions - 1)), [session, list]])
}
