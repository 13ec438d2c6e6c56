/** Texts that spell a number, a boolean, null or one of some literals. */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { typeCode } from "../explain.ts"
import { jsonNumber } from "../jsonLexicon.ts"
import { isInteger } from "../schemaPhrase.ts"
import * as Sentences from "../sentences.ts"
import { ofIssue } from "../violations.ts"
import { lowerAscii } from "./json.ts"
import { marksOf } from "./marks.ts"
import { bad, changed, one, type Outcome, refuse, refuseFor, repaired, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import { costs } from "./warning.ts"

type Json = Schema.Json

/** Exactly what JSON would have carried without the quotes. */
export const numberIn = (text: string): number | undefined => {
  const number = jsonNumber.test(text.trim()) ? Number(text) : undefined
  return number === undefined || !Number.isFinite(number) ? undefined : number + 0
}

const isUnsafe = (number: number): boolean => Number.isInteger(number) && !Number.isSafeInteger(number)

/** Of a text that spells a value. */
export const costOf = (text: string): number => (text === text.trim() ? costs.plain : costs.loose)

export const repairNumber = (
  run: Run,
  ast: SchemaAST.AST,
  value: Json,
  spot: Spot,
  issue: SchemaIssue.Issue
): Outcome => {
  const isText = typeof value === "string" && run.does("number_from_string")
  const number = isText ? numberIn(value) : value
  if (typeof number !== "number") return refuseFor(spot, typeCode(ast, value), ast)
  if (isUnsafe(number)) return refuse(spot, "unsafe_integer", () => ({ expected: Sentences.safeInteger }))
  if (isInteger(ast) && !Number.isInteger(number)) return refuseFor(spot, "type:integer", ast)
  if (!isText) return bad(ofIssue(issue, spot))
  const warning = changed(spot, ast, { kind: "number_from_string", from: value, to: number })
  return repaired(number, costOf(value), one(warning))
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false]
])

export const booleanIn = (text: string): boolean | undefined => truths.get(lowerAscii(text.trim()))

/** Words other than the two of JSON are a weaker reading. */
export const truthCost = (text: string): number => (/^(?:true|false)$/i.test(text.trim()) ? costs.plain : costs.loose)

export const repairBoolean = (run: Run, ast: SchemaAST.AST, value: Json, spot: Spot): Outcome => {
  const truth = typeof value === "string" && run.does("boolean_from_string") ? booleanIn(value) : undefined
  if (truth === undefined || typeof value !== "string") return refuseFor(spot, "type:boolean", ast)
  const warning = changed(spot, ast, { kind: "boolean_from_string", from: value, to: truth })
  return repaired(truth, truthCost(value), one(warning))
}

/** In any case of letters, with spaces around it or not. */
export const isNullWord = (value: unknown): boolean => typeof value === "string" && lowerAscii(value.trim()) === "null"

export const repairNull = (run: Run, ast: SchemaAST.AST, value: Json, spot: Spot): Outcome => {
  if (!isNullWord(value) || !run.does("null_from_string")) return refuseFor(spot, "type:null", ast)
  return repaired(null, costs.plain, one(changed(spot, ast, { kind: "null_from_string", from: value, to: null })))
}

/** A text is never changed. Only where the author asks is something else written as text. */
export const repairString = (
  run: Run,
  ast: SchemaAST.AST,
  value: Json,
  spot: Spot,
  issue: SchemaIssue.Issue
): Outcome => {
  const isText = typeof value === "string"
  if (isText || value === null || !marksOf(ast).stringify || !run.does("stringified") || !isExact(value)) {
    return isText ? bad(ofIssue(issue, spot)) : refuseFor(spot, "type:string", ast)
  }
  const text = JSON.stringify(value)
  return repaired(text, costs.reshaped, one(changed(spot, ast, { kind: "stringified", from: value, to: text })))
}

/** Writing a fraction as text would not give back the zeros that were sent. */
const isExact = (value: Json): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isExact)
    : typeof value !== "number" || Number.isSafeInteger(value)
