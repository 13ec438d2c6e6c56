/**
 * The seam through which a sealed tool is run, one stage at a time, each with its own failure. It is for a registry:
 * whoever opens a tool here takes on everything that settling a call means.
 */
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { InvalidInput } from "./InvalidInput.ts"
import { arrive, type Arrived } from "./internal/arrival.ts"
import { unseal } from "./internal/carrier.ts"
import type { Level } from "./internal/repair/warning.ts"
import type { Refusal } from "./internal/refusal.ts"
import type { Mended, Sealed } from "./internal/sealed.ts"
import * as Sentences from "./internal/registrationSentences.ts"
import { type Any, RegistrationError } from "./Tool.ts"
import type { ToolDefinition } from "./ToolDefinition.ts"
import { isToolName, type ToolName } from "./ToolName.ts"

export type { Arrived, Unread } from "./internal/arrival.ts"
export type { Repaired } from "./internal/repair/repairArguments.ts"
export type { Decoded, Encoded, Mended, Returned } from "./internal/sealed.ts"

/** The first stage, the same for all tools: what is no object or beyond the limits reaches no codec as it stands. */
export const guard: (raw: unknown) => Arrived = arrive

/**
 * One tool under one name, its stages to be run in this order. Call them inside an effect: a bug in a codec, an executor
 * or a projection may throw at once, and is a defect there.
 */
export interface Runtime extends Pick<Sealed, "decode" | "execute" | "encode" | "project"> {
  readonly definition: ToolDefinition
  /** For arguments that `decode` does not take: repaired and decoded, or all that is wrong with them. */
  readonly repair: (arrived: Arrived, level: Level) => Effect.Effect<Mended, InvalidInput>
}

/** Gives the tool's runtime under a name, or why the value cannot be registered under it. */
export const open = (name: string, tool: Any): Result.Result<Runtime, RegistrationError> => {
  if (!isToolName(name)) return refused(name, Sentences.invalidName)
  const unsealed = unseal(tool)
  return Result.isSuccess(unsealed)
    ? Result.succeed(runtimeOf(name, unsealed.success))
    : refused(name, unsealed.failure)
}

const refused = (name: string, { message, reason }: Refusal): Result.Result<never, RegistrationError> =>
  Result.fail(new RegistrationError({ name: Sentences.shownName(name), reason, message }))

const runtimeOf = (
  name: ToolName,
  { annotations, decode, description, encode, execute, inputSchema, outputSchema, project, repair }: Sealed
): Runtime => ({
  definition: Object.freeze({ name, description, inputSchema, outputSchema, annotations }),
  decode,
  repair: (arrived, level) => repair(arrived, name, level),
  execute,
  encode,
  project
})
