/** What comes of repairing one value, and where that value is. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Code, Violation } from "../../InvalidInput.ts"
import type { Locate } from "../arrival.ts"
import { Found, shorten } from "../found.ts"
import { formatPath, pathOf } from "../path.ts"
import { phraseOf } from "../schemaPhrase.ts"
import { nodesOf } from "../schemaShape.ts"
import { type Place, violationAt } from "../violations.ts"
import { preview } from "./json.ts"
import { marksOf } from "./marks.ts"
import { type Kind, noWarnings, type Tell, type Warning, type Warnings } from "./warning.ts"

/** A value that fits its schema, and what it took. Of several readings the cheapest is the one that was meant. */
export interface Good {
  readonly value: Schema.Json
  readonly cost: number
  readonly warnings: Warnings
  /** What has passed the gate already: nothing that is known, all parts of the value, or all of it. */
  readonly checked?: "parts" | "whole"
}

export interface Bad {
  readonly found: Found
  /** What was repaired beside what could not be. */
  readonly warnings: Warnings
  /** Of an object, with the fields that fit as they were repaired. */
  readonly partial?: Schema.JsonObject | undefined
  /** Where things are in what was sent. */
  readonly locate?: Locate | undefined
}

export type Outcome = Result.Result<Good, Bad>

export const kept = (value: Schema.Json): Outcome => Result.succeed({ value, cost: 0, warnings: noWarnings })

export const bad = (found: Found, warnings: Warnings = noWarnings, partial?: Schema.JsonObject): Outcome =>
  Result.fail({ found, warnings, partial })

/** Where a value is. */
export interface Spot extends Place {
  /** Containers around it, itself included. */
  readonly depth: number
  readonly isSensitive: boolean
}

export const rootSpot = (value: Schema.Json, ast: SchemaAST.AST): Spot => ({
  value,
  depth: 1,
  isSensitive: marksOf(ast).sensitive
})

/** Where a part of the value is, and what its schema says about it. */
export const childSpot = (holder: Spot, key: string | number, value: unknown, ast: SchemaAST.AST | undefined): Spot => {
  const marks = ast === undefined ? undefined : marksOf(ast)
  return {
    value,
    key,
    holder,
    ast,
    depth: holder.depth + 1,
    isSensitive: holder.isSensitive || marks?.sensitive === true,
    description: marks?.description
  }
}

/** One violation at a spot, put into words only if somebody is going to read it. */
export const refuse = (spot: Spot, code: Code, tell: () => Pick<Violation, "expected" | "hint">): Outcome => {
  const found = new Found()
  found.note(code, () => violationAt(spot, { code, ...tell() }))
  return bad(found)
}

/** A value that is not what its schema is about. */
export const refuseFor = (spot: Spot, code: Code, ast: SchemaAST.AST): Outcome =>
  refuse(spot, code, () => ({ expected: phraseOf(ast) }))

export interface Change {
  readonly kind: Kind
  readonly from: Schema.Json | undefined
  /** Left out where nothing is left. */
  readonly to?: Schema.Json
}

/** Reports a change, without the values where something secret may be among them. */
export const changed =
  (spot: Spot, ast: SchemaAST.AST, change: Change): Tell =>
  () =>
    tell(spot, ast, change)

const tell = (spot: Spot, ast: SchemaAST.AST, { from, kind, to }: Change): Warning => {
  const write = spot.isSensitive || holdsSecret(ast) ? () => redacted : preview
  const show = (value: Schema.Json | undefined) => (value === undefined ? null : write(value))
  return { path: pathAt(spot), kind, from: show(from), to: show(to) }
}

export const pathAt = (spot: Spot): string => shorten(formatPath(pathOf(spot)))

const redacted = "<redacted>"

/** Whether anything in values of the schema may be secret. */
export const holdsSecret = (ast: SchemaAST.AST): boolean => {
  const known = secrecy.get(ast) ?? nodesOf(ast).some((node) => marksOf(node).sensitive)
  secrecy.set(ast, known)
  return known
}

const secrecy = new WeakMap<SchemaAST.AST, boolean>()

export const one = (...list: ReadonlyArray<Tell>): Warnings => ({ list, omitted: 0 })

/** A container that was put together from parts that fit. */
export const assembled = (value: Schema.Json, cost: number, warnings: Warnings): Outcome =>
  Result.succeed({ value, cost, warnings, checked: "parts" })

/** A repaired value with what it took. */
export const repaired = (value: Schema.Json, cost: number, warnings: Warnings): Outcome =>
  Result.succeed({ value, cost, warnings })
