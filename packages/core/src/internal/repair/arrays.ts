/** Lists: each element by its own schema, then the list as a whole. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { Found } from "../found.ts"
import { requiredElements, wholeListPhrase } from "../schemaPhrase.ts"
import * as Sentences from "../sentences.ts"
import { violationAt } from "../violations.ts"
import { readContainer } from "./containers.ts"
import { elementAt } from "./gate.ts"
import { marksOf } from "./marks.ts"
import { assembled, bad, changed, childSpot, one, type Outcome, refuseFor, repaired, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import { Tally } from "./tally.ts"
import { costs } from "./warning.ts"

type List = ReadonlyArray<Schema.Json>

const isList = (value: Schema.Json): value is List => Array.isArray(value)

export const repairArray = (run: Run, ast: SchemaAST.Arrays, value: Schema.Json, spot: Spot): Outcome => {
  if (isList(value)) return repairItems(run, ast, value, spot, new Tally())
  const text = typeof value === "string" ? value : undefined
  const read = text === undefined ? undefined : readContainer(run, ast, text, spot, "array_from_string", isList)
  if (read === undefined) return wrapSingle(run, ast, value, spot) ?? refuseFor(spot, "type:array", ast)
  if (run.accepts(ast, read.value)) return Result.succeed(read)
  return repairItems(run, ast, read.value, spot, new Tally(read))
}

const repairItems = (run: Run, ast: SchemaAST.Arrays, items: List, spot: Spot, tally: Tally): Outcome => {
  const found = new Found()
  const list = items.map((item, index) => {
    const type = elementAt(ast, index, items.length)
    const itemSpot = childSpot(spot, index, item, type)
    if (type === undefined) return note(found, itemSpot, Sentences.surplusElement)
    return tally.take(run.repair(type, item, itemSpot), item, found)
  })
  if (items.length < requiredElements(ast).length) note(found, spot, wholeListPhrase(ast))
  return found.isEmpty ? assembled(list, tally.cost, tally.warnings) : bad(found, tally.warnings)
}

const note = (found: Found, spot: Spot, expected: string): null => {
  found.note("check", () => violationAt(spot, { code: "check", expected }))
  return null
}

/** Where the author asks for it, a lone value stands for a list of one. Text is not split. */
const wrapSingle = (run: Run, ast: SchemaAST.Arrays, value: Schema.Json, spot: Spot): Outcome | undefined => {
  const [item] = ast.rest
  const isAsked = marksOf(ast).wrapSingle && run.does("wrapped_single")
  if (!isAsked || item === undefined || ast.elements.length > 0 || value === null) return undefined
  const single = Result.getOrUndefined(run.repair(item, value, childSpot(spot, 0, value, item)))
  if (single === undefined) return undefined
  const tally = new Tally(single)
  tally.add(one(changed(spot, ast, { kind: "wrapped_single", from: value, to: [single.value] })), costs.reshaped)
  return repaired([single.value], tally.cost, tally.warnings)
}
