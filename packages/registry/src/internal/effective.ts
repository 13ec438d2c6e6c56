/** What a Location offers: its own registrations over the application's. Reads both placements at one moment. */
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import type { ToolName } from "@haft/core/ToolName"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Visibility from "../Visibility.ts"
import * as Overlay from "./overlay.ts"
import type { Change, Placement } from "./placement.ts"

/** The definitions of one turn, by name. Holds identities and nothing that leads to an executor. */
export interface Offer {
  /** Sorted by name. */
  readonly definitions: ReadonlyArray<ToolDefinition>
  readonly byName: ReadonlyMap<string, ToolDefinition>
}

export interface Effective {
  /** The entry that a name stands for right now. */
  readonly find: (name: string) => Overlay.Entry | undefined
  /** The same object for as long as nothing has changed. */
  readonly offer: (rules: ReadonlyArray<Visibility.Rule>) => Offer
  /** Names whose effective registration changed, one value for each change. */
  readonly changes: Stream.Stream<ReadonlyArray<ToolName>>
}

/** Listens to both placements until the Scope closes. */
export const make = Effect.fnUntraced(function* (
  application: Placement,
  location: Placement
): Effect.fn.Return<Effective, never, Scope.Scope> {
  const current = (): Snapshot => ({
    application: Ref.getUnsafe(application.overlay),
    location: Ref.getUnsafe(location.overlay)
  })
  const changes = yield* Effect.acquireRelease(PubSub.unbounded<ReadonlyArray<ToolName>>(), PubSub.shutdown)
  const announce = (names: ReadonlyArray<ToolName>) => {
    if (names.length > 0) PubSub.publishUnsafe(changes, names)
  }
  yield* listen(location, (change) => announce(newWinners(change)))
  yield* listen(application, (change) => announce(newWinners(change).filter((name) => !current().location.has(name))))
  return {
    find: (name) => winner(current(), name),
    offer: remembering(current),
    changes: Stream.fromPubSub(changes)
  }
})

const listen = ({ listeners }: Placement, listener: (change: Change) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => listeners.add(listener)),
    () => Effect.sync(() => listeners.delete(listener))
  )

interface Snapshot {
  readonly application: Overlay.Overlay
  readonly location: Overlay.Overlay
}

const winner = ({ application, location }: Snapshot, name: string): Overlay.Entry | undefined =>
  Overlay.winner(location, name) ?? Overlay.winner(application, name)

const newWinners = ({ after, before, names }: Change): ReadonlyArray<ToolName> =>
  names.filter((name) => Overlay.winner(before, name) !== Overlay.winner(after, name))

/** Overlays are immutable, so an offer holds for as long as they are the same objects. Keeps none of them alive. */
const remembering = (current: () => Snapshot): Effective["offer"] => {
  const offers = new WeakMap<
    Overlay.Overlay,
    WeakMap<Overlay.Overlay, WeakMap<ReadonlyArray<Visibility.Rule>, Offer>>
  >()
  return (rules) => {
    const snapshot = current()
    const byLocation = remember(offers, snapshot.application, () => new WeakMap())
    const byRules = remember(byLocation, snapshot.location, () => new WeakMap())
    return remember(byRules, rules, () => offerOf(snapshot, rules))
  }
}

const remember = <K extends WeakKey, V>(known: WeakMap<K, V>, key: K, make: () => V): V => {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

const offerOf = (snapshot: Snapshot, rules: ReadonlyArray<Visibility.Rule>): Offer => {
  const names = new Set([...snapshot.application.keys(), ...snapshot.location.keys()])
  const definitions = [...names]
    .filter((name) => Visibility.isVisible(rules, name))
    .toSorted()
    .flatMap((name) => winner(snapshot, name) ?? [])
    .map(Overlay.definitionOf)
  return { definitions, byName: new Map(definitions.map((definition) => [definition.name, definition])) }
}
