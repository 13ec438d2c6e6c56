/** Whether a reader of a public module is told what it gives. */
import type { Statement } from "oxc-parser"
import { declaredNames, docBefore, isPublic, locate, type Source } from "./sources.ts"

export const undocumented = (source: Source): ReadonlyArray<string> => {
  if (!isPublic(source)) return []
  const missing = source.program.body.flatMap((statement) => missingNames(source, statement))
  return [
    ...(source.text.startsWith("/**") ? [] : [`${locate(source)} does not open with a doc comment`]),
    ...missing.map((name) => `${locate(source)}: ${name}`)
  ]
}

const missingNames = (source: Source, statement: Source["program"]["body"][number]): ReadonlyArray<string> => {
  if (statement.type !== "ExportNamedDeclaration" || docBefore(source, statement.start) !== undefined) return []
  return declaredNames(statement).filter((name) => !isToldElsewhere(source, statement, name))
}

/** The module's own comment tells of its service and of the export that has its name; a schema's tells of its type. */
const isToldElsewhere = (source: Source, statement: Statement, name: string): boolean =>
  name === "Interface" ||
  name === "Service" ||
  `${name}.ts` === source.path ||
  (isAlias(statement) && source.program.body.some((other) => declaresValue(other, name)))

const isAlias = (statement: Statement): boolean =>
  statement.type === "ExportNamedDeclaration" && statement.declaration?.type === "TSTypeAliasDeclaration"

const declaresValue = (statement: Source["program"]["body"][number], name: string): boolean =>
  statement.type === "ExportNamedDeclaration" &&
  statement.declaration?.type === "VariableDeclaration" &&
  declaredNames(statement).includes(name)
