/** The question that every tool asks before it changes files. */
import type * as Permission from "@haft/core/Permission"
import * as Effect from "effect/Effect"
import type * as LocationFiles from "../LocationFiles.ts"
import { gitGuard } from "./gitPlaces.ts"

/** Binds the answer to what the files are now. What the model sent is in the `Invocation`. */
export const changeRequest = (
  files: LocationFiles.Interface,
  targets: ReadonlyArray<LocationFiles.Target>
): Effect.Effect<Permission.Request> =>
  Effect.map(gitGuard(files), (isGuarded) => {
    const resources = targets.map(({ resource }) => resource)
    const guarded = resources.filter(isGuarded)
    return {
      action: "edit",
      resources,
      save: ["*"],
      metadata: { root: files.root, confinement: files.confinement },
      target: targets.map(({ identity }) => identity).join("\n"),
      ...(guarded.length === 0 ? {} : { guarded })
    }
  })
