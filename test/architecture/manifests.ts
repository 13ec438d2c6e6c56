/** What each package says about itself in its package.json. */
import { Schema } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { packages, repository } from "./sources.ts"

const Ranges = Schema.optionalKey(Schema.Record(Schema.String, Schema.String))

export const Manifest = Schema.Struct({
  name: Schema.String,
  private: Schema.optionalKey(Schema.Boolean),
  dependencies: Ranges,
  peerDependencies: Ranges,
  optionalDependencies: Ranges
})
export type Manifest = typeof Manifest.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Manifest))

/** By the package's folder. */
export const manifests: ReadonlyMap<string, Manifest> = new Map(
  packages.map((name) => [
    name,
    decode(Fs.readFileSync(Path.join(repository, "packages", name, "package.json"), "utf8"))
  ])
)

/** Everything that installing the package also installs or asks for. */
export const requirementsOf = (manifest: Manifest): ReadonlyArray<string> =>
  Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies })
