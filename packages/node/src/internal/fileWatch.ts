/** Effect's `watch` on Node's watcher. Events keep the order in which the system reported them. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as NodeFs from "node:fs"
import * as Fs from "node:fs/promises"
import * as NodePath from "node:path"
import { fromErrno } from "./platformError.ts"

/** Paths are relative to the watched directory, or the file's own name when a file is watched. */
export const watch = (
  path: string,
  info: FileSystem.File.Info,
  options: FileSystem.WatchOptions | undefined
): Stream.Stream<FileSystem.WatchEvent, PlatformError.PlatformError> => {
  const directory = info.type === "Directory" ? path : NodePath.dirname(path)
  return changes(path, options).pipe(Stream.mapEffect((change) => toEvent(directory, change)))
}

interface Change {
  readonly type: NodeFs.WatchEventType
  readonly name: string
}

const changes = (path: string, options: FileSystem.WatchOptions | undefined) =>
  Stream.callback<Change, PlatformError.PlatformError>(
    Effect.fnUntraced(function* (queue) {
      const onChange = (type: NodeFs.WatchEventType, name: string | null) => {
        if (name !== null) Queue.offerUnsafe(queue, { type, name })
      }
      const onError = (cause: unknown) => {
        Queue.failCauseUnsafe(queue, Cause.fail(fromErrno("FileSystem", "watch", path)(cause)))
      }
      yield* Effect.acquireRelease(
        Effect.try({
          try: () => NodeFs.watch(path, { recursive: options?.recursive ?? false }, onChange).on("error", onError),
          catch: fromErrno("FileSystem", "watch", path)
        }),
        (watcher) => Effect.sync(() => watcher.close())
      )
      options?.onReady?.()
    })
  )

// Node says "rename" for both ends of an entry's life; whether it is there now tells them apart.
const toEvent = (directory: string, { name, type }: Change): Effect.Effect<FileSystem.WatchEvent> => {
  if (type === "change") return Effect.succeed({ _tag: "Update", path: name })
  return Effect.promise(() =>
    Fs.lstat(NodePath.resolve(directory, name)).then(
      () => ({ _tag: "Create", path: name }) as const,
      () => ({ _tag: "Remove", path: name }) as const
    )
  )
}
