/** Which package may know which. */
import { type Manifest, requirementsOf } from "./manifests.ts"
import { locate, resolve, type Source } from "./sources.ts"

export type Arrows = Readonly<Record<string, ReadonlyArray<string> | "all">>

/** A package that is not here may not exist: it first gets its place. */
export const arrows: Arrows = {
  core: [],
  node: ["core"],
  policy: ["core"],
  "plugin-api": ["core"],
  wire: ["core"],
  interop: ["core"],
  builtins: ["core"],
  mcp: ["core"],
  registry: ["core", "plugin-api"],
  gateway: ["core", "wire", "policy"],
  remote: ["core", "wire"],
  runner: ["core", "registry"],
  cli: "all"
}

const scope = "@haft/"

const allows = (allowed: ReadonlyArray<string> | "all", target: string): boolean =>
  allowed === "all" || allowed.includes(target.slice(scope.length))

/** `@haft/core` of `@haft/core/Tool`, `effect` of `effect/Effect`; nothing for a relative path or a module of Node. */
const packageOf = (specifier: string): string | undefined => {
  if (specifier.startsWith(".") || specifier.startsWith("node:")) return undefined
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}

const violationsOf = (
  table: Arrows,
  owner: { readonly package: string; readonly place: string },
  targets: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const allowed = table[owner.package]
  if (allowed === undefined) return [`${owner.package} has no place in the table of arrows`]
  return targets
    .filter((target) => target.startsWith(scope) && !allows(allowed, target))
    .map((target) => `${owner.place} may not depend on ${target}`)
}

export const importedArrows = (source: Source, table: Arrows = arrows): ReadonlyArray<string> => {
  const targets = source.imports.map(({ specifier }) => packageOf(specifier) ?? "")
  return violationsOf(table, { package: source.package, place: locate(source) }, targets)
}

export const declaredArrows = (
  packageName: string,
  manifest: Manifest,
  table: Arrows = arrows
): ReadonlyArray<string> =>
  violationsOf(table, { package: packageName, place: manifest.name }, requirementsOf(manifest))

/** What a package imports and does not declare works in this repository only. */
export const undeclaredImports = (source: Source, manifest: Manifest): ReadonlyArray<string> => {
  const declared = new Set(requirementsOf(manifest))
  return source.imports
    .map(({ specifier }) => packageOf(specifier))
    .filter((name) => name !== undefined && !declared.has(name))
    .map((name) => `${locate(source)} imports ${name}, which ${manifest.name} does not declare`)
}

/** A relative path may not lead out of the package's own `src`. */
export const escapingImports = (source: Source): ReadonlyArray<string> =>
  source.imports
    .filter(({ specifier }) => specifier.startsWith(".") && resolve(source, specifier).startsWith(".."))
    .map(({ specifier }) => `${locate(source)} reaches out of its package with ${specifier}`)
