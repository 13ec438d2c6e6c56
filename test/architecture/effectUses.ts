/** What a module takes from Effect, export by export. */
import { Visitor } from "oxc-parser"
import { Schema } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { type Import, locate, repository, type Source } from "./sources.ts"

/** Where Effect is installed. */
export const folder = Path.join(repository, "node_modules", "effect")

const Entries = Schema.fromJsonString(
  Schema.Struct({ exports: Schema.Record(Schema.String, Schema.NullOr(Schema.String)) })
)
const { exports } = Schema.decodeUnknownSync(Entries)(Fs.readFileSync(Path.join(folder, "package.json"), "utf8"))

/** `effect`, `effect/http` and the like: each loads a whole folder. */
const barrels = new Set(
  Object.entries(exports)
    .filter(([, target]) => target?.endsWith("/index.js"))
    .map(([entry]) => Path.posix.join("effect", entry))
)

export const barrelImports = (source: Source): ReadonlyArray<string> =>
  source.imports
    .filter(({ specifier }) => barrels.has(specifier))
    .map(({ specifier }) => `${locate(source)} imports the barrel ${specifier}`)

/** One export of one of Effect's modules. */
export interface Use {
  /** `Effect`, `process/ChildProcess`. */
  readonly module: string
  readonly name: string
}

export const usesOf = (source: Source): ReadonlyArray<Use> => {
  const imports = source.imports.filter(({ specifier }) => specifier.startsWith("effect/"))
  const named = imports.flatMap((one) => one.names.map((name) => ({ module: moduleOf(one), name })))
  return [...named, ...memberUses(source, imports)]
}

const moduleOf = ({ specifier }: Import): string => specifier.slice("effect/".length)

const memberUses = ({ program }: Source, imports: ReadonlyArray<Import>): ReadonlyArray<Use> => {
  const modules = new Map(imports.map((one) => [one.namespace, moduleOf(one)]))
  const found: Array<Use> = []
  const use = (namespace: string, name: string) => {
    const module = modules.get(namespace)
    if (module !== undefined) found.push({ module, name })
  }
  new Visitor({
    MemberExpression: ({ object, property }) => {
      if (object.type === "Identifier" && property.type === "Identifier") use(object.name, property.name)
    },
    TSQualifiedName: ({ left, right }) => {
      if (left.type === "Identifier") use(left.name, right.name)
    }
  }).visit(program)
  return found
}
