/** Repairs the arguments of one call, from what a model sent to an object that its schema accepts. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Arrived, type Locate, locatorOf } from "../arrival.ts"
import { Found, only } from "../found.ts"
import { typeOf } from "../path.ts"
import { relocate } from "../relocate.ts"
import * as Sentences from "../sentences.ts"
import { attempt } from "./attempt.ts"
import { isObject } from "./json.ts"
import { type Bad, bad, kept, type Outcome, rootSpot } from "./outcome.ts"
import type { Shape } from "./plan.ts"
import { readArguments } from "./readArguments.ts"
import { Run, Stop } from "./run.ts"
import { join, type Level, told, type Warning, type Warnings } from "./warning.ts"

/** Arguments that fit, and what was changed about them. */
export interface Repaired {
  readonly value: Schema.JsonObject
  readonly warnings: ReadonlyArray<Warning>
  /** How many more changes there were than the limit lets through. */
  readonly warningsOmitted: number
}

/** The same, and where things are in what was sent. */
export interface Relocated extends Repaired {
  readonly locate: Locate | undefined
}

export const repairArguments = (
  shape: Shape,
  level: Level,
  name: string,
  arrived: Arrived
): Result.Result<Relocated, Bad> => {
  const ast = shape.ast(level)
  const read = readArguments(level, ast, arrived)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { value: sent, warnings } = read.success
  const locate = locatorOf(sent)
  const outcome = limited(() => runOf(shape, level, name, sent).repair(ast, sent, rootSpot(sent, ast)))
  if (Result.isSuccess(outcome)) return finish(outcome.success.value, join(warnings, outcome.success.warnings), locate)
  if (takesAsSent(shape, level, name, sent)) return finish(sent, warnings, locate)
  return Result.fail({ ...outcome.failure, locate, warnings: join(warnings, outcome.failure.warnings) })
}

/** With paths into what was sent, for somebody to read. */
export const asSent = ({ locate, value, warnings, warningsOmitted }: Relocated): Repaired => ({
  value,
  warnings: relocate(warnings, locate),
  warningsOmitted
})

const runOf = (shape: Shape, level: Level, name: string, sent: Schema.Json): Run =>
  new Run({ level, name, multiplies: shape.multiplies, arguments: sent, attempt })

/** Beyond its limits a repair is given up. */
const limited = (repair: () => Outcome): Outcome => {
  try {
    return repair()
  } catch (cause) {
    if (!(cause instanceof Stop)) throw cause
    return bad(only({ path: "", code: cause.code, ...Sentences.stopped(cause.code) }))
  }
}

/** What the tool's plain codec takes as it stands is never refused, whatever a blank text in it might have meant. */
const takesAsSent = (shape: Shape, level: Level, name: string, sent: Schema.JsonObject): boolean => {
  if (level === "strict" || !shape.holdsBlank(sent)) return false
  const plain = shape.ast("strict")
  const run = runOf(shape, "strict", name, sent)
  return Result.isSuccess(limited(() => (run.accepts(plain, sent) ? kept(sent) : bad(new Found()))))
}

/** Arguments are an object, whatever a schema that no tool could have would take. */
const finish = (value: Schema.Json, warnings: Warnings, locate: Locate | undefined): Result.Result<Relocated, Bad> => {
  if (isObject(value)) {
    return Result.succeed({ value, warnings: told(warnings), warningsOmitted: warnings.omitted, locate })
  }
  const found = only({ path: "", code: "not_object", expected: "object", received: typeOf(value) })
  return Result.fail({ found, warnings })
}
