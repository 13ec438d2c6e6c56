/** One tool in a provider's dialect: its definition there, and how its arguments are read. Made once for each of both. */
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Result from "effect/Result"
import { acceptsSchema } from "./acceptsSchema.ts"
import { checkLimits } from "./dialectLimits.ts"
import { same } from "./dialectReading.ts"
import { type LoweredSchema, lowerSchema } from "./lower.ts"
import type { Profile } from "./modelProfile.ts"
import type { Json } from "./shape.ts"
import { UnfitSchema } from "./unfitSchema.ts"

export interface LoweredTool extends Pick<LoweredSchema, "named" | "reading"> {
  readonly definition: ToolDefinition
}

export type Lowered = Result.Result<LoweredTool, UnfitSchema>

const known = new WeakMap<Profile, WeakMap<ToolDefinition, Lowered>>()

/** The same object for the same definition and profile, so that a request looks the same in every turn. */
export const lowerTool = (definition: ToolDefinition, profile: Profile): Lowered => {
  const ofProfile = known.get(profile) ?? new WeakMap<ToolDefinition, Lowered>()
  known.set(profile, ofProfile)
  const lowered = ofProfile.get(definition) ?? attempt(definition, profile)
  ofProfile.set(definition, lowered)
  return lowered
}

const attempt = (definition: ToolDefinition, profile: Profile): Lowered => {
  try {
    return Result.succeed(make(definition, profile))
  } catch (cause) {
    if (cause instanceof UnfitSchema) return Result.fail(cause)
    // A schema of a stranger may lead back to itself without an end, or be deeper than the stack.
    if (cause instanceof RangeError) return Result.fail(new UnfitSchema({ _tag: "Endless" }))
    throw cause
  }
}

const make = (definition: ToolDefinition, profile: Profile): LoweredTool => {
  const { description, inputSchema, name } = definition
  const { limits } = profile
  if (limits.name !== undefined && name.length > limits.name) {
    throw new UnfitSchema({ _tag: "NameTooLong", limit: limits.name })
  }
  const { named, reading, schema } = schemaFor(inputSchema, profile)
  checkLimits(schema, profile)
  const [shown, rest] = split(description, limits.description)
  const isSame = schema === inputSchema && rest === ""
  return { definition: isSame ? definition : redefine(definition, shown, continued(schema, rest)), named, reading }
}

const schemaFor = (schema: Json, profile: Profile): LoweredSchema =>
  acceptsSchema(profile, schema) ? { schema, reading: same, named: new Map() } : lowerSchema(schema, profile)

const redefine = (definition: ToolDefinition, description: string, inputSchema: Json): ToolDefinition =>
  Object.freeze({ ...definition, description, inputSchema: frozen(inputSchema) })

/** Many turns share it, and so do the parts that were frozen before. */
const frozen = <A extends object>(json: A): A => {
  if (Object.isFrozen(json)) return json
  for (const part of Object.values(json)) if (typeof part === "object" && part !== null) frozen(part)
  return Object.freeze(json)
}

/** Nothing of a description is lost: what does not fit goes on in the schema. */
const split = (description: string, limit = Infinity): readonly [shown: string, rest: string] => {
  if (description.length <= limit) return [description, ""]
  const end = limit - ellipsis.length
  return [
    `${description.slice(0, end).toWellFormed()}${ellipsis}`,
    `${ellipsis}${description.slice(end).toWellFormed()}`
  ]
}

const ellipsis = "…"

const continued = (schema: Json, rest: string): Json => {
  if (rest === "") return schema
  const { description } = schema
  return { ...schema, description: typeof description === "string" ? `${rest}\n\n${description}` : rest }
}
