/** Lists and objects that arrived as text. */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { changed, type Spot } from "./outcome.ts"
import type { Reading } from "./readText.ts"
import type { Run } from "./run.ts"
import { costs, type Kind, maxWarnings, noWarnings, type Warnings } from "./warning.ts"

/** A container that was read from a text. */
export interface Contained<A> {
  readonly value: A
  readonly cost: number
  readonly warnings: Warnings
}

/** Text that was written as JSON inside JSON text. More layers are no slip any more. */
const maxLayers = 2

/** The container that a text is, or nothing if it is not one, is cut off, or has something after it. */
export const readContainer = <A extends Schema.Json>(
  run: Run,
  ast: SchemaAST.AST,
  text: string,
  spot: Spot,
  kind: Kind,
  isWanted: (value: Schema.Json) => value is A
): Contained<A> | undefined => {
  const readings = run.does(kind) ? layersOf(run, text, spot) : []
  const value = readings.at(-1)?.value
  return value !== undefined && isWanted(value) ? contained(ast, readings, text, value, spot, kind) : undefined
}

const contained = <A extends Schema.Json>(
  ast: SchemaAST.AST,
  readings: ReadonlyArray<Reading>,
  text: string,
  value: A,
  spot: Spot,
  kind: Kind
): Contained<A> => {
  const kinds = [...new Set(readings.flatMap((reading) => reading.kinds)), kind]
  const list = kinds.map((one) => changed(spot, ast, { kind: one, from: text, to: value }))
  return {
    value,
    cost: readings.length * costs.plain,
    warnings: { list: list.slice(0, maxWarnings), omitted: 0 }
  }
}

/** The list or object that a value is, or that a text holds. */
export const containerIn = (
  run: Run,
  ast: SchemaAST.AST,
  value: Schema.Json,
  spot: Spot
): Contained<Schema.Json> | undefined => {
  if (typeof value === "object" && value !== null) return { value, cost: 0, warnings: noWarnings }
  if (typeof value !== "string" || !run.does("object_from_string")) return undefined
  const readings = layersOf(run, value, spot)
  const inside = readings.at(-1)?.value
  if (typeof inside !== "object" || inside === null) return undefined
  return contained(
    ast,
    readings,
    value,
    inside,
    spot,
    Array.isArray(inside) ? "array_from_string" : "object_from_string"
  )
}

const layersOf = (run: Run, text: string, spot: Spot): ReadonlyArray<Reading> => {
  const readings: Array<Reading> = []
  for (let next: Schema.Json = text; typeof next === "string" && readings.length < maxLayers;) {
    const reading = run.read(next, spot)
    if (reading === undefined) return []
    readings.push(reading)
    next = reading.value
  }
  return readings
}
