/** Required literals, by which the members of a union are told apart. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Tag } from "../memberMeant.ts"
import { literalsOf } from "../schemaPhrase.ts"
import { repairLiterals } from "./literals.ts"
import { childSpot, kept, type Outcome, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"

type Container = Schema.Json

type Tags = ReadonlyArray<Tag>

/** What was sent under a key, or nothing. Null says nothing about a property; an element of a list cannot be left out. */
export const sentAt = (container: Container, key: PropertyKey): Schema.Json | undefined => {
  if (typeof container !== "object" || container === null || !Object.hasOwn(container, key)) return undefined
  const sent: Schema.Json = Reflect.get(container, key)
  return sent === null && !Array.isArray(container) ? undefined : sent
}

/**
 * Why the value cannot be meant for a member with these tags: it has another one. Nothing else of the member needs to be
 * tried then, which would multiply with every level of a recursive union.
 */
export const wrongTag = (run: Run, tags: Tags, container: Container, spot: Spot): Outcome | undefined => {
  for (const tag of tags) {
    const sent = sentAt(container, tag.key)
    const outcome = sent === undefined ? undefined : readTag(run, tag, sent, spot)
    if (outcome !== undefined && Result.isFailure(outcome)) return outcome
  }
  return undefined
}

/** Some tag was sent, and all that were sent are these or can be read as such. */
export const isTagged = (run: Run, tags: Tags, container: Container, spot: Spot): boolean =>
  tags.some(({ key }) => sentAt(container, key) !== undefined) && wrongTag(run, tags, container, spot) === undefined

/** What was sent as a tag of the object at the spot, repaired like any literal. */
export const readTag = (run: Run, tag: Tag, sent: Schema.Json, spot: Spot): Outcome => {
  const literals = literalsOf(tag.type)
  return literals.some((literal) => literal === sent)
    ? kept(sent)
    : repairLiterals(run, tag.type, sent, tagSpot(spot, tag, sent))
}

export const tagSpot = (spot: Spot, { key, type }: Tag, sent: Schema.Json | undefined): Spot =>
  childSpot(spot, typeof key === "symbol" ? String(key) : key, sent, type)
