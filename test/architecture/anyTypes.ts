/** Where the type system is switched off. */
import { type Span, Visitor } from "oxc-parser"
import { declaredNames, locate, type Source } from "./sources.ts"

/** The two erased forms: everything generic goes through them. */
const allowed = new Set(["packages/core/src/Tool.ts: Codec", "packages/core/src/Tool.ts: Any"])

export const anyTypes = (source: Source): ReadonlyArray<string> => {
  const found: Array<string> = []
  new Visitor({
    TSAnyKeyword: (keyword) => found.push(`${locate(source)}: ${declarationAround(source, keyword)}`)
  }).visit(source.program)
  return found.filter((place) => !allowed.has(place))
}

/** The exported declaration that the keyword is in, or its line. */
const declarationAround = ({ program, text }: Source, { end, start }: Span): string => {
  const around = program.body.find((statement) => statement.start <= start && end <= statement.end)
  const [name] = around?.type === "ExportNamedDeclaration" ? declaredNames(around) : []
  return name ?? `line ${text.slice(0, start).split("\n").length}`
}
