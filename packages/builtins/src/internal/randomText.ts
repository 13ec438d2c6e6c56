/** Names that nobody else uses. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

const randomWord = Effect.map(Random.nextIntBetween(0, 2 ** 32), (word) => word.toString(16).padStart(8, "0"))

/** 128 bits in hexadecimal. */
export const randomText: Effect.Effect<string> = Effect.map(
  Effect.all([randomWord, randomWord, randomWord, randomWord]),
  (words) => words.join("")
)
