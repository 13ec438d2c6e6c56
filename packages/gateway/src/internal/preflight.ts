/**
 * Holds input against the schema that a tool advertises before anything is decided about the call. What cannot be checked
 * here is checked when the call is settled.
 */
import * as ArgumentRepair from "@haft/core/ArgumentRepair"
import type { InvalidInput } from "@haft/core/InvalidInput"
import type * as Tool from "@haft/core/Tool"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as JsonSchema from "effect/JsonSchema"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"

type Plans = Readonly<Record<ArgumentRepair.Level, ArgumentRepair.Plan>>

const plans = new WeakMap<ToolDefinition, Option.Option<Plans>>()

/** The input as it will run. A text is read as the arguments, as it would be below. */
export const accept = (
  definition: ToolDefinition,
  input: Schema.Json,
  level: ArgumentRepair.Level
): Result.Result<Schema.Json, InvalidInput> => {
  const known = plans.get(definition) ?? plansOf(definition)
  plans.set(definition, known)
  if (Option.isNone(known)) return Result.succeed(input)
  return Result.map(ArgumentRepair.repair(known.value[level], definition.name, input), ({ value }) => value)
}

/** None for a schema with something in it that Effect cannot express. */
const plansOf = ({ inputSchema }: ToolDefinition): Option.Option<Plans> =>
  Option.map(codecOf(inputSchema), (codec) => ({
    strict: ArgumentRepair.plan(codec, { level: "strict" }),
    contract: ArgumentRepair.plan(codec, { level: "contract" }),
    default: ArgumentRepair.plan(codec, { level: "default" })
  }))

/** Patterns run when the call is settled, where the tool's author has been trusted with them or not. */
const codecOf = (inputSchema: JsonSchema.JsonSchema): Option.Option<Tool.Codec> =>
  Result.getSuccess(
    Result.try(() => {
      const document = JsonSchema.fromSchemaDraft2020_12(inputSchema)
      const schema = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" })
      // Imported constraints are Effect's own schemas and checks, none of which needs a service.
      return schema as Schema.Schema<unknown> as Tool.Codec
    })
  )
