/** The properties of an object, each by its own schema. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Violation } from "../../InvalidInput.ts"
import { bareFrom } from "../bare.ts"
import { closest } from "../closest.ts"
import { admittedKeys } from "../explain.ts"
import { Found } from "../found.ts"
import { keysOf, phraseOf } from "../schemaPhrase.ts"
import * as Sentences from "../sentences.ts"
import { violationAt } from "../violations.ts"
import { type Field, isAnyText } from "./declared.ts"
import type { Draft } from "./draft.ts"
import { isBlank } from "./json.ts"
import { assembled, bad, changed, childSpot, kept, one, type Outcome, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import { isNullWord } from "./scalars.ts"
import { costs, type Kind } from "./warning.ts"

/** In the order in which they are reported. */
interface Faults {
  readonly missing: Found
  readonly unknown: Found
  readonly wrong: Found
}

/** Declared fields in the order of the schema, then other keys as they were sent. The result keeps the order sent. */
export const repairFields = (draft: Draft): Outcome => {
  const { object, tally } = draft
  const faults: Faults = { missing: new Found(), unknown: new Found(), wrong: new Found() }
  const values = new Map<string, Schema.Json>()
  for (const field of draft.declared.fields.values()) repairDeclared(draft, field, faults, values)
  for (const key of Object.keys(object)) if (!draft.declared.fields.has(key)) repairOther(draft, key, faults, values)
  const found = new Found()
  for (const some of [faults.missing, faults.unknown, faults.wrong]) found.append(some)
  const result = bareFrom(Object.keys(object).flatMap((key) => entryOf(values, key)))
  return found.isEmpty ? assembled(result, tally.cost, tally.warnings) : bad(found, tally.warnings, result)
}

const entryOf = (
  values: ReadonlyMap<string, Schema.Json>,
  key: string
): ReadonlyArray<readonly [string, Schema.Json]> => {
  const value = values.get(key)
  return value === undefined ? [] : [[key, value]]
}

const repairDeclared = (draft: Draft, field: Field, faults: Faults, values: Map<string, Schema.Json>): void => {
  const { object, run, spot, tally } = draft
  run.spend(1)
  const value = object[field.name]
  if (value === undefined)
    return field.isOptional ? undefined : faults.missing.note("missing", () => missing(draft, field))
  const fieldSpot = childSpot(spot, field.name, value, field.ast)
  const result = repairField(run, field, value, fieldSpot)
  if (result === "missing") return faults.missing.note("missing", () => missing(draft, field))
  if ("kind" in result) return tally.add(one(changed(fieldSpot, field.ast, { ...result, from: value })), result.cost)
  values.set(field.name, tally.take(result, value, faults.wrong))
}

/** A field that is left out. */
interface Dropped {
  readonly kind: Kind
  readonly cost: number
}

const repairField = (run: Run, field: Field, value: Schema.Json, spot: Spot): Outcome | Dropped | "missing" => {
  const issue = run.issueOf(field.ast, value)
  if (issue === undefined) return kept(value)
  if (value === null && !field.isOptional) return "missing"
  const dropped = withoutMeaning(run, field, value)
  if (dropped !== undefined) return dropped
  const outcome = run.repairRefused(field.ast, value, spot, issue)
  const isAbsent = field.isOptional && !field.isPlainString && isNullWord(value) && run.does("null_dropped")
  return Result.isFailure(outcome) && isAbsent ? { kind: "null_dropped", cost: costs.loose } : outcome
}

/** Nothing was meant by a null that the field refuses, nor by a blank text where only a text could stand. */
const withoutMeaning = (run: Run, field: Field, value: Schema.Json): Dropped | undefined => {
  if (!field.isOptional) return undefined
  if (value === null && run.does("null_dropped")) return { kind: "null_dropped", cost: costs.plain }
  const isIgnored = field.ignoresBlank && typeof value === "string" && isBlank(value)
  return isIgnored && run.does("blank_dropped") ? { kind: "blank_dropped", cost: costs.plain } : undefined
}

const repairOther = (draft: Draft, key: string, faults: Faults, values: Map<string, Schema.Json>): void => {
  const { declared, object, run, spot, tally } = draft
  const value = object[key] ?? null
  const map = declared.maps.find(({ parameter }) => isAnyText(parameter) || run.accepts(parameter, key))
  const otherSpot = childSpot(spot, key, value, map?.type)
  if (map === undefined) return faults.unknown.note("unknown_key", () => unknown(draft, key, otherSpot))
  values.set(key, tally.take(run.repair(map.type, value, otherSpot), value, faults.wrong))
}

/** Names a key that was sent and looks like the one that is missing. */
const missing = ({ declared, object, spot }: Draft, { ast, name }: Field): Violation => {
  const strays = Object.keys(object).filter((key) => !declared.fields.has(key))
  const sent = closest(name, strays)
  return violationAt(childSpot(spot, name, object[name], ast), {
    code: "missing",
    expected: phraseOf(ast),
    ...(sent === undefined ? {} : { hint: Sentences.sentInstead(sent) })
  })
}

const unknown = ({ ast, object }: Draft, key: string, spot: Spot): Violation => {
  const near = closest(
    key,
    keysOf(ast).filter((name) => !Object.hasOwn(object, name))
  )
  return violationAt(spot, {
    code: "unknown_key",
    expected: admittedKeys(ast),
    ...(near === undefined ? {} : { hint: Sentences.didYouMean(near) })
  })
}
