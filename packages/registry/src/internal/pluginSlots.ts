/** A host's plugins by their sources: which version of each is there, and how each stands. */
import type * as Tools from "@haft/core/Tools"
import type * as Capability from "@haft/plugin-api/Capability"
import * as Installation from "@haft/plugin-api/Installation"
import type { ID, Manifest, Plugin } from "@haft/plugin-api/Plugin"
import type { PluginFailure } from "@haft/plugin-api/PluginFailure"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Sentences from "./pluginSentences.ts"
import { active, failed, loading, outdated, type State, type Status } from "./pluginState.ts"
import * as Version from "./pluginVersion.ts"

export interface Settings {
  readonly tools: Tools.Interface
  readonly grants: (manifest: Manifest) => ReadonlyArray<Capability.Grant>
  readonly installTimeout: Duration.Duration
  readonly grace: Duration.Duration
}

/** Where one source has its version. */
interface Slot {
  readonly source: string
  /** One installation at a time. */
  readonly turn: Semaphore.Semaphore
  version: Version.Version | undefined
}

export interface Slots {
  readonly settings: Settings
  /** Whatever goes on behind the back of a caller goes on in it. */
  readonly scope: Scope.Scope
  readonly states: SubscriptionRef.SubscriptionRef<ReadonlyMap<string, State>>
  readonly bySource: Map<string, Slot>
  readonly owners: Map<ID, Slot>
  /** All versions that have not ended, the retiring ones included. */
  readonly open: Set<Version.Version>
}

/** Everything ends with the current Scope. */
export const make = Effect.fnUntraced(function* (settings: Settings): Effect.fn.Return<Slots, never, Scope.Scope> {
  const open = new Set<Version.Version>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...open], ({ abandon }) => abandon, { concurrency: "unbounded", discard: true })
  )
  const states = yield* SubscriptionRef.make<ReadonlyMap<string, State>>(new Map())
  return { settings, scope: yield* Effect.scope, states, bySource: new Map(), owners: new Map(), open }
})

/** In a fiber of the host's: whoever asked for it may go, and it is done all the same. */
export const install = (
  slots: Slots,
  source: string,
  plugin: Effect.Effect<Plugin, PluginFailure>
): Effect.Effect<State> => {
  const slot = slotOf(slots, source)
  const work = slot.turn.withPermits(1)(replace(slots, slot, plugin))
  return Effect.flatMap(Effect.forkIn(work, slots.scope, { startImmediately: true }), Fiber.join)
}

export const remove = (slots: Slots, source: string): Effect.Effect<void> => {
  const slot = slotOf(slots, source)
  const take = Effect.suspend(() => {
    const { version } = slot
    slot.version = undefined
    if (version === undefined) return Effect.void
    slots.owners.delete(version.manifest.id)
    return retire(slots, slot, version)
  })
  return slot.turn.withPermits(1)(Effect.andThen(take, forget(slots, slot)))
}

const slotOf = ({ bySource }: Slots, source: string): Slot => {
  const slot = bySource.get(source) ?? { source, turn: Semaphore.makeUnsafe(1), version: undefined }
  bySource.set(source, slot)
  return slot
}

/** The new version is there before the old one goes. */
const replace = Effect.fnUntraced(function* (
  slots: Slots,
  slot: Slot,
  plugin: Effect.Effect<Plugin, PluginFailure>
): Effect.fn.Return<State> {
  const { version: old } = slot
  yield* tell(slots, slot, loading.make(old === undefined ? {} : { manifest: old.manifest }))
  const opened = yield* Effect.result(openVersion(slots, slot, plugin))
  if (Result.isFailure(opened)) {
    const { failure } = opened
    yield* Effect.logWarning(`The plugin of ${slot.source} is not installed. ${failure.message}`)
    return yield* tell(
      slots,
      slot,
      old === undefined ? failed.make({ failure }) : outdated.make({ manifest: old.manifest, failure })
    )
  }
  const version = opened.success
  slot.version = version
  if (old !== undefined && old.manifest.id !== version.manifest.id) slots.owners.delete(old.manifest.id)
  if (old !== undefined) yield* retire(slots, slot, old)
  return yield* tell(slots, slot, active.make({ manifest: version.manifest }))
})

const openVersion = Effect.fnUntraced(function* (
  slots: Slots,
  slot: Slot,
  load: Effect.Effect<Plugin, PluginFailure>
): Effect.fn.Return<Version.Version, PluginFailure> {
  const { grants, installTimeout, tools } = slots.settings
  const plugin = yield* Version.inTime(load, installTimeout)
  const manifest = yield* Effect.fromResult(Installation.manifestOf(plugin))
  const granted = yield* Version.inTime(
    Effect.sync(() => grants(manifest)),
    installTimeout
  )
  const open = Version.open(plugin, { tools, grants: granted }, installTimeout)
  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(owning(slots, slot, manifest.id, open)), (version) => Effect.sync(() => slots.open.add(version)))
  )
})

/** An id belongs to one source at a time, also while its plugin is being installed. */
const owning = <A>(
  { owners }: Slots,
  slot: Slot,
  id: ID,
  effect: Effect.Effect<A, PluginFailure>
): Effect.Effect<A, PluginFailure> => {
  const owner = owners.get(id)
  if (owner !== undefined && owner !== slot) return Effect.fail(Sentences.duplicate(id, owner.source))
  owners.set(id, slot)
  const giveBack = Effect.sync(() => {
    if (slot.version?.manifest.id !== id) owners.delete(id)
  })
  return Effect.onError(effect, () => giveBack)
}

/** Behind the back of whoever replaced it. What it does not clean up is told. */
const retire = (slots: Slots, slot: Slot, version: Version.Version): Effect.Effect<void> => {
  const work = Effect.gen(function* () {
    const leaks = yield* version.retire(slots.settings.grace)
    slots.open.delete(version)
    if (leaks.length === 0) return
    yield* Effect.logWarning(`A version of the plugin of ${slot.source} is gone and left something.`, ...leaks)
    yield* addLeaks(slots, slot, leaks)
  })
  return Effect.asVoid(Effect.forkIn(work, slots.scope, { startImmediately: true }))
}

const tell = ({ states }: Slots, { source }: Slot, status: Status): Effect.Effect<State> =>
  SubscriptionRef.modify(states, (before) => {
    const state: State = { source, status, leaks: before.get(source)?.leaks ?? [] }
    return [state, new Map(before).set(source, state)]
  })

/** So many say enough about a plugin that leaks whenever it is replaced. */
const maxLeaks = 16

const addLeaks = ({ states }: Slots, { source }: Slot, leaks: ReadonlyArray<string>): Effect.Effect<void> =>
  SubscriptionRef.update(states, (before) => {
    const state = before.get(source)
    if (state === undefined) return before
    return new Map(before).set(source, { ...state, leaks: [...state.leaks, ...leaks].slice(-maxLeaks) })
  })

const forget = ({ states }: Slots, { source }: Slot): Effect.Effect<void> =>
  SubscriptionRef.update(states, (before) => new Map([...before].filter(([other]) => other !== source)))
