/** Arguments as models get them wrong, made from arguments that are right. */
import { type Schema } from "effect"

type Json = Schema.Json

/** A number from 0 up to, and not including, the given one. The same seed gives the same numbers. */
export type Dice = (sides: number) => number

export const diceOf = (seed: number): Dice => {
  let state = seed >>> 0
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

const pick = <A>(dice: Dice, items: readonly [A, ...ReadonlyArray<A>]): A => items[dice(items.length)] ?? items[0]

/** One value in about four is damaged, at any depth. */
export const damaged = (value: Json, dice: Dice): Json => {
  const inside = damagedInside(value, dice)
  return dice(4) === 0 ? pick(dice, damages)(inside, dice) : inside
}

const damagedInside = (value: Json, dice: Dice): Json => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => damaged(item, dice))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [respelt(key, dice), damaged(item, dice)]))
}

const respelt = (key: string, dice: Dice): string =>
  dice(12) === 0 ? pick(dice, [key.toUpperCase(), `_${key}`, `${key}-`, `${key}x`, "__proto__"]) : key

type Damage = (value: Json, dice: Dice) => Json

const damages: readonly [Damage, ...ReadonlyArray<Damage>] = [
  (value) => (typeof value === "string" ? value.toUpperCase() : JSON.stringify(value)),
  (value) => JSON.stringify(JSON.stringify(value)),
  (value) => (typeof value === "string" ? ` ${value} ` : `  ${JSON.stringify(value)}\n`),
  (value, dice) => pythonic(JSON.stringify(value), dice),
  (value) => JSON.stringify(value).slice(0, -1),
  (_, dice) =>
    pick(dice, [
      "",
      " ",
      "null",
      "None",
      "yes",
      "no",
      "1",
      "0",
      "99",
      "-99",
      "0.5",
      "NaN",
      "9007199254740993",
      "1e400"
    ]),
  (_, dice) => pick<Json>(dice, [null, true, 0, 1.5, -0, 2 ** 60, [], {}, "constructor"]),
  (value) => [value],
  (value) => ({ properties: value }),
  (value, dice) => ({ [pick(dice, ["arguments", "args", "input"])]: value }),
  (value) => ({ ...(typeof value === "object" ? value : {}), extra: value })
]

const pythonic = (text: string, dice: Dice): string =>
  pick(dice, [
    text.replaceAll('"', "'"),
    text.replace(/([}\]])$/, ",$1"),
    text.replaceAll("true", "True").replaceAll("null", "None"),
    `\`\`\`json\n${text}\n\`\`\``,
    `// arguments\n${text}`
  ])

/** As a value, or as the text that a model would have written. */
export const sent = (value: Json, dice: Dice): Json => {
  if (dice(2) === 0) return value
  const text = JSON.stringify(value)
  return pick(dice, [
    text,
    text,
    pythonic(text, dice),
    `${text}}`,
    `${text} done.`,
    `${text}${text}`,
    `{}${text}`,
    text.slice(0, dice(text.length + 1)),
    JSON.stringify(text),
    `\ufeff${text}`,
    ""
  ])
}
