/** Alternatives: the cheapest reading that the whole union accepts, or what is wrong with the one that was meant. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { type Tag, tagsOfEach } from "../memberMeant.ts"
import { flattened, isLiteral, literalsOf } from "../schemaPhrase.ts"
import * as Sentences from "../sentences.ts"
import { ofIssue } from "../violations.ts"
import { preview, sameJson } from "./json.ts"
import { repairLiterals } from "./literals.ts"
import { bad, type Good, holdsSecret, type Outcome, refuse, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import { explainUnion } from "./explainUnion.ts"
import { containerIn } from "./containers.ts"
import { wrongTag } from "./tags.ts"

/** The members of a union; all literals are one. */
export interface Members {
  readonly literals: ReadonlyArray<SchemaAST.LiteralValue>
  readonly hasNull: boolean
  /** All that are neither literals nor null. */
  readonly others: ReadonlyArray<SchemaAST.AST>
  /** Of each of the others. */
  readonly tags: ReadonlyMap<SchemaAST.AST, ReadonlyArray<Tag>>
  /** Whether it takes whatever one of its members takes. */
  readonly isPlain: boolean
}

/** One member and what came of repairing the value for it. */
export interface Tried {
  /** Nothing for the literals, which are one member. */
  readonly member: SchemaAST.AST | undefined
  readonly outcome: Outcome
}

const membersOf = (ast: SchemaAST.Union): Members => {
  const members = known.get(ast) ?? read(ast)
  known.set(ast, members)
  return members
}

const known = new WeakMap<SchemaAST.Union, Members>()

const read = (ast: SchemaAST.Union): Members => {
  const all = flattened(ast)
  const others = all.filter((member) => !isLiteral(member) && !SchemaAST.isNull(member))
  return {
    literals: all.filter(isLiteral).flatMap(literalsOf),
    hasNull: all.some(SchemaAST.isNull),
    others,
    tags: tagsOfEach(others),
    isPlain: isPlain(ast)
  }
}

/** Without a rule of its own, and so are the unions in it, whose members count as its own. */
const isPlain = (ast: SchemaAST.AST): boolean => {
  if (SchemaAST.isSuspend(ast)) return isPlain(ast.thunk())
  if (!SchemaAST.isUnion(ast)) return true
  return ast.options?.mode !== "oneOf" && ast.checks === undefined && ast.types.every(isPlain)
}

export const repairUnion = (
  run: Run,
  ast: SchemaAST.Union,
  value: Schema.Json,
  spot: Spot,
  issue: SchemaIssue.Issue
): Outcome => {
  const members = membersOf(ast)
  const tried = tryAll(run, ast, members, value, spot)
  const goods = tried.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : []))
  const [accepted, ...others] = members.isPlain ? goods : goods.filter((good) => run.accepts(ast, good.value))
  if (accepted !== undefined) return cheapest(ast, accepted, others, spot)
  const [refused] = goods
  if (refused === undefined) return explainUnion(run, ast, members, tried, value, spot)
  // Every member takes it and the union does not: it fits more than one, or a check of the union's own refuses it.
  const remaining = refused.value === value ? issue : run.issueOf(ast, refused.value)
  return remaining === undefined ? Result.succeed(refused) : bad(ofIssue(remaining, { ...spot, value: refused.value }))
}

/** Reading the tags of one member, which is most of what happens to those that are not meant. */
const stepsPerMember = 12

const tryAll = (run: Run, ast: SchemaAST.Union, members: Members, value: Schema.Json, spot: Spot): Array<Tried> => {
  const { hasNull, literals, others, tags } = members
  const tried: Array<Tried> = []
  run.spend(others.length * stepsPerMember)
  if (literals.length > 0) tried.push({ member: undefined, outcome: repairLiterals(run, ast, value, spot) })
  const container = others.length > 1 ? containerIn(run, ast, value, spot)?.value : undefined
  for (const member of others) {
    const mismatch = container === undefined ? undefined : wrongTag(run, tags.get(member) ?? [], container, spot)
    tried.push({ member, outcome: mismatch ?? run.repair(member, value, spot) })
  }
  if (hasNull) tried.push({ member: SchemaAST.null, outcome: run.repair(SchemaAST.null, value, spot) })
  return tried
}

/** Order in the schema never decides between different values: two of them are named instead. */
const cheapest = (ast: SchemaAST.Union, first: Good, others: ReadonlyArray<Good>, spot: Spot): Outcome => {
  const least = Math.min(first.cost, ...others.map(({ cost }) => cost))
  const [best = first, ...rest] = [first, ...others].filter(({ cost }) => cost === least)
  const other = rest.find(({ value }) => !sameJson(value, best.value))
  if (other === undefined) return Result.succeed({ ...best, checked: "whole" })
  const isSecret = spot.isSensitive || holdsSecret(ast)
  const readings = isSecret ? [] : [best.value, other.value]
  return refuse(spot, "ambiguous", () => ({ expected: Sentences.eitherOf(readings.map(preview)) }))
}
