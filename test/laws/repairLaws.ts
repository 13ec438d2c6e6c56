/** What holds of every repair, whatever the schema and whatever was sent. */
import { assert } from "@effect/vitest"
import { ArgumentRepair, type InvalidInput, type Tool } from "@haft/core"
import { Option, Result, Schema } from "effect"

/** Everything that is derived once from one schema. */
export interface Subject {
  readonly plan: ArgumentRepair.Plan
  /** What the plain codec says, unknown keys being errors. */
  readonly admits: (value: unknown) => boolean
}

export const subjectOf = (codec: Tool.Codec, level: ArgumentRepair.Level = "default"): Subject => {
  const decode = Schema.decodeUnknownOption(Schema.toCodecJson(codec), { onExcessProperty: "error" })
  return { plan: ArgumentRepair.plan(codec, { level }), admits: (value) => Option.isSome(decode(value)) }
}

type Repair = ReturnType<typeof ArgumentRepair.repair>

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** As it would be without repair. */
const asSent = (input: unknown): unknown =>
  typeof input === "string" ? Option.getOrElse(parse(input), () => undefined) : input

/** Checks all laws for one input, and gives what came of it. */
export const checkRepair = ({ admits, plan }: Subject, input: unknown): Repair => {
  const result = ArgumentRepair.repair(plan, "tool", input)
  assert.deepStrictEqual(ArgumentRepair.repair(plan, "tool", input), result, "the same input, the same outcome")
  if (Result.isFailure(result)) checkRefusal(result.failure)
  else checkSuccess({ admits, plan }, input, result.success)
  return result
}

const checkSuccess = ({ admits, plan }: Subject, input: unknown, repaired: ArgumentRepair.Repaired): void => {
  assert.isTrue(admits(repaired.value), "soundness: what comes back is valid")
  const isSame = JSON.stringify(asSent(input)) === JSON.stringify(repaired.value)
  assert.strictEqual(repaired.warnings.length === 0, isSame, "no silence: what changed is reported, and nothing else")
  const again = Result.getOrThrow(ArgumentRepair.repair(plan, "tool", repaired.value))
  assert.strictEqual(JSON.stringify(again.value), JSON.stringify(repaired.value), "idempotence")
  assert.deepStrictEqual(again.warnings, [], "idempotence: nothing is left to repair")
}

const checkRefusal = ({ message, violations, violationsOmitted }: InvalidInput.InvalidInput): void => {
  assert.isAtLeast(violations.length, 1)
  assert.isAtLeast(violationsOmitted, 0)
  assert.isAtMost(message.length, maxMessage)
}

/** 8 KiB of violations, eight warnings and an example. */
const maxMessage = 16 * 1024

/** Whether there is a text anywhere that a repair might leave out. */
export const holdsBlank = (value: unknown): boolean => {
  if (typeof value === "string") return value.trim() === ""
  return typeof value === "object" && value !== null && Object.values(value).some(holdsBlank)
}
