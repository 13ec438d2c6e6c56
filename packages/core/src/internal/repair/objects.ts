/** Objects, step by step, each only as long as the object does not fit. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { readContainer } from "./containers.ts"
import { declaredBy } from "./declared.ts"
import type { Draft } from "./draft.ts"
import { repairFields } from "./fields.ts"
import { isObject } from "./json.ts"
import { renameKeys } from "./keys.ts"
import { type Outcome, refuseFor, repaired, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import { Tally } from "./tally.ts"
import { unwrap } from "./wrappers.ts"

/** A wrapper around a wrapper happens; more is no slip any more. */
const maxWrappers = 2

export const repairObject = (run: Run, ast: SchemaAST.Objects, value: Schema.Json, spot: Spot): Outcome => {
  if (isObject(value)) return repairNative(run, ast, value, spot, new Tally())
  const text = typeof value === "string" ? value : undefined
  const read = text === undefined ? undefined : readContainer(run, ast, text, spot, "object_from_string", isObject)
  if (read === undefined) return refuseFor(spot, "type:object", ast)
  return run.accepts(ast, read.value) ? Result.succeed(read) : repairNative(run, ast, read.value, spot, new Tally(read))
}

const repairNative = (
  run: Run,
  ast: SchemaAST.Objects,
  object: Schema.JsonObject,
  spot: Spot,
  tally: Tally
): Outcome => {
  const sent: Draft = { run, ast, declared: declaredBy(ast), object, spot, tally }
  if (!hasStrays(sent)) return repairFields(sent)
  const bare = unwrapAll(sent)
  if (bare.object !== object && fits(bare)) return done(bare)
  const named: Draft = { ...bare, object: renameKeys(bare) }
  return named.object !== bare.object && fits(named) ? done(named) : repairFields(named)
}

/** Only a key that is not declared can be a wrapper, or another spelling. */
const hasStrays = ({ declared, object, run }: Draft): boolean => {
  let strays = 0
  for (const key in object) if (!declared.fields.has(key)) strays++
  run.spend(strays * stepsPerStray)
  return strays > 0
}

/** A key that is not declared is looked at by every rule about keys. */
const stepsPerStray = 60

/** An object as its schema is going to see it, whether it fits or not, and what that takes. */
export const underItsNames = (
  run: Run,
  ast: SchemaAST.Objects,
  object: Schema.JsonObject,
  spot: Spot
): Pick<Draft, "object" | "tally"> => {
  const bare = unwrapAll({ run, ast, declared: declaredBy(ast), object, spot, tally: new Tally() })
  return { object: renameKeys(bare), tally: bare.tally }
}

const fits = ({ ast, object, run }: Draft): boolean => run.accepts(ast, object)

const done = ({ object, tally }: Draft): Outcome => repaired(object, tally.cost, tally.warnings)

const unwrapAll = (draft: Draft, rounds = maxWrappers): Draft => {
  const object = rounds === 0 ? undefined : unwrap(draft)
  if (object === undefined) return draft
  const inner: Draft = { ...draft, object }
  return fits(inner) ? inner : unwrapAll(inner, rounds - 1)
}
