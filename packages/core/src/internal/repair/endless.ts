/** A number in a text that is larger than numbers can be: a wrong value of its field, if that wants a number. */
import * as SchemaAST from "effect/SchemaAST"
import { typeCode } from "../explain.ts"
import type { Place } from "../jsonFault.ts"
import { flattened, phraseOf } from "../schemaPhrase.ts"
import * as Sentences from "../sentences.ts"
import { declaredBy } from "./declared.ts"
import { childSpot, type Outcome, refuse, rootSpot, type Spot } from "./outcome.ts"

/** Nothing where the schema wants something else than a number, or does not say. */
export const refuseEndless = (root: SchemaAST.AST, path: Place, number: number): Outcome | undefined => {
  let ast = onlyOf(root)
  let spot: Spot = rootSpot(null, root)
  for (const key of path) {
    const part = ast === undefined ? undefined : partAt(ast, key)
    spot = childSpot(spot, key, number, part)
    ast = part === undefined ? undefined : onlyOf(part)
  }
  if (ast === undefined || !SchemaAST.isNumber(ast)) return undefined
  const expected = phraseOf(ast)
  return refuse(spot, typeCode(ast, number), () => ({ expected, hint: Sentences.endlessNumber }))
}

/** The only alternative besides null. */
const onlyOf = (ast: SchemaAST.AST): SchemaAST.AST | undefined => {
  const [only, ...others] = flattened(ast).filter((member) => !SchemaAST.isNull(member))
  return others.length === 0 ? only : undefined
}

/** How many elements come after the repeated one is not known yet. */
const partAt = (ast: SchemaAST.AST, key: string | number): SchemaAST.AST | undefined => {
  if (SchemaAST.isObjects(ast)) return propertyAt(ast, String(key))
  if (!SchemaAST.isArrays(ast) || ast.rest.length > 1) return undefined
  return ast.elements[Number(key)] ?? ast.rest[0]
}

const propertyAt = (ast: SchemaAST.Objects, key: string): SchemaAST.AST | undefined => {
  const { fields, maps } = declaredBy(ast)
  return fields.get(key)?.ast ?? (maps.length === 1 ? maps[0]?.type : undefined)
}
