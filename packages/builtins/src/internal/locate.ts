/** The beginning of every file tool: from a path to a target, by way of an approval if it is outside the Location. */
import * as Permission from "@haft/core/Permission"
import type * as Tool from "@haft/core/Tool"
import * as Effect from "effect/Effect"
import type * as LocationFiles from "../LocationFiles.ts"
import { ChangedError, type FileError } from "./fileErrors.ts"

/** The directory that was named, the one its links lead to, and once more for links that just changed. */
const maxDirectories = 3

export const locate = Effect.fnUntraced(function* (
  files: LocationFiles.Interface,
  permission: Permission.Interface,
  path: string,
  context: Tool.Context
): Effect.fn.Return<LocationFiles.Target, FileError | Permission.DeniedError> {
  let located = yield* files.resolve(path)
  for (let asked = 0; located._tag === "External"; asked++) {
    if (asked === maxDirectories) return yield* new ChangedError({ path })
    yield* permission.assert(externalRequest(files, located), context)
    located = yield* files.enter(located)
  }
  return located
})

const externalRequest = (files: LocationFiles.Interface, { directory, path }: LocationFiles.External) => ({
  action: "external_directory",
  resources: [directory],
  save: [Permission.literal(directory)],
  metadata: { root: files.root, path }
})
