/** How the modules of one package load each other at run time. */
import { resolve, type Source } from "./sources.ts"

/** From a module to those that it loads. */
export type Graph = ReadonlyMap<string, ReadonlyArray<string>>

/** Of one package, whose modules are known by their paths. Imports of types are not in it. */
export const graphOf = (sources: ReadonlyArray<Source>): Graph =>
  new Map(sources.map((source) => [source.path, loadedBy(source)]))

const loadedBy = (source: Source): ReadonlyArray<string> =>
  source.imports
    .filter(({ isTypeOnly, specifier }) => !isTypeOnly && specifier.startsWith("."))
    .map(({ specifier }) => resolve(source, specifier))

/** The module and all that loading it loads. */
export const reachableFrom = (graph: Graph, start: string): ReadonlySet<string> => {
  const reached = new Set([start])
  for (const module of reached) for (const next of graph.get(module) ?? []) reached.add(next)
  return reached
}

/** One cycle for each module that begins to repeat itself, as `a.ts → b.ts → a.ts`. */
export const cyclesOf = (graph: Graph): ReadonlyArray<string> => {
  const done = new Set<string>()
  const search = (module: string, path: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (path.includes(module)) return [[...path.slice(path.indexOf(module)), module].join(" → ")]
    if (done.has(module)) return []
    const found = (graph.get(module) ?? []).flatMap((next) => search(next, [...path, module]))
    done.add(module)
    return found
  }
  return [...graph.keys()].flatMap((module) => search(module, []))
}
