/** The question that every tool asks before it changes files. */
import type * as Permission from "@haft/core/Permission"
import type * as Schema from "effect/Schema"
import type * as LocationFiles from "../LocationFiles.ts"

/** Shows the person what the model sent, and binds the answer to what the files are now. */
export const changeRequest = (
  files: LocationFiles.Interface,
  targets: ReadonlyArray<LocationFiles.Target>,
  input: Schema.JsonObject
): Permission.Request => ({
  action: "edit",
  resources: targets.map(({ resource }) => resource),
  save: ["*"],
  metadata: { ...input, root: files.root, confinement: files.confinement },
  target: targets.map(({ identity }) => identity).join("\n")
})
