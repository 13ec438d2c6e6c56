/** What is wrong with a value that no member of a union takes, told by the member that was meant if one clearly was. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { Found } from "../found.ts"
import { commonTags, tagsOf } from "../memberMeant.ts"
import { phraseOf } from "../schemaPhrase.ts"
import { violationAt } from "../violations.ts"
import { containerIn } from "./containers.ts"
import { bad, childSpot, type Outcome, refuseFor, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import { isLike, isTagged, sentAt } from "./tags.ts"
import type { Members, Tried } from "./unions.ts"

/** The first rule that applies. */
export const explainUnion = (
  run: Run,
  ast: SchemaAST.Union,
  { literals, others }: Members,
  tried: ReadonlyArray<Tried>,
  value: Schema.Json,
  spot: Spot
): Outcome => {
  const ambiguous = tried.find(isAmbiguous)
  if (ambiguous !== undefined) return ambiguous.outcome
  const [first] = tried
  if (first !== undefined && others.length + (literals.length > 0 ? 1 : 0) <= 1) return first.outcome
  const container = containerIn(run, value, spot)
  const tagged = container === undefined ? [] : tried.filter(({ member }) => isTaggedLike(member, container))
  if (tagged.length === 1 && tagged[0] !== undefined) return tagged[0].outcome
  const meant = literals.length > 0 ? undefined : (wrongTags(others, container, spot) ?? untagged(others, tried))
  return meant ?? refuseFor(spot, "anyOf", ast)
}

const isAmbiguous = ({ outcome }: Tried): boolean => Result.isFailure(outcome) && outcome.failure.found.has("ambiguous")

const isTaggedLike = (member: SchemaAST.AST | undefined, container: Schema.Json): boolean =>
  member !== undefined && isTagged(member, container)

/** What is wrong with the tags, if every member has some. */
const wrongTags = (
  members: ReadonlyArray<SchemaAST.AST>,
  container: Schema.Json | undefined,
  spot: Spot
): Outcome | undefined => {
  if (members.length === 0 || !members.every((member) => tagsOf(member).length > 0)) return undefined
  const common = commonTags(members)
  const tags = common.length > 0 ? common : tagsOf(members[0] ?? SchemaAST.never).slice(0, 1)
  const [missing, wrong] = [new Found(), new Found()]
  for (const tag of tags) {
    const sent = container === undefined ? undefined : sentAt(container, tag.key)
    const key = typeof tag.key === "symbol" ? String(tag.key) : tag.key
    const at = childSpot(spot, key, sent, tag.type)
    const tell = (code: "missing" | "enum") => () => violationAt(at, { code, expected: phraseOf(tag.type) })
    if (sent === undefined) missing.note("missing", tell("missing"))
    else if (!isLike(tag, sent)) wrong.note("enum", tell("enum"))
  }
  missing.append(wrong)
  return missing.isEmpty ? undefined : bad(missing)
}

/** Objects that nothing tells apart: the first that was begun, or else the first. */
const untagged = (members: ReadonlyArray<SchemaAST.AST>, tried: ReadonlyArray<Tried>): Outcome | undefined => {
  const isUntagged = (member: SchemaAST.AST) => SchemaAST.isObjects(member) && tagsOf(member).length === 0
  if (!members.every(isUntagged)) return undefined
  const outcomes = tried.filter(({ member }) => member !== undefined && SchemaAST.isObjects(member))
  const begun = outcomes.find(
    ({ outcome }) => Result.isFailure(outcome) && !outcome.failure.found.startsWith("missing")
  )
  return (begun ?? outcomes[0])?.outcome
}
