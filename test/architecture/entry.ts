/** A package's index: its public modules as namespaces, and nothing else. */
import type { Directive, Statement } from "oxc-parser"
import { isPublic, locate, nameOf, type Source } from "./sources.ts"

/** Takes all modules of one package. */
export const entryFaults = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const index = sources.find(({ path }) => path === "index.ts")
  if (index === undefined) return ["there is no index.ts"]
  const statements = index.program.body.map((statement) => ({ statement, name: namespaceOf(statement) }))
  const names = statements.flatMap(({ name }) => name ?? [])
  const foreign = statements.filter(({ name }) => name === undefined)
  return [
    ...foreign.map(({ statement }) => `${locate(index)} holds more than namespaces: ${textOf(index, statement)}`),
    ...(isSorted(names) ? [] : [`${locate(index)} is not sorted`]),
    ...sources.filter((source) => isMissing(source, names)).map((source) => `${locate(source)} is not in the index`)
  ]
}

/** The `X` of `export * as X from "./X.ts"`. */
const namespaceOf = (statement: Directive | Statement): string | undefined => {
  if (statement.type !== "ExportAllDeclaration" || statement.exported === null) return undefined
  const name = nameOf(statement.exported)
  return statement.exportKind !== "type" && statement.source.value === `./${name}.ts` ? name : undefined
}

const textOf = ({ text }: Source, { end, start }: Directive | Statement): string => text.slice(start, end)

const isSorted = (names: ReadonlyArray<string>): boolean =>
  names.toSorted().every((name, index) => name === names[index])

const isMissing = (source: Source, names: ReadonlyArray<string>): boolean =>
  isPublic(source) && !names.includes(source.path.replace(/\.ts$/, ""))
