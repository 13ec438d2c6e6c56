/** What came of repairs that were tried before: inside alternatives the same value comes up again and again. */
import type * as SchemaAST from "effect/SchemaAST"
import type { Outcome, Spot } from "./outcome.ts"

interface Entry {
  readonly spot: Spot
  readonly outcome: Outcome
}

export class Outcomes {
  private readonly known = new Map<SchemaAST.AST, Map<unknown, Entry>>()

  /** The outcome speaks of the place, and one text can be read in several. */
  of(ast: SchemaAST.AST, spot: Spot, attempt: () => Outcome): Outcome {
    const byValue = this.known.get(ast) ?? new Map<unknown, Entry>()
    this.known.set(ast, byValue)
    const known = byValue.get(spot.value)
    if (known !== undefined && isSame(known.spot, spot)) return known.outcome
    const outcome = attempt()
    byValue.set(spot.value, { spot, outcome })
    return outcome
  }
}

const isSame = (left: Spot, right: Spot): boolean =>
  left.isSensitive === right.isSensitive && left.description === right.description && isSamePlace(left, right)

type Step = Pick<Spot, "key" | "holder">

const isSamePlace = (left: Step | undefined, right: Step | undefined): boolean =>
  left === right ||
  (left !== undefined && right !== undefined && left.key === right.key && isSamePlace(left.holder, right.holder))
