/** Required literals, by which the members of a union are told apart. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { type Tag, tagsOf } from "../memberMeant.ts"
import { literalsOf } from "../schemaPhrase.ts"
import { lowerAscii } from "./json.ts"
import { repairLiterals } from "./literals.ts"
import { childSpot, type Outcome, type Spot } from "./outcome.ts"
import type { Run } from "./run.ts"

type Container = Schema.Json

/** What was sent under a key, or nothing. */
export const sentAt = (container: Container, key: PropertyKey): Schema.Json | undefined =>
  typeof container === "object" && container !== null && Object.hasOwn(container, key)
    ? Reflect.get(container, key)
    : undefined

const literalsAt = (tag: Tag): ReadonlyArray<SchemaAST.LiteralValue> => literalsOf(tag.type)

/**
 * Why the value cannot be meant for this member: it has another tag. Nothing else of the member needs to be tried then,
 * which would multiply with every level of a recursive union.
 */
export const wrongTag = (run: Run, member: SchemaAST.AST, container: Container, spot: Spot): Outcome | undefined => {
  for (const tag of tagsOf(member)) {
    const sent = sentAt(container, tag.key)
    if (sent === undefined || literalsAt(tag).some((literal) => literal === sent)) continue
    const key = typeof tag.key === "symbol" ? String(tag.key) : tag.key
    const outcome = repairLiterals(run, tag.type, literalsAt(tag), sent, childSpot(spot, key, sent, tag.type))
    if (Result.isFailure(outcome)) return outcome
  }
  return undefined
}

/** Some tag was sent, and all that were sent are those of the member, whatever their case. */
export const isTagged = (member: SchemaAST.AST, container: Container): boolean => {
  const sent = tagsOf(member).flatMap((tag) => {
    const value = sentAt(container, tag.key)
    return value === undefined ? [] : [{ tag, value }]
  })
  return sent.length > 0 && sent.every(({ tag, value }) => isLike(tag, value))
}

/** Whether a literal is that of a tag, case aside. */
export const isLike = (tag: Tag, value: Schema.Json): boolean =>
  literalsAt(tag).some((literal) =>
    typeof literal === "string" && typeof value === "string"
      ? lowerAscii(literal) === lowerAscii(value.trim())
      : literal === value
  )
