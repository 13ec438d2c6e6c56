/**
 * What has to survive a restart: the rules that people saved with `always`, and the requests that wait for an answer or
 * whose answer waits to be used. It decides which of several answers counts.
 */
import type * as Location from "@haft/core/Location"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Approval from "./Approval.ts"
import { isSameRule, newRules } from "./internal/savedRules.ts"
import type * as Rule from "./Rule.ts"

/** The store could not write or read. Nothing is granted on the strength of it. */
export class StorageError extends Schema.TaggedError<StorageError>()("PolicyStore.StorageError", {
  operation: Schema.Literals(["open", "read", "add", "decide", "take", "forget"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** What is kept for one Location. */
export interface Kept {
  readonly saved: ReadonlyArray<Rule.Saved>
  /** In the order in which they were asked. */
  readonly approvals: ReadonlyArray<Approval.Approval>
}

/** Which approval, of which Location: those of others are as good as unknown. */
export type Key = Pick<Approval.Approval, "id" | "location">

/** What became of a decision. */
export interface Decided {
  /** With the decision that stands. */
  readonly approval: Approval.Approval
  /** False if somebody decided before, and nothing has changed. */
  readonly isFirst: boolean
}

export interface Interface {
  readonly read: (location: Location.Ref) => Effect.Effect<Kept, StorageError>
  /** Durable when it returns. */
  readonly add: (approval: Approval.Approval) => Effect.Effect<void, StorageError>
  /** Durable when it returns. The first decision stands, and only with it the rules are saved, in the same step. */
  readonly decide: (
    key: Key,
    decision: Approval.Decision,
    save: ReadonlyArray<Rule.Saved>
  ) => Effect.Effect<Option.Option<Decided>, StorageError>
  /** Removes an approval for good and gives it to exactly one of those who take it. */
  readonly take: (key: Key) => Effect.Effect<Option.Option<Approval.Approval>, StorageError>
  /** Removes a saved rule. */
  readonly forget: (location: Location.Ref, rule: Rule.Saved) => Effect.Effect<void, StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/policy/PolicyStore") {}

/** Keeps everything until the layer's Scope closes, each build for itself. For tests, and where a restart may forget. */
export const layerMemory: Layer.Layer<Service> = Layer.fresh(Layer.sync(Service, () => makeMemory()))

const makeMemory = (): Interface => {
  const rules = new Map<Location.Ref, ReadonlyArray<Rule.Saved>>()
  const approvals = new Map<Approval.ID, Approval.Approval>()
  const savedFor = (location: Location.Ref) => rules.get(location) ?? []
  const find = ({ id, location }: Key) =>
    Option.filter(Option.fromUndefinedOr(approvals.get(id)), (approval) => approval.location === location)
  return {
    read: (location) =>
      Effect.sync(() => ({
        saved: savedFor(location),
        approvals: [...approvals.values()].filter((approval) => approval.location === location).toSorted(byTime)
      })),
    add: (approval) => Effect.sync(() => approvals.set(approval.id, approval)),
    decide: (key, decision, save) =>
      Effect.sync(() =>
        Option.map(find(key), (approval): Decided => {
          if (approval.decision !== undefined) return { approval, isFirst: false }
          const decided = { ...approval, decision }
          approvals.set(key.id, decided)
          const saved = savedFor(key.location)
          rules.set(key.location, [...saved, ...newRules(saved, save)])
          return { approval: decided, isFirst: true }
        })
      ),
    take: (key) => Effect.sync(() => Option.tap(find(key), () => Option.some(approvals.delete(key.id)))),
    forget: (location, rule) =>
      Effect.sync(() => {
        rules.set(
          location,
          savedFor(location).filter((other) => !isSameRule(other, rule))
        )
      })
  }
}

const byTime = (left: Approval.Approval, right: Approval.Approval): number => left.askedAt - right.askedAt
