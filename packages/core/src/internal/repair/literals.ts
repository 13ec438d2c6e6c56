/** One of some fixed values: the declared spelling of what was sent in another one. */
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as JsonText from "../../JsonText.ts"
import { closest } from "../closest.ts"
import { flattened, isLiteral, literalsOf, phraseOf } from "../schemaPhrase.ts"
import * as Sentences from "../sentences.ts"
import { lowerAscii } from "./json.ts"
import { changed, one, type Outcome, refuse, refuseFor, repaired, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import { booleanIn, costOf, numberIn, truthCost } from "./scalars.ts"
import { costs, type Kind } from "./warning.ts"

type Literal = SchemaAST.LiteralValue

/** All literals of one schema at once. Some have thousands, and a list can ask for one of them as often. */
interface Literals {
  readonly all: ReadonlySet<Literal>
  readonly texts: ReadonlySet<string>
  /** The texts that differ in case alone. */
  readonly byFold: ReadonlyMap<string, ReadonlyArray<string>>
}

const literalsIn = memoize((ast: SchemaAST.AST): Literals => {
  const all = new Set(flattened(ast).filter(isLiteral).flatMap(literalsOf))
  const texts = new Set([...all].filter((literal) => typeof literal === "string"))
  return { all, texts, byFold: Map.groupBy(texts, lowerAscii) }
})

/** The value as one of the literals of a schema, which may have other alternatives. */
export const repairLiterals = (run: Run, ast: SchemaAST.AST, value: Schema.Json, spot: Spot): Outcome => {
  if (typeof value !== "string") return refuseFor(spot, "enum", ast)
  const literals = literalsIn(ast)
  for (const { candidate, kind } of candidatesIn(run, value)) {
    const [match, ...others] = matching(candidate, literals)
    if (others.length > 0)
      return refuse(spot, "ambiguous", () => ({ expected: Sentences.oneOf([match ?? "", ...others]) }))
    if (match !== undefined)
      return repaired(match, costs.plain, one(changed(spot, ast, { kind, from: value, to: match })))
  }
  return readLiteral(run, ast, literals, value, spot) ?? refuseLiteral(ast, literals, value, spot)
}

interface Candidate {
  readonly candidate: string
  readonly kind: Kind
}

/** The text, then what is inside the quotes if it has brought its own. */
const candidatesIn = (run: Run, text: string): ReadonlyArray<Candidate> => {
  const candidate = text.trim()
  const inner = candidate.startsWith('"') ? Result.getOrUndefined(JsonText.read(candidate)) : undefined
  const all: ReadonlyArray<Candidate> = [
    { candidate, kind: "enum_case" },
    ...(typeof inner === "string" ? [{ candidate: inner.trim(), kind: "enum_unquoted" as const }] : [])
  ]
  return all.filter(({ kind }) => run.does(kind))
}

/** The exact spelling, or all that differ in case alone. */
const matching = (candidate: string, { byFold, texts }: Literals): ReadonlyArray<string> =>
  texts.has(candidate) ? [candidate] : (byFold.get(lowerAscii(candidate)) ?? [])

/** A number or a boolean among the literals that the text spells. */
const readLiteral = (
  run: Run,
  ast: SchemaAST.AST,
  { all }: Literals,
  text: string,
  spot: Spot
): Outcome | undefined => {
  const [number, truth] = [numberIn(text), booleanIn(text)]
  if (number !== undefined && all.has(number) && run.does("number_from_string")) {
    const warning = changed(spot, ast, { kind: "number_from_string", from: text, to: number })
    return repaired(number, costOf(text), one(warning))
  }
  if (truth === undefined || !all.has(truth) || !run.does("boolean_from_string")) return undefined
  const warning = changed(spot, ast, { kind: "boolean_from_string", from: text, to: truth })
  return repaired(truth, truthCost(text), one(warning))
}

/** The nearest member is named and never taken. */
const refuseLiteral = (ast: SchemaAST.AST, { texts }: Literals, sent: string, spot: Spot): Outcome =>
  refuse(spot, "enum", () => {
    const near = closest(sent, [...texts])
    return { expected: phraseOf(ast), ...(near === undefined ? {} : { hint: Sentences.didYouMean(near) }) }
  })
