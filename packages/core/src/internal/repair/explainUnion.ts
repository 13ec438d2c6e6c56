/** What is wrong with a value that no member of a union takes, told by the member that was meant if one clearly was. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { Found } from "../found.ts"
import { commonTags, type Tag } from "../memberMeant.ts"
import { containerIn, type Contained } from "./containers.ts"
import { isObject } from "./json.ts"
import { underItsNames } from "./objects.ts"
import { bad, type Outcome, refuseFor, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import { isTagged, readTag, sentAt, tagSpot } from "./tags.ts"
import type { Members, Tried } from "./unions.ts"
import { join, type Warnings } from "./warning.ts"

/** The first rule that applies. */
export const explainUnion = (
  run: Run,
  ast: SchemaAST.Union,
  members: Members,
  tried: ReadonlyArray<Tried>,
  value: Schema.Json,
  spot: Spot
): Outcome => {
  const { literals, others, tags } = members
  const ambiguous = tried.find(isAmbiguous)
  if (ambiguous !== undefined) return ambiguous.outcome
  const [first] = tried
  if (first !== undefined && others.length + (literals.length > 0 ? 1 : 0) <= 1) return first.outcome
  const container = containerIn(run, ast, value, spot)
  const seen = container === undefined ? none : seenBy(run, others, container, spot)
  const tagged = tried.filter(({ member }) => isMeant(run, member, tags, seen, spot))
  if (tagged.length === 1 && tagged[0] !== undefined) return tagged[0].outcome
  const meant = literals.length > 0 ? undefined : (wrongTags(run, members, seen, spot) ?? untagged(members, tried))
  return meant ?? refuseFor(spot, "anyOf", ast)
}

const isAmbiguous = ({ outcome }: Tried): boolean => Result.isFailure(outcome) && outcome.failure.found.has("ambiguous")

/** What each member is about: an object out of its wrappers and with its keys under their declared names. */
type Seen = ReadonlyMap<SchemaAST.AST, View>

type View = Pick<Contained<Schema.Json>, "value" | "warnings">

const none: Seen = new Map()

const seenBy = (run: Run, members: ReadonlyArray<SchemaAST.AST>, container: View, spot: Spot): Seen => {
  run.spend(members.length * stepsPerView)
  return new Map(members.map((member) => [member, viewOf(run, member, container, spot)]))
}

/** Taking an object out of its wrappers and giving its keys their names. */
const stepsPerView = 40

const viewOf = (run: Run, member: SchemaAST.AST, container: View, spot: Spot): View => {
  const { value, warnings } = container
  if (!SchemaAST.isObjects(member) || !isObject(value)) return container
  const { object, tally } = underItsNames(run, member, value, spot)
  return { value: object, warnings: join(warnings, tally.warnings) }
}

const isMeant = (
  run: Run,
  member: SchemaAST.AST | undefined,
  tags: Members["tags"],
  seen: Seen,
  spot: Spot
): boolean => {
  const container = member && seen.get(member)?.value
  return member !== undefined && container !== undefined && isTagged(run, tags.get(member) ?? [], container, spot)
}

/** What is wrong with the tags, if every member has some. */
const wrongTags = (run: Run, { others, tags }: Members, seen: Seen, spot: Spot): Outcome | undefined => {
  const [first] = others
  if (first === undefined || !others.every((member) => isTaggable(tags, member))) return undefined
  const own = tags.get(first) ?? []
  const common = commonTags(others)
  const wanted = common.length > 0 ? common : own.slice(0, 1)
  const [missing, wrong] = [new Found(), new Found()]
  for (const tag of wanted) {
    const sent = [...seen.values()].map(({ value }) => sentAt(value, tag.key)).find((one) => one !== undefined)
    const outcome = sent === undefined ? lacking(tag, spot) : readTag(run, tag, sent, spot)
    if (Result.isFailure(outcome)) (sent === undefined ? missing : wrong).append(outcome.failure.found)
  }
  missing.append(wrong)
  return missing.isEmpty ? undefined : bad(missing, warningsAbout(wanted, seen))
}

/** What it took to find the tags, in the eyes of the first member that finds one. */
const warningsAbout = (tags: ReadonlyArray<Tag>, seen: Seen): Warnings | undefined => {
  const views = [...seen.values()]
  return (views.find(({ value }) => tags.some(({ key }) => sentAt(value, key) !== undefined)) ?? views[0])?.warnings
}

const isTaggable = (tags: Members["tags"], member: SchemaAST.AST): boolean => (tags.get(member) ?? []).length > 0

const lacking = (tag: Tag, spot: Spot): Outcome => refuseFor(tagSpot(spot, tag, undefined), "missing", tag.type)

/** Objects that nothing tells apart: the first that was begun, or else the first. */
const untagged = ({ others, tags }: Members, tried: ReadonlyArray<Tried>): Outcome | undefined => {
  if (!others.every((member) => SchemaAST.isObjects(member) && !isTaggable(tags, member))) return undefined
  const outcomes = tried.filter(({ member }) => member !== undefined && SchemaAST.isObjects(member))
  const begun = outcomes.find(
    ({ outcome }) => Result.isFailure(outcome) && !outcome.failure.found.startsWith("missing")
  )
  return (begun ?? outcomes[0])?.outcome
}
