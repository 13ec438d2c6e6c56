/** Keys under another name: aliases that the author declared, and other spellings of a declared key. */
import type * as Schema from "effect/Schema"
import { bareFrom } from "../bare.ts"
import { shorten } from "../found.ts"
import { type Declared, fold } from "./declared.ts"
import type { Draft } from "./draft.ts"
import { one, pathAt, type Spot } from "./outcome.ts"
import type { Tally } from "./tally.ts"
import { costs } from "./warning.ts"

/** Old name to new. */
type Renames = ReadonlyMap<string, string>

/** Aliases first. A renamed key keeps its place. */
export const renameKeys = ({ declared, object, run, spot, tally }: Draft): Schema.JsonObject => {
  if (straysIn(declared, object).length === 0) return object
  const aliases = run.does("alias") ? aliasesIn(declared, object) : none
  const named = rename(object, aliases)
  const spellings = run.does("key_spelling") && declared.isClosed ? spellingsIn(declared, named) : none
  report(object, aliases, spellings, spot, tally)
  return rename(named, spellings)
}

const none: Renames = new Map()

const straysIn = ({ fields }: Declared, object: Schema.JsonObject): ReadonlyArray<string> =>
  Object.keys(object).filter((key) => !fields.has(key))

/** Only where the declared key is absent and one alias, which is that of one key, is there. */
const aliasesIn = (declared: Declared, object: Schema.JsonObject): Renames => {
  const open = declared.aliased.filter(({ name }) => !Object.hasOwn(object, name))
  const strays = straysIn(declared, object)
  const pairs = open.flatMap(({ aliases, name }) => {
    const [sent, ...others] = strays.filter((key) => aliases.includes(key))
    return sent === undefined || others.length > 0 ? [] : [[sent, name] as const]
  })
  return onlyOnce(pairs)
}

/** `__proto__` is meant for the machine that reads it, never for a field. */
const spellingsIn = (declared: Declared, object: Schema.JsonObject): Renames => {
  const strays = straysIn(declared, object).filter((key) => key !== "__proto__")
  const byFold = Map.groupBy(strays, fold)
  const pairs = [...byFold].flatMap(([folded, [stray, ...others]]) => {
    const name = declared.byFold.get(folded)
    const isMeant = name !== undefined && stray !== undefined && others.length === 0 && !Object.hasOwn(object, name)
    return isMeant ? [[stray, name] as const] : []
  })
  return onlyOnce(pairs)
}

/** Two names for one key, or one name for two keys, are two readings. */
const onlyOnce = (pairs: ReadonlyArray<readonly [string, string]>): Renames =>
  new Map(pairs.filter(([from, to]) => pairs.filter((other) => other[0] === from || other[1] === to).length === 1))

const rename = (object: Schema.JsonObject, renames: Renames): Schema.JsonObject =>
  renames.size === 0
    ? object
    : bareFrom(Object.entries(object).map(([key, value]) => [renames.get(key) ?? key, value] as const))

/** In the order in which the keys were sent. */
const report = (object: Schema.JsonObject, aliases: Renames, spellings: Renames, spot: Spot, tally: Tally): void => {
  if (aliases.size + spellings.size === 0) return
  for (const from of Object.keys(object)) {
    const to = aliases.get(from) ?? spellings.get(from)
    if (to === undefined) continue
    const kind = aliases.has(from) ? "alias" : "key_spelling"
    const path = () => pathAt({ ...spot, key: to, holder: spot })
    tally.add(
      one(() => ({ path: path(), kind, from: shorten(from), to: shorten(to) })),
      costs.loose
    )
  }
}
