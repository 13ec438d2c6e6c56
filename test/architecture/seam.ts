/** Who may come near the inside of a sealed tool. */
import { Visitor } from "oxc-parser"
import { locate, resolve, type Source } from "./sources.ts"

/** A module of core that opens a sealed tool, or runs one. */
interface Door {
  readonly module: string
  /** Modules of core that may use it. */
  readonly insiders: ReadonlyArray<string>
  /** Whether a module of another package may. */
  readonly admits: (source: Source) => boolean
}

const doors: ReadonlyArray<Door> = [
  { module: "internal/carrier.ts", insiders: ["Tool.ts", "runtime.ts", "testing.ts"], admits: () => false },
  { module: "runtime.ts", insiders: ["testing.ts"], admits: (source) => source.package === "registry" },
  { module: "testing.ts", insiders: [], admits: ({ path }) => path === "testing.ts" }
]

export const seamUses = (source: Source): ReadonlyArray<string> =>
  source.imports
    .filter(({ specifier }) => doors.some((door) => leadsTo(source, specifier, door) && !mayUse(source, door)))
    .map(({ specifier }) => `${locate(source)} opens the seam ${specifier}`)

const leadsTo = (source: Source, specifier: string, { module }: Door): boolean =>
  source.package === "core" && specifier.startsWith(".")
    ? resolve(source, specifier) === module
    : specifier === `@haft/core/${module.replace(/\.ts$/, "")}`

const mayUse = (source: Source, { admits, insiders }: Door): boolean =>
  source.package === "core" ? insiders.includes(source.path) : admits(source)

/** Imports the modules of plugins, which a host names. A plugin is code that its host trusts with everything. */
const loader = "packages/registry/src/internal/pluginImport.ts"

/** An import whose target only a run would tell: no check of imports could see what it opens. */
export const hiddenImports = (source: Source): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (locate(source) === loader) return found
  new Visitor({
    ImportExpression: ({ end, source: target, start }) => {
      const isWritten = target.type === "Literal" && typeof target.value === "string"
      if (!isWritten) found.push(`${locate(source)} hides what it imports: ${source.text.slice(start, end)}`)
    }
  }).visit(source.program)
  return found
}
