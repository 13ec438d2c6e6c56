/** How stable each export of Effect is that a package uses, by the tags in Effect's own declarations. */
import { type Directive, parseSync, type Statement } from "oxc-parser"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { folder, type Use, usesOf } from "./effectUses.ts"
import { declaredNames, docBefore, nameOf, type Source } from "./sources.ts"

/** From least to most. An export without a tag, or one that is not found, promises nothing. */
const levels = ["unknown", "experimental", "unstable", "stable"] as const
export type Stability = (typeof levels)[number]

const tagOf = (doc: string | undefined): Stability | undefined =>
  levels.find((level) => level === /@stability\s+(\w+)/.exec(doc ?? "")?.[1])

const lowest = (left: Stability, right: Stability): Stability =>
  levels.indexOf(left) < levels.indexOf(right) ? left : right

/** By the names that a declaration file exports. A name that is declared twice is as stable as the worse of the two. */
export const stabilitiesIn = (declarations: string): ReadonlyMap<string, Stability> => {
  const { comments, program } = parseSync("module.d.ts", declarations)
  const file = { comments, text: declarations }
  const docs = program.body.flatMap((statement) => exportedPositions(statement))
  const header = headerOf(declarations, docs[0]?.position)
  const found = new Map<string, Stability>()
  for (const { name, position } of docs) {
    const stability = tagOf(docBefore(file, position)) ?? header ?? "unknown"
    found.set(name, lowest(found.get(name) ?? "stable", stability))
  }
  return found
}

/** The tag of the comment that opens the file, unless that is the comment of its first export. */
const headerOf = (declarations: string, firstExport = declarations.length): Stability | undefined => {
  const [header = ""] = /^\/\*\*.*?\*\//s.exec(declarations) ?? []
  const isOfExport = declarations.slice(header.length, firstExport).trim() === ""
  return isOfExport ? undefined : tagOf(header)
}

interface Exported {
  readonly name: string
  /** Where its doc comment has to end. */
  readonly position: number
}

const exportedPositions = (statement: Directive | Statement): ReadonlyArray<Exported> => {
  if (statement.type !== "ExportNamedDeclaration") return []
  const position = statement.start
  const inBraces = statement.specifiers.map(({ exported, start }) => ({ name: nameOf(exported), position: start }))
  return [...inBraces, ...declaredNames(statement).map((name) => ({ name, position }))]
}

const modules = new Map<string, ReadonlyMap<string, Stability>>()

const declarationsOf = (module: string): string => {
  const file = Path.join(folder, "dist", `${module}.d.ts`)
  return Fs.existsSync(file) ? Fs.readFileSync(file, "utf8") : ""
}

export const stabilityOf = ({ module, name }: Use): Stability => {
  const known = modules.get(module) ?? stabilitiesIn(declarationsOf(module))
  modules.set(module, known)
  return known.get(name) ?? "unknown"
}

/** `module.name` of every export in use that is not stable: sorted, each once. */
export const unstableUses = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const uses = sources.flatMap(usesOf).filter((use) => stabilityOf(use) !== "stable")
  return [...new Set(uses.map(({ module, name }) => `${module}.${name}`))].toSorted()
}

/** Unstable exports may change in any minor release of Effect. */
export const peerRange = (unstable: ReadonlyArray<string>): string => (unstable.length > 0 ? "~4.1.0" : "^4.1.0")
