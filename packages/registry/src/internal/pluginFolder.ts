/** Keeps a host's plugins as the files in a folder are, for as long as somebody wants that. */
import type { PluginFailure } from "@haft/plugin-api/PluginFailure"
import type { Plugin } from "@haft/plugin-api/Plugin"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as PluginHost from "../PluginHost.ts"
import { type Disk, find, type Found, list } from "./pluginFiles.ts"

export interface Folder {
  readonly disk: Disk
  readonly path: string
  readonly host: PluginHost.Interface
  readonly load: (found: Found) => Effect.Effect<Plugin, PluginFailure>
  readonly debounce: Duration.Duration
  readonly pollInterval: Duration.Duration
}

export interface Sync {
  /** Installs what has changed, removes what is gone. Gives the installations that are under way. */
  readonly scan: Effect.Effect<ReadonlyArray<Fiber.Fiber<unknown>>>
}

/** What was last seen of each source: its digest, or the sentence that says why it has none. */
type Seen = Map<string, string>

/** What is being done about each source, and if that is not the latest any more, what is to be done next. */
type Doing = Map<string, Effect.Effect<unknown>>

export const make = Effect.fnUntraced(function* (folder: Folder): Effect.fn.Return<Sync, never, Scope.Scope> {
  const [seen, doing]: [Seen, Doing] = [new Map(), new Map()]
  const scope = yield* Effect.scope
  const begin = (source: string, action: Effect.Effect<unknown>) =>
    Effect.forkIn(act(doing, source, action), scope, { startImmediately: true })
  const scan = Effect.gen(function* () {
    const there = yield* contentOf(folder)
    if (there === undefined) return []
    const gone = [...seen.keys()].filter((source) => !there.has(source))
    for (const source of gone) seen.delete(source)
    const changed = [...there].filter(([source, found]) => isNew(seen, source, found))
    yield* Effect.forEach(gone, (source) => begin(source, folder.host.remove(source)))
    return yield* Effect.forEach(changed, ([source, found]) =>
      begin(source, folder.host.install(source, Effect.flatMap(Effect.fromResult(found), folder.load)))
    )
  })
  return { scan }
})

type Content = ReadonlyMap<string, Result.Result<Found, PluginFailure>>

/** The sources in the folder. None if it is not there, and nothing at all if it cannot be read for now. */
const contentOf = Effect.fnUntraced(function* (folder: Folder): Effect.fn.Return<Content | undefined> {
  const names = yield* Effect.result(list(folder.disk, folder.path))
  if (Result.isFailure(names)) return isMissing(names.failure) ? new Map() : undefined
  const found = yield* Effect.forEach(names.success, (name) => look(folder, name))
  return new Map(found.filter((source) => source !== undefined))
})

/** What stands at a name, unless it is gone again. */
const look = Effect.fnUntraced(function* ({ disk, path }: Folder, name: string) {
  const source = disk.path.join(path, name)
  const found = yield* Effect.result(Effect.retry(find(disk, source), { times: 3, while: isMissing }))
  if (Result.isSuccess(found) || !isMissing(found.failure)) return [source, found] as const
  const isThere = yield* Effect.orElseSucceed(disk.fs.exists(source), () => true)
  return isThere ? ([source, found] as const) : undefined
})

/** A file of a directory may be gone by the time it is read, when an editor replaces it. */
const isMissing = ({ reason }: PluginFailure): boolean => reason === "NotFound"

/** Whether its files are not as they were, which is remembered. */
const isNew = (seen: Seen, source: string, found: Result.Result<Found, PluginFailure>): boolean => {
  const state = Result.match(found, { onFailure: ({ message }) => message, onSuccess: ({ digest }) => digest })
  const isNew = seen.get(source) !== state
  seen.set(source, state)
  return isNew
}

/** One at a time, and of those that come meanwhile only the last, so that a source cannot get ahead of its host. */
const act = Effect.fnUntraced(function* (doing: Doing, source: string, action: Effect.Effect<unknown>) {
  const isBusy = doing.has(source)
  doing.set(source, action)
  if (isBusy) return
  for (let latest: typeof action | undefined = action; latest !== undefined; latest = doing.get(source)) {
    yield* latest
    if (doing.get(source) === latest) doing.delete(source)
  }
})

/** Scans whenever the file system reports a change, and now and then where it cannot. Never ends. */
export const follow = (folder: Folder, { scan }: Sync): Effect.Effect<never> =>
  Effect.forever(
    Effect.ignore(Effect.scoped(watch(folder, scan))).pipe(
      Effect.andThen(Effect.sleep(folder.pollInterval)),
      Effect.andThen(scan)
    )
  )

/** Ends or fails when this folder cannot be watched any more, also because another one stands in its place. */
const watch = Effect.fnUntraced(function* (folder: Folder, scan: Sync["scan"]) {
  const { fs } = folder.disk
  const changes = yield* Queue.sliding<void>(1)
  const changed = () => void Queue.offerUnsafe(changes, undefined)
  const watched = yield* identityOf(folder)
  const events = fs.watch(folder.path, { recursive: true, onReady: changed })
  const watcher = yield* Effect.forkScoped(Stream.runForEach(events, () => Effect.sync(changed)))
  const step = Effect.gen(function* () {
    const isOver = Effect.as(Fiber.join(watcher), true)
    if (yield* Effect.raceFirst(Effect.as(Queue.take(changes), false), isOver)) return true
    yield* Effect.sleep(folder.debounce)
    yield* Queue.clear(changes)
    // Files may still be on their way, in directories that are not yet watched.
    if ((yield* scan).length > 0) changed()
    return (yield* identityOf(folder)) !== watched
  })
  yield* Effect.repeat(step, { until: (isOver) => isOver })
})

/** A watcher stays with the directory that it was made for, and numbers of directories are used again. */
const identityOf = ({ disk, path }: Folder) =>
  Effect.map(disk.fs.stat(path), ({ birthtime, dev, ino }) => {
    const born = Option.map(birthtime, (date) => date.getTime())
    return [dev, Option.getOrUndefined(ino), Option.getOrUndefined(born)].join(" ")
  })
