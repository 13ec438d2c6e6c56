/**
 * The seam through which a sealed tool is run, one stage at a time, each with its own failure. It is for a registry:
 * whoever opens a tool here takes on everything that settling a call means.
 */
import * as Result from "effect/Result"
import type { InvalidInput } from "./InvalidInput.ts"
import { unseal } from "./internal/carrier.ts"
import { type Guarded, guardInput, type Sealed } from "./internal/sealed.ts"
import * as Sentences from "./internal/sentences.ts"
import { type Any, RegistrationError } from "./Tool.ts"
import type { ToolDefinition } from "./ToolDefinition.ts"
import { isToolName, type ToolName } from "./ToolName.ts"

export type { Decoded, Encoded, Guarded, Returned } from "./internal/sealed.ts"

/** The first stage, the same for all tools: arguments that are no object or beyond the limits reach no codec. */
export const guard: (raw: unknown) => Result.Result<Guarded, InvalidInput> = guardInput

/**
 * One tool under one name, its stages to be run in this order. Call them inside an effect: a bug in a codec, an executor
 * or a projection may throw at once, and is a defect there.
 */
export interface Runtime extends Pick<Sealed, "decode" | "execute" | "encode" | "project"> {
  readonly definition: ToolDefinition
}

/** Gives the tool's runtime under a name, or why the value cannot be registered under it. */
export const open = (name: string, tool: Any): Result.Result<Runtime, RegistrationError> => {
  const opened = isToolName(name)
    ? Result.map(unseal(tool), (sealed) => runtimeOf(name, sealed))
    : Result.fail(Sentences.invalidName)
  return Result.mapError(
    opened,
    ({ message, reason }) => new RegistrationError({ name: Sentences.shownName(name), reason, message })
  )
}

const runtimeOf = (
  name: ToolName,
  { annotations, decode, description, encode, execute, inputSchema, outputSchema, project }: Sealed
): Runtime => ({
  definition: Object.freeze({ name, description, inputSchema, outputSchema, annotations }),
  decode,
  execute,
  encode,
  project
})
