/** The input side of a tool: arguments that are valid as they were sent, and arguments that are to be repaired first. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { InvalidInput } from "../InvalidInput.ts"
import type * as Tool from "../Tool.ts"
import type { Arrived } from "./arrival.ts"
import { bothSides } from "./bothSides.ts"
import { type Decoder, makeDecoder } from "./decoder.ts"
import { invalidInput } from "./invalidInput.ts"
import type { Bad } from "./repair/outcome.ts"
import { Shape } from "./repair/plan.ts"
import { asSent, type Relocated, repairArguments } from "./repair/repairArguments.ts"
import { type Level, lower } from "./repair/warning.ts"
import type { Mended, Sealed } from "./sealed.ts"

/** `maxLevel` is the author's: a host can only lower it. */
export const makeDecoding = (input: Tool.Codec, maxLevel: Level): Pick<Sealed, "decode" | "repair"> => {
  let built: Built | undefined
  const build = (): Built => (built ??= buildFor(input))
  return {
    decode: (arrived, level) => {
      if (Result.isFailure(arrived)) return notAsSent
      const { decoder, shape } = built ?? build()
      const isRepaired = level !== "strict" && maxLevel !== "strict"
      if (isRepaired && shape.holdsBlank(arrived.success)) return notAsSent
      return Effect.mapErrorEager(decoder.decode(arrived.success), forget)
    },
    repair: (arrived, name, level) => mend(build(), lower(level, maxLevel), name, arrived)
  }
}

/** Most tools that are offered are never called: what a call needs is built for the first. */
interface Built {
  readonly shape: Shape
  readonly decoder: Decoder
}

const buildFor = (input: Tool.Codec): Built => {
  const shape = new Shape(input)
  return { shape, decoder: makeDecoder(input, shape) }
}

const forget = (): void => {}

const notAsSent: Effect.Effect<never, void> = Effect.fail(undefined)

type Mending = Effect.Effect<Mended, InvalidInput>

const mend = ({ decoder, shape }: Built, level: Level, name: string, arrived: Arrived): Mending => {
  const repaired = repairArguments(shape, level, name, arrived)
  const decoding = Result.isSuccess(repaired)
    ? decodeRepaired(decoder, shape, repaired.success)
    : refuse(decoder, shape, repaired.failure)
  const blank = level === "strict" ? undefined : blankAsSent(shape, arrived)
  return blank === undefined ? decoding : Effect.catchEager(decoding, (error) => decodeAsSent(decoder, blank, error))
}

/** The decoded side may have something to say about fields that fit as they were sent. */
const refuse = (decoder: Decoder, shape: Shape, failure: Bad): Mending => {
  if (failure.partial === undefined) return Effect.fail(invalidInput(failure, shape))
  return Effect.flatMapEager(decoder.explainAll(failure.partial), (decoded) => {
    const found = bothSides(failure.found, decoded, shape.fields)
    return Effect.fail(invalidInput({ ...failure, found }, shape))
  })
}

const decodeRepaired = (decoder: Decoder, shape: Shape, repaired: Relocated): Mending => {
  const list = repaired.warnings.map((warning) => () => warning)
  const { locate, warningsOmitted: omitted } = repaired
  const warnings = { list, omitted }
  return Effect.catchEager(
    Effect.mapEager(decoder.decode(repaired.value), (input): Mended => ({ input, repaired: asSent(repaired) })),
    (issue) =>
      Effect.flatMapEager(decoder.explain(repaired.value, issue), (found) =>
        Effect.fail(invalidInput({ found, locate, warnings }, shape))
      )
  )
}

/** Arguments with a blank text that repair left out, and that may be meant after all. */
const blankAsSent = (shape: Shape, arrived: Arrived): Schema.JsonObject | undefined =>
  Result.isSuccess(arrived) && shape.holdsBlank(arrived.success) ? arrived.success : undefined

/** What the plain codec takes as it stands is never refused. */
const decodeAsSent = ({ decode }: Decoder, value: Schema.JsonObject, error: InvalidInput): Mending =>
  Effect.mapEager(
    Effect.mapErrorEager(decode(value), () => error),
    (input): Mended => ({ input, repaired: { value, warnings: [], warningsOmitted: 0 } })
  )
